import { ok, type Result } from '../lib/result.ts'
import { devicesOf, type House } from './house/house.ts'
import { type ReplacedUnit, replacedUnits, type Replacing, successorOf, type WrongPlacing } from './house/placing.ts'
import type { Cause } from './model/events.ts'
import type { DeviceKey, Readings } from './model/device.ts'
import { type Group, type Scene, type Unit, withEdit } from './model/house.ts'
import type { SceneStep } from './model/steps.ts'
import type { ChangePart } from './ports/activity-log.ts'
import type { UnitTarget, UnitBus } from './ports/unit-bus.ts'
import { type Fitted, fitted, type Misfit, type ReplacedDevices } from './rules/problems.ts'
import type { DraftOf, RuleKind, RuleOf } from './model/rules.ts'
import type { RuleRepository } from './rules/rule-repository.ts'
import type { Rules } from './rules/rules.ts'
import { areReadingsKnown, type KnownDevice } from './rules/possible.ts'
import { isMember, membersOf } from './model/groups.ts'
import type { DisplayNames } from './words/values.ts'
import { partWords } from './words/rules.ts'

interface ReplacementParts {
  readonly house: House
  readonly bus: Pick<UnitBus, 'units'>
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  /** Known readings of the device at a target of the bus. */
  readonly readingsAt: (target: UnitTarget) => Readings | undefined
}

/** Action for a place that no longer fits. */
export type Proposal = 'change' | 'leave_out' | 'switch_off' | 'delete' | 'end'

/** A place that refers to a replaced unit and does not fit the new one. */
export interface MisfitPlace {
  readonly kind: 'scene' | 'group' | 'automation' | 'schedule' | 'unit' | 'integration' | 'confirmation'
  readonly id: string
  readonly name: string
  readonly part: 'when' | 'if' | 'then' | 'steps' | 'members' | 'light' | 'expose' | 'call'
  /** Its position in a list, from 0; null if the part is no list. */
  readonly position: number | null
  readonly device: DeviceKey
  /** The place in words: `Floor lamp: set brightness to 40 %`. */
  readonly what: string
  /** Reason why it does not fit, as the end of a sentence. */
  readonly problem: string
  readonly proposal: Proposal
  /** With `change`: the replacement, in words. */
  readonly becomes: string | null
}

/** Changes of the home by a replacement. */
export interface ReplacementPlan {
  readonly units: readonly ReplacedUnit[]
  readonly places: readonly MisfitPlace[]
  readonly scenes: readonly Scene[]
  readonly groups: readonly Group[]
  readonly automations: RuleChanges<'automation'>
  readonly schedules: RuleChanges<'schedule'>
  /** Ids of the sensors and meters whose readings are still unknown: rules about their readings count as fitting. */
  readonly unreadSensors: ReadonlySet<string>
}

/** Edits of rules by their ids; null deletes the rule. */
export type RuleChanges<K extends RuleKind> = ReadonlyMap<string, Partial<DraftOf[K]> | null>

/** Plans a replacement and changes nothing. */
export function planReplacement(
  { house, bus, rules, readingsAt }: ReplacementParts,
  replacing: Replacing,
): Result<ReplacementPlan, WrongPlacing> {
  const found = replacedUnits(house, bus.units, replacing)
  if (!found.ok) return found
  const units = found.value
  const devices = replacedDevices(units, readingsAt)
  const names: DisplayNames = {
    mode: (id) => house.modes.get(id)?.name ?? null,
    person: (id) => house.people.get(id)?.name ?? null,
    device: (key) => house.devices.get(key)?.name ?? devices.known(key)?.name ?? key,
    scene: (id) => house.scenes.get(id)?.name ?? id,
    rule: (reference) => reference,
    calendar: (id) => house.calendars.get(id)?.name ?? id,
    place: ({ kind, id }) => house[`${kind}s`].get(id)?.name ?? id,
  }
  const places: MisfitPlace[] = []
  const scenes: Scene[] = []
  for (const scene of house.scenes.values()) {
    const { lists, misfits } = fitted(scene, devices)
    if (misfits.length === 0) continue
    places.push(...misfits.map((misfit) => placeOf('scene', scene, misfit, names)))
    const edits = withEdit(scene.edits, concernedBy(misfits, devices))
    scenes.push({ ...scene, steps: lists.steps as readonly SceneStep[], revision: scene.revision + 1, edits })
  }
  const groups = [...house.groups.values()].flatMap((group) => fittedGroup(group, devices, names, places))
  const changes = { devices, names, places }
  const automations = changedRules('automation', rules.automations, changes)
  const schedules = changedRules('schedule', rules.schedules, changes)
  places.push(...units.flatMap(lostLights))
  const unreadSensors = units.flatMap(({ after: { id } }) => (isUnread(devices.known(id)) ? [id] : []))
  return ok({ units, places, scenes, groups, automations, schedules, unreadSensors: new Set(unreadSensors) })
}

/** Carries out a plan in one transaction with `otherParts`. */
export function replaceUnits(
  plan: ReplacementPlan,
  { house, rules }: Pick<ReplacementParts, 'house' | 'rules'>,
  cause: Cause,
  otherParts: readonly ChangePart[],
): void {
  house.replaceUnits({ units: plan.units.map(({ after }) => after), scenes: plan.scenes, groups: plan.groups }, cause, [
    rules.automations.fitted(plan.automations),
    rules.schedules.fitted(plan.schedules),
    ...otherParts,
  ])
}

/** Device keys of replaced units that the house no longer has. */
export function removedDevicesOf(units: readonly ReplacedUnit[]): ReadonlySet<DeviceKey> {
  const now = new Set(units.flatMap(({ after }) => keysOf(after)))
  return new Set(units.flatMap(({ before }) => keysOf(before)).filter((key) => !now.has(key)))
}

function replacedDevices(units: readonly ReplacedUnit[], readingsAt: ReplacementParts['readingsAt']): ReplacedDevices {
  const known = new Map<DeviceKey, KnownDevice>()
  for (const device of units.flatMap(({ after }) => devicesOf(after))) {
    const { unit, gang } = device
    known.set(device.key, { ...device, readings: readingsAt({ address: unit.address, gang: gang?.gang ?? null }) })
  }
  const before = new Map(units.flatMap((unit) => keysOf(unit.before).map((key) => [key, unit] as const)))
  return {
    concerns: (key) => before.has(key) || known.has(key),
    known: (key) => known.get(key),
    successor: (key) => {
      const unit = before.get(key)
      return unit === undefined ? null : successorOf(unit, key)
    },
  }
}

function isUnread(device: KnownDevice | undefined): boolean {
  return device !== undefined && !areReadingsKnown(device)
}

/** Devices whose steps change. A removed device is visible to no integration, so its steps concern every viewer. */
function concernedBy(misfits: readonly Misfit[], { known }: ReplacedDevices): readonly DeviceKey[] | null {
  const keys = misfits.flatMap(({ device, becomes }) => [
    device,
    ...(becomes && 'device' in becomes.part ? [becomes.part.device] : []),
  ])
  return keys.some((key) => known(key) === undefined) ? null : [...new Set(keys)]
}

/** The group without members that the replaced units no longer have; empty if it keeps all. */
function fittedGroup(
  group: Group,
  { known, concerns, successor }: ReplacedDevices,
  names: DisplayNames,
  places: MisfitPlace[],
): readonly Group[] {
  const lost = group.members.filter((key) => concerns(key) && !isMember(known(key)?.class))
  if (lost.length === 0) return []
  const heirs = new Map(lost.map((key) => [key, successor(key)]))
  for (const device of lost) {
    const heir = heirs.get(device) ?? null
    places.push({
      ...{ kind: 'group', id: group.id, name: group.name, part: 'members', device },
      position: group.members.indexOf(device),
      what: names.device(device) ?? device,
      problem: known(device) === undefined ? 'the unit no longer has this gang' : 'a module has no state',
      proposal: heir === null ? 'leave_out' : 'change',
      becomes: heir && (names.device(heir) ?? heir),
    })
  }
  const members = membersOf(group.members.flatMap((key) => heirs.get(key) ?? (heirs.has(key) ? [] : [key])))
  return [{ ...group, members, revision: group.revision + 1, edits: withEdit(group.edits, null) }]
}

function changedRules<K extends RuleKind>(
  kind: K,
  repository: Pick<RuleRepository<K>, 'list'>,
  {
    devices,
    names,
    places,
  }: { readonly devices: ReplacedDevices; readonly names: DisplayNames; readonly places: MisfitPlace[] },
): RuleChanges<K> {
  const changes = new Map<string, Partial<DraftOf[K]> | null>()
  for (const rule of repository.list()) {
    const fit = fitted(rule, devices)
    if (fit.misfits.length === 0) continue
    const emptied = emptiedLists(fit)
    places.push(...fit.misfits.map((misfit) => placeOf(kind, rule, misfit, names, emptied.has(misfit.list))))
    changes.set(rule.id, emptied.size > 0 ? null : editOf<K>(rule, fit))
  }
  return changes
}

/** Switches off a rule that loses a condition: without it, the rule would run more often than its author intended. */
function editOf<K extends RuleKind>(rule: RuleOf[K], { lists, misfits }: Fitted): Partial<DraftOf[K]> {
  const enabled =
    rule.enabled && !misfits.some(({ placed, becomes }) => placed.kind === 'condition' && becomes === null)
  // The lists belong to the rule itself; the compiler cannot see it through the kind.
  return { ...lists, enabled } as unknown as Partial<DraftOf[K]>
}

/** Required lists that are now empty; a rule needs a trigger and a step. */
function emptiedLists({ lists, misfits }: Fitted): ReadonlySet<string> {
  const changed = new Set(misfits.map(({ list }) => list))
  return new Set(['when', 'then'].filter((list) => changed.has(list as 'when') && lists[list as 'when']?.length === 0))
}

function placeOf(
  kind: 'scene' | RuleKind,
  { id, name }: { readonly id: string; readonly name: string },
  { list, index, device, placed, problem, becomes }: Misfit,
  names: DisplayNames,
  deletes = false,
): MisfitPlace {
  const removal: Proposal = placed.kind === 'condition' ? 'switch_off' : 'leave_out'
  return {
    kind,
    id,
    name,
    part: list,
    position: index,
    device,
    what: partWords(placed, names),
    problem,
    proposal: deletes ? 'delete' : becomes === null ? removal : 'change',
    becomes: becomes === null ? null : partWords(becomes, names),
  }
}

/** Units and gangs with a known load that are no switches any more. */
function lostLights({ before, after }: ReplacedUnit): readonly MisfitPlace[] {
  const remaining = new Map(devicesOf(after).map(({ key, unit, gang }) => [key, gang ?? unit]))
  return devicesOf(before).flatMap(({ key, unit, gang, name }): MisfitPlace[] => {
    const { light } = gang ?? unit
    const now = remaining.get(key)
    if (light === undefined || now?.light !== undefined) return []
    const problem = now === undefined ? 'the unit no longer has this gang' : `a ${now.class} is no switch`
    const what = light ? 'feeds a lamp' : 'feeds no lamp'
    const place = { kind: 'unit', id: before.id, name, part: 'light', position: null, device: key } as const
    return [{ ...place, what, problem, proposal: 'leave_out', becomes: null }]
  })
}

const keysOf = (unit: Unit): readonly DeviceKey[] => devicesOf(unit).map(({ key }) => key)
