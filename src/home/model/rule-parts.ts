import type { DeviceKey } from './device.ts'
import { type GroupTarget, RESERVED_GROUP_IDS } from './groups.ts'
import { type Condition, type GroupStep, parseRuleReference, type RuleStep, type Step, type Trigger } from './rules.ts'
import type { Author } from './house.ts'
import type { DeviceStep, SceneStep, StepCommand } from './steps.ts'

/**
 * The parts of a rule: triggers, conditions and steps. A part may hold other parts, so that a rule is a tree. Every
 * look at all parts goes through this file.
 */
export type RulePart = Trigger | Condition | Step

/** Keys that lead to a part from its rule: `['if', 0, 'any', 1]`. */
export type PartPath = readonly (string | number)[]

/** A part, its kind and its place in the rule. */
export type PlacedPart = { readonly path: PartPath } & (
  | { readonly kind: 'trigger'; readonly part: Trigger }
  | { readonly kind: 'condition'; readonly part: Condition }
  | { readonly kind: 'step'; readonly part: Step }
)

/** An object that holds parts: an automation, a schedule, a scene, or a body that edits one. */
export interface Referring {
  readonly when?: readonly Trigger[] | undefined
  readonly if?: readonly Condition[] | undefined
  readonly then?: readonly Step[] | undefined
  readonly steps?: readonly Step[] | undefined
  /** Its groups have the devices of its author; missing for an administrator. */
  readonly author?: Author | undefined
}

/** Fields that hold parts, in the order of reading, with the kind of these parts. */
const PART_FIELDS = [
  ['when', 'trigger'],
  ['if', 'condition'],
  ['any', 'condition'],
  ['all', 'condition'],
  ['not', 'condition'],
  ['wait', 'condition'],
  ['until', 'condition'],
  ['then', 'step'],
  ['else', 'step'],
  ['repeat', 'step'],
  ['steps', 'step'],
] as const satisfies readonly (readonly [string, PlacedPart['kind']])[]

/** A field with parts. A single part stands in the field itself (`isList` false). */
interface PartField {
  readonly field: string
  readonly isList: boolean
  readonly placed: readonly PlacedPart[]
}

const PART_FIELD_NAMES: ReadonlySet<string> = new Set(PART_FIELDS.map(([field]) => field))

/** Most parts hold none, and a start looks at all parts of thousands of rules. */
function holdsParts(owner: object): boolean {
  for (const field in owner) if (PART_FIELD_NAMES.has(field)) return true
  return false
}

function partFieldsOf(owner: object, path: PartPath): readonly PartField[] {
  const fields: PartField[] = []
  if (!holdsParts(owner)) return fields
  for (const [field, kind] of PART_FIELDS) {
    const value = (owner as Readonly<Record<string, readonly RulePart[] | RulePart | undefined>>)[field]
    if (typeof value !== 'object') continue
    const parts = isList(value) ? value : [value]
    const placed = parts.map((part, index) => {
      return { kind, part, path: isList(value) ? [...path, field, index] : [...path, field] } as PlacedPart
    })
    fields.push({ field, isList: isList(value), placed })
  }
  return fields
}

function isList(value: readonly RulePart[] | RulePart): value is readonly RulePart[] {
  return Array.isArray(value)
}

/** Every part of a rule or of another part. An outer part comes before its inner ones. */
export function partsOf(owner: object, path: PartPath = [], all: PlacedPart[] = []): readonly PlacedPart[] {
  for (const { placed } of partFieldsOf(owner, path))
    for (const one of placed) {
      all.push(one)
      partsOf(one.part, one.path, all)
    }
  return all
}

/** Changes a part; null removes it. */
export type PartChange = (placed: PlacedPart) => RulePart | null

/**
 * A copy of a rule with changed parts. Inner parts are changed after their outer part, which is removed once it loses
 * all parts of a field. A branch may lose its `else`.
 */
export function mapParts<T extends object>(owner: T, change: PartChange, path: PartPath = []): T {
  const fields = partFieldsOf(owner, path).map((its) => {
    const parts = its.placed.flatMap((placed) => {
      const outer = change(placed)
      const whole = outer === null ? null : mapParts(outer, change, placed.path)
      return whole === null || isHollow(whole) ? [] : [whole]
    })
    return [its.field, its.isList ? parts : (parts[0] ?? [])] as const
  })
  const mapped = { ...owner, ...Object.fromEntries(fields) }
  if (fields.some(([field, parts]) => field === 'else' && Array.isArray(parts) && parts.length === 0))
    Reflect.deleteProperty(mapped, 'else')
  return mapped
}

/** True if a part has lost all parts of a field. */
function isHollow(part: RulePart): boolean {
  return partFieldsOf(part, []).some(({ placed }) => placed.length === 0)
}

export interface References {
  readonly devices: ReadonlySet<string>
  readonly scenes: ReadonlySet<string>
  readonly modes: ReadonlySet<string>
  readonly calendars: ReadonlySet<string>
  /** Automations and schedules that it switches: `automation:x`. */
  readonly rules: ReadonlySet<string>
  /** Ids of persons, and `anyone`. */
  readonly people: ReadonlySet<string>
  /** Named groups. */
  readonly groups: ReadonlySet<string>
  readonly rooms: ReadonlySet<string>
  readonly floors: ReadonlySet<string>
  /** The groups of its parts, by a word or a name. */
  readonly targets: readonly OwnedGroup[]
}

/** A group with the author of its rule, whose devices it has. */
export interface OwnedGroup extends GroupTarget {
  readonly author: Author
}

/** A named group, a room or a floor that a part names. */
export interface PlaceReference {
  readonly kind: 'group' | 'room' | 'floor'
  readonly id: string
}

function targetOf({ group, room, floor }: GroupTarget): GroupTarget {
  return { group, ...(room !== undefined && { room }), ...(floor !== undefined && { floor }) }
}

function placesOf(target: GroupTarget): readonly PlaceReference[] {
  return (['group', 'room', 'floor'] as const).flatMap((kind) => {
    const id = target[kind]
    return id === undefined || (kind === 'group' && RESERVED_GROUP_IDS.has(id)) ? [] : [{ kind, id }]
  })
}

/** The same as lists, without empty ones. */
export type ReferenceLists = {
  readonly [K in keyof References]?: readonly (References[K] extends Iterable<infer Each> ? Each : never)[]
}

/** Every thing that the rule names, as lists. */
export function referenceListsOf(rule: Referring): ReferenceLists {
  const named: Readonly<Record<string, Iterable<unknown>>> = { ...referencesOf(rule) }
  const lists = Object.entries(named).map(([kind, ids]) => [kind, [...ids]] as const)
  return Object.fromEntries(lists.filter(([, ids]) => ids.length > 0))
}

/** Every device, scene, mode, calendar, rule, person, group, room and floor that the rule names. */
export function referencesOf(rule: Referring): References {
  const devices = new Set<string>()
  const scenes = new Set<string>()
  const modes = new Set<string>()
  const rules = new Set<string>()
  const calendars = new Set<string>()
  const people = new Set<string>()
  const targets: OwnedGroup[] = []
  for (const { part } of partsOf(rule)) {
    if ('device' in part) devices.add(part.device)
    else if ('group' in part) targets.push({ ...targetOf(part), author: rule.author ?? null })
    if ('scene' in part) scenes.add(part.scene)
    if ('calendar' in part) calendars.add(part.calendar)
    if ('person' in part) people.add(part.person)
    for (const mode of modesOf(part)) modes.add(mode)
    if ('rule' in part) rules.add(part.rule)
  }
  const places = targets.flatMap(placesOf)
  const idsOf = (wanted: PlaceReference['kind']): ReadonlySet<string> =>
    new Set(places.flatMap(({ kind, id }) => (kind === wanted ? [id] : [])))
  return {
    ...{ devices, scenes, modes, calendars, rules, people },
    ...{ groups: idsOf('group'), rooms: idsOf('room'), floors: idsOf('floor'), targets },
  }
}

/** Modes that a part names; a condition may name several. */
function modesOf(part: RulePart): readonly string[] {
  if (!('mode' in part)) return []
  return typeof part.mode === 'string' ? [part.mode] : part.mode
}

/** Path of the first mode that is not there: `['if', 0, 'mode']`. Null if all are. */
export function firstMissingMode(rule: Referring, isThere: (mode: string) => boolean): PartPath | null {
  for (const { part, path } of partsOf(rule)) if (!modesOf(part).every(isThere)) return [...path, 'mode']
  return null
}

/** Path of the first calendar that is not there: `['if', 0, 'calendar']`. Null if all are. */
export function firstMissingCalendar(rule: Referring, isThere: (calendar: string) => boolean): PartPath | null {
  for (const { part, path } of partsOf(rule))
    if ('calendar' in part && !isThere(part.calendar)) return [...path, 'calendar']
  return null
}

/** Path of the first person who is not there: `['if', 0, 'person']`. Null if all are. */
export function firstMissingPerson(rule: Referring, isThere: (person: string) => boolean): PartPath | null {
  for (const { part, path } of partsOf(rule)) if ('person' in part && !isThere(part.person)) return [...path, 'person']
  return null
}

/** Maps one reference to another form; null if the caller may not name it. */
export type MapReference = (reference: string) => string | null

/** A mapping for each kind of reference. */
export interface ReferenceMaps extends Readonly<Record<PlaceReference['kind'], MapReference>> {
  readonly device: MapReference
  readonly scene: MapReference
  readonly rule: MapReference
}

/** The field and the name of each reference of a part. */
function referencesIn(part: RulePart): readonly (readonly [kind: keyof ReferenceMaps, name: string])[] {
  if ('device' in part) return [['device', part.device]]
  if ('group' in part) return placesOf(part).map(({ kind, id }) => [kind, id])
  if ('scene' in part) return [['scene', part.scene]]
  return 'rule' in part ? [['rule', part.rule]] : []
}

/**
 * Maps every reference of a rule, for example from device ids to device keys. Null if one of them cannot be mapped.
 */
export function mapReferences<T extends Referring>(rule: T, maps: ReferenceMaps): T | null {
  let complete = true
  const mapped = (kind: keyof ReferenceMaps, name: string): string => {
    const to = maps[kind](name)
    if (to === null) complete = false
    return to ?? name
  }
  const answer = mapParts(rule, ({ part }) => ({
    ...part,
    ...Object.fromEntries(referencesIn(part).map(([kind, name]) => [kind, mapped(kind, name)])),
  }))
  return complete ? answer : null
}

/** Path of the first reference that cannot be mapped: `['then', 2, 'device']`. Null if all can be mapped. */
export function firstUnmapped(rule: Referring, maps: ReferenceMaps): PartPath | null {
  for (const { part, path } of partsOf(rule)) {
    const missing = referencesIn(part).find(([kind, name]) => maps[kind](name) === null)
    if (missing) return [...path, missing[0]]
  }
  return null
}

/** Finds a rule by its reference `automation:x`. */
export type NamedRule = (reference: string) => Referring | undefined

type Listed = Referring & { readonly id: string }

/** Finds rules in lists. */
export function namedIn<R extends Listed>(lists: {
  readonly automations: readonly R[]
  readonly schedules: readonly R[]
}): (reference: string) => R | undefined {
  return (reference) => {
    const { kind, id: of } = parseRuleReference(reference)
    return lists[`${kind}s`].find(({ id }) => id === of)
  }
}

/** A rule in a chain of rules that switch each other. */
interface LinkedRule {
  /** Null for the first rule. */
  readonly reference: string | null
  /** Undefined if there is no such rule. */
  readonly rule: Referring | undefined
}

/** A rule and those that its steps switch, directly or through others, each once. `follows` leaves steps out. */
export function* linkedRules(
  first: Referring,
  named: NamedRule,
  follows: (step: RuleStep) => boolean = () => true,
): Generator<LinkedRule> {
  yield { reference: null, rule: first }
  const seen = new Set<string>()
  const waiting: Referring[] = [first]
  for (let rule = waiting.pop(); rule !== undefined; rule = waiting.pop())
    for (const { part } of partsOf(rule)) {
      if (!('rule' in part) || seen.has(part.rule) || !follows(part)) continue
      seen.add(part.rule)
      const next = named(part.rule)
      yield { reference: part.rule, rule: next }
      if (next !== undefined) waiting.push(next)
    }
}

/** Things that a rule and those that it switches name, without the rules themselves. */
export function wholeReferenceLists(rule: Referring, named: NamedRule): ReferenceLists {
  const all = [...linkedRules(rule, named)].flatMap(({ rule: one }) => one ?? [])
  const { rules: _, ...lists } = referenceListsOf({
    when: all.flatMap(({ when = [] }) => when),
    if: all.flatMap((one) => one.if ?? []),
    then: all.flatMap(({ then = [] }) => then),
  })
  // The groups of each rule have the devices of its own author.
  const targets = all.flatMap((one) => [...referencesOf(one).targets])
  return { ...lists, ...(targets.length > 0 && { targets }) }
}

/**
 * Every command that the steps send, including those in scenes. A gate such as unlocking (Spec 4 rule 2) checks them
 * all, so that a scene or automation cannot bypass it. Groups count with `devicesOf`: they open no lock or gate.
 */
export function commandsOf(
  steps: readonly Step[],
  stepsOfScene: (scene: string) => readonly SceneStep[],
  devicesOf: (step: GroupStep) => readonly DeviceKey[] = () => [],
): readonly { device: DeviceKey; command: StepCommand }[] {
  return stepsIn(steps).flatMap((step) => {
    if ('device' in step) return [{ device: step.device, command: commandOf(step) }]
    if ('group' in step) return devicesOf(step).map((device) => ({ device, command: groupCommandOf(step) }))
    // A scene runs no scenes, so this goes one level deep.
    return 'scene' in step ? commandsOf(stepsOfScene(step.scene), () => []) : []
  })
}

/** The steps with those inside them. */
export function stepsIn(steps: readonly Step[]): readonly Step[] {
  return partsOf({ steps }).flatMap(({ kind, part }) => (kind === 'step' ? [part] : []))
}

export function groupCommandOf(step: GroupStep): StepCommand {
  const { group: _, room: __, floor: ___, ...command } = step
  return command
}

export function commandOf(step: DeviceStep): StepCommand {
  const { device: _, ...command } = step
  return command
}
