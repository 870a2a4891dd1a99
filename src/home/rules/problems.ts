import { fieldOf, type Problem } from '../../lib/checked.ts'
import { isObject } from '../../lib/json.ts'
import {
  type DeviceClass,
  type DeviceKey,
  GANG_CLASSES,
  OPERATIONS,
  type Operation,
  type TouchKey,
  UNIT_CLASSES,
} from '../model/device.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { ANY_DEVICE, classesOfGroup, isGroupWord, RESERVED_GROUP_IDS } from '../model/groups.ts'
import type { Condition, GroupCondition, GroupStep, GroupTrigger, Step, Test, Trigger } from '../model/rules.ts'
import { STEP_OPERATIONS, stepOperations } from '../model/steps.ts'
import { emptyPlaceholder } from '../model/tell.ts'
import { mapParts, type RulePart, partsOf, type PlacedPart, type Referring, stepsIn } from '../model/rule-parts.ts'
import {
  readingTestProblem,
  stateTestProblem,
  detectionsOf,
  groupTestProblem,
  keysOf,
  type KnownDevice,
  readingsOf,
} from './possible.ts'

/** The part of a field's path that leads to a step, as in `automations[1].then[0].args.bri`. */
const STEP = /^.*\b(?:then|else|repeat|steps)\[\d+\](?=\.|$)/

/** Reason why a step's operation is refused, as the end of a sentence that starts with the field. */
function unsupportedOperation(deviceClass: DeviceClass): string {
  const operations = stepOperations(deviceClass)
  const taken = operations.length === 0 ? 'it takes no operations' : `it takes ${operations.join(', ')}`
  return `is not an operation of a ${deviceClass}; ${taken}`
}

/**
 * The schema's problem, or the problem with the step's operation. The schema of a step knows no devices: for a wrong
 * operation it lists the operations of all devices. `classOf` returns undefined for devices that the caller cannot see.
 */
export function operationProblem(
  problem: Problem,
  body: unknown,
  classOf: (device: string) => DeviceClass | undefined,
): Problem {
  const [path] = STEP.exec(problem.field) ?? []
  const step = path === undefined ? undefined : valueAt(body, path)
  if (!isObject(step) || typeof step['op'] !== 'string') return problem
  const { op, device, group } = step as { readonly op: string; readonly device?: unknown; readonly group?: unknown }
  if (typeof device !== 'string' && typeof group !== 'string') return problem
  const deviceClass = typeof device === 'string' ? classOf(device) : undefined
  const operations: readonly string[] = deviceClass === undefined ? STEP_OPERATIONS : stepOperations(deviceClass)
  if (operations.includes(op)) return problem
  const message =
    deviceClass === undefined ? `must be one of ${STEP_OPERATIONS.join(', ')}` : unsupportedOperation(deviceClass)
  return { field: `${path}.op`, message }
}

/** True if a word is an operation of some device. */
export const isOperation = (word: string): word is Operation => OPERATIONS.some((operation) => operation === word)

function valueAt(body: unknown, path: string): unknown {
  const keys = path.match(/[^.[\]]+/g) ?? []
  return keys.reduce<unknown>(
    (value, key) => (Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined),
    body,
  )
}

export type { Problem }

/**
 * Checks that the schema cannot make: each device has the tested state, reading or detection, can pass the test, and
 * supports the operation. `known` returns undefined for a device that the caller has already refused or accepts
 * unchecked. Triggers and conditions that are also in `stored` stay unchecked. `membersOf` returns the classes of the
 * members of a named group.
 */
export function problemWith(
  rule: Referring,
  known: (device: string) => KnownDevice | undefined,
  stored: Referring = {},
  membersOf: MemberClasses = () => ALL_CLASSES,
): Problem | null {
  const unchanged = new Set([...partsOf(stored)].map(nameOf))
  for (const placed of partsOf(rule)) {
    if (placed.kind !== 'step' && unchanged.has(nameOf(placed))) continue
    const problem = partProblem(placed, known, membersOf)
    if (problem) return problem
  }
  return rule.when === undefined && rule.then === undefined ? null : placeholderProblem({ ...stored, ...rule })
}

/** The first message with a placeholder that a trigger of its rule does not fill. */
function placeholderProblem({ when = [], then = [] }: Referring): Problem | null {
  for (const { part, path } of partsOf({ then })) {
    const empty = 'tell' in part ? emptyPlaceholder(part.tell, when) : null
    if (empty !== null) {
      const things = empty === 'value' ? 'a device, mode, person or calendar' : 'a device'
      const message = `{${empty}} is filled by ${things}: each trigger of the rule must be about one`
      return { field: fieldOf([...path, 'tell']), message }
    }
  }
  return null
}

/** Text that is equal for equal parts of one kind. */
const nameOf = ({ kind, part }: PlacedPart): string => `${kind} ${canonicalJson(part)}`

const ALL_CLASSES: readonly DeviceClass[] = [...UNIT_CLASSES, ...GANG_CLASSES]

/** Classes of the members of a named group. */
export type MemberClasses = (group: string) => readonly DeviceClass[]

function partProblem(
  { part, path }: PlacedPart,
  known: (device: string) => KnownDevice | undefined,
  membersOf: MemberClasses,
): Problem | null {
  const at = fieldOf(path)
  if ('group' in part) return groupProblem(part, membersOf, at)
  if (!('device' in part)) return null
  return 'op' in part ? stepProblem(part, known(part.device), at) : deviceProblem(part, known(part.device), at)
}

function deviceProblem(
  part: Extract<Trigger | Condition, { device: string }>,
  device: KnownDevice | undefined,
  at: string,
): Problem | null {
  if ('state' in part) return device ? stateTestProblem(part, device, at) : null
  if ('touch' in part) return device ? touchProblem(part.touch, device, at) : null
  const isPower = 'reading' in part && (part.reading === 'power' || part.reading === 'energy')
  if (isGang(device?.class) && !isPower)
    return {
      field: `${at}.device`,
      message: `must be a unit: a gang has no ${'reachable' in part ? 'radio' : 'sensor'} of its own`,
    }
  if ('reachable' in part) return null
  if ('detection' in part) return device ? sensingProblem('detect', part.detection, device, at) : null
  const problem = device ? sensingProblem('measure', part.reading, device, at) : null
  return problem ?? readingTestProblem(part, at)
}

function groupProblem(
  part: GroupTrigger | GroupCondition | GroupStep,
  membersOf: MemberClasses,
  at: string,
): Problem | null {
  const { group } = part
  const classes = isGroupWord(group) ? classesOfGroup(group) : group === ANY_DEVICE ? ALL_CLASSES : membersOf(group)
  if (!('op' in part)) return groupTestProblem(part, classes, RESERVED_GROUP_IDS.has(group) ? group : 'the group', at)
  const operations = new Set(classes.flatMap((deviceClass) => stepOperations(deviceClass)))
  if (classes.length === 0 || operations.has(part.op)) return null
  return { field: `${at}.op`, message: `must be one of ${[...operations].join(', ')}` }
}

function sensingProblem(verb: 'measure' | 'detect', kind: string, device: KnownDevice, at: string): Problem | null {
  const available: readonly string[] = verb === 'measure' ? readingsOf(device) : detectionsOf(device)
  if (available.includes(kind)) return null
  return {
    field: `${at}.${verb === 'measure' ? 'reading' : 'detection'}`,
    message: `${kind} is not available: ${device.name} (${device.class}) ${verb}s ${available.join(', ') || 'nothing'}`,
  }
}

function touchProblem(touch: TouchKey, { class: deviceClass, name }: KnownDevice, at: string): Problem | null {
  const keys = keysOf(deviceClass)
  if (keys.includes(touch)) return null
  const has = keys.length === 0 ? 'has no keys' : `has the keys ${keys.join(', ')}`
  return { field: `${at}.touch`, message: `${touch} is not available: ${name} (${deviceClass}) ${has}` }
}

/**
 * An edit may repeat read-only fields such as `id`, `revision` and `origin`, but must not change them. `readOnly` holds
 * those fields as the client sees them.
 */
export function readOnlyProblem(
  body: Readonly<Record<string, unknown>> & { readonly revision?: number | undefined; readonly ifRevision: number },
  readOnly: object,
): Problem | null {
  if (body.revision !== undefined && body.revision !== body.ifRevision)
    return { field: 'revision', message: 'must equal `ifRevision` or be left out' }
  const changed = Object.entries(readOnly).find(
    ([field, value]) => body[field] !== undefined && canonicalJson(body[field]) !== canonicalJson(value),
  )
  return changed ? { field: changed[0], message: 'cannot be changed' } : null
}

function stepProblem(step: PartOn<Step>, device: KnownDevice | undefined, at: string): Problem | null {
  // A power switch feeds a climate load or not, by a setting of the unit; without one the unit itself refuses.
  return device === undefined || stepOperations(device.class).includes(step.op)
    ? null
    : { field: `${at}.op`, message: unsupportedOperation(device.class) }
}

function isGang(deviceClass: DeviceClass | undefined): boolean {
  return deviceClass === 'switch_gang' || deviceClass === 'shutter_gang'
}

type PartOn<P extends RulePart> = Extract<P, { readonly device: string }>
const LISTS = ['when', 'if', 'then', 'steps'] as const
type PartList = (typeof LISTS)[number]

/** Devices of replaced units, as rules and scenes name them. */
export interface ReplacedDevices {
  /** True if the key is one of theirs, before or after. */
  readonly concerns: (key: DeviceKey) => boolean
  /** The present device; undefined for a removed one. */
  readonly known: (key: DeviceKey) => KnownDevice | undefined
  /** The key of the device that takes over this one's role, or null. */
  readonly successor: (key: DeviceKey) => DeviceKey | null
}

/** A part of a rule or scene that does not fit the new devices. */
export interface Misfit {
  readonly list: PartList
  /** Its place in the list, or that of the part around it. */
  readonly index: number
  readonly device: DeviceKey
  readonly placed: PlacedPart
  /** The reason, as the end of a sentence. */
  readonly problem: string
  /** The equivalent part for the new device; null if there is none and it is removed. */
  readonly becomes: PlacedPart | null
}

export interface Fitted {
  /** The lists of the rule with every part that fits or was adapted. */
  readonly lists: { readonly [L in PartList]?: readonly RulePart[] }
  readonly misfits: readonly Misfit[]
}

/** Adapts a rule or scene to the devices of replaced units. */
export function fitted(rule: Referring, devices: ReplacedDevices): Fitted {
  const misfits: Misfit[] = []
  const own = Object.fromEntries(LISTS.flatMap((list) => (rule[list] ? [[list, rule[list]]] : []))) as Referring
  const adapted = mapParts(own, (placed) => {
    const { part, path } = placed
    if (!('device' in part) || !devices.concerns(part.device)) return part
    const problem = problemOf(placed, devices)
    if (problem === null) return part
    const candidates = alternatives(part, devices).map((candidate) => ({ ...placed, part: candidate }) as PlacedPart)
    const becomes = candidates.find((candidate) => problemOf(candidate, devices) === null) ?? null
    const [list, index] = path as readonly [PartList, number]
    misfits.push({ list, index, device: part.device, placed, problem, becomes })
    return becomes?.part ?? null
  })
  const lists = Object.fromEntries(
    Object.entries(adapted).map(([list, parts]: [string, readonly RulePart[]]) => {
      // Steps that only wait have no effect alone, so they are removed with the last other step.
      const isIdle = misfits.some((misfit) => misfit.list === list) && isSteps(list) && !acts(parts as readonly Step[])
      return [list, isIdle ? [] : parts]
    }),
  )
  return { lists, misfits }
}

const isSteps = (list: string): boolean => list === 'then' || list === 'steps'

const ACTS: readonly string[] = ['device', 'group', 'scene', 'mode', 'tell', 'rule']

/** True if one of the steps, or of those inside them, does more than wait. */
function acts(steps: readonly Step[]): boolean {
  return stepsIn(steps).some((step) => ACTS.some((field) => field in step))
}

const LIST_OF = { trigger: 'when', condition: 'if', step: 'then' } as const

function problemOf({ kind, part }: PlacedPart, { known }: ReplacedDevices): string | null {
  if ('device' in part && known(part.device) === undefined) return 'the unit no longer has this gang'
  const problem = problemWith({ [LIST_OF[kind]]: [part] }, known)
  return problem === null ? null : `\`${problem.field.replace(/^\w+\[0\]\.?/, '')}\` ${problem.message}`
}

/** Alternatives in order of preference: the part on the device that took over, then brightness as on or off. */
function alternatives(part: PartOn<RulePart>, { successor }: ReplacedDevices): readonly PartOn<RulePart>[] {
  const newKey = successor(part.device)
  const moved = newKey === null ? [] : [{ ...part, device: newKey }]
  return [...moved, ...[part, ...moved].flatMap((candidate) => switched(candidate) ?? [])]
}

/** Rewrites a part about brightness as one about on and off. */
function switched(part: PartOn<RulePart>): PartOn<RulePart> | null {
  if ('op' in part)
    return part.op === 'set_brightness' && 'bri' in part.args
      ? { device: part.device, op: 'set_power', args: { on: part.args.bri > 0 } }
      : null
  if (!('state' in part) || part.state !== 'bri') return null
  const { above: _above, below: _below, is: _is, ...rest } = part
  return { ...rest, state: 'on', is: isOn(part) }
}

/** True if a test for a level implies that the light is on. */
function isOn({ is, above }: Test): boolean {
  return is === undefined ? above !== undefined : Number(is) > 0
}
