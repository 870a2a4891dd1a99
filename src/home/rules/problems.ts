import type { Problem } from '../../lib/checked.ts'
import { isObject } from '../../lib/json.ts'
import { type DeviceClass, OPERATIONS, type Operation, possibleOperations, type DeviceKey } from '../model/device.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Step } from '../model/house.ts'
import type { Condition, Trigger, Referring, Test } from '../model/rules.ts'
import { readingTestProblem, stateTestProblem, detectionsOf, type KnownDevice, readingsOf } from './possible.ts'

/** The part of a field's path that leads to a step, as in `automations[1].then[0].args.bri`. */
const STEP = /^.*\b(?:then|steps)\[\d+\](?=\.|$)/

/** Why a step's operation is refused, as the end of a sentence that begins with the field. */
function notOfClass(deviceClass: DeviceClass): string {
  const operations = possibleOperations(deviceClass)
  const taken = operations.length === 0 ? 'it takes no operations' : `it takes ${operations.join(', ')}`
  return `is not an operation of a ${deviceClass}; ${taken}`
}

/**
 * The problem that a schema found in a body, or that of the step's operation. The schema of a step knows no devices:
 * for a wrong operation it names those of any device. `classOf` answers undefined for devices that the caller cannot see.
 */
export function operationProblem(
  problem: Problem,
  body: unknown,
  classOf: (device: string) => DeviceClass | undefined,
): Problem {
  const [path] = STEP.exec(problem.field) ?? []
  const step = path === undefined ? undefined : valueAt(body, path)
  if (!isObject(step) || typeof step['device'] !== 'string' || typeof step['op'] !== 'string') return problem
  const { op, device } = step as { readonly op: string; readonly device: string }
  const deviceClass = classOf(device)
  const operations: readonly string[] = deviceClass === undefined ? OPERATIONS : possibleOperations(deviceClass)
  if (operations.includes(op)) return problem
  const message = deviceClass === undefined ? `must be one of ${OPERATIONS.join(', ')}` : notOfClass(deviceClass)
  return { field: `${path}.op`, message }
}

/** Whether a word is an operation of some device. */
export const isOperation = (word: string): word is Operation => OPERATIONS.some((each) => each === word)

function valueAt(body: unknown, path: string): unknown {
  const keys = path.match(/[^.[\]]+/g) ?? []
  return keys.reduce<unknown>(
    (value, key) => (Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined),
    body,
  )
}

export type { Problem }

/**
 * What the schema cannot know: whether each device has the state, reading or detection that is tested, can ever pass
 * the test, and takes the operation that is sent. `known` answers undefined for a device that the caller has already
 * refused or lets stand. Triggers and conditions that `stored` has as well stay as they are.
 */
export function problemWith(
  rule: Referring,
  known: (device: string) => KnownDevice | undefined,
  stored: Referring = {},
): Problem | null {
  for (const list of ['when', 'if'] as const) {
    const kept = new Set((stored[list] ?? []).map(canonicalJson))
    for (const [index, part] of (rule[list] ?? []).entries()) {
      if (!('device' in part) || kept.has(canonicalJson(part))) continue
      const problem = deviceProblem(part, known(part.device), `${list}[${index}]`)
      if (problem) return problem
    }
  }
  return stepProblem(rule.then ?? [], 'then', known) ?? stepProblem(rule.steps ?? [], 'steps', known)
}

function deviceProblem(
  part: Extract<Trigger | Condition, { device: string }>,
  device: KnownDevice | undefined,
  at: string,
): Problem | null {
  if ('state' in part) return device ? stateTestProblem(part, device, at) : null
  const isPower = 'reading' in part && (part.reading === 'power' || part.reading === 'energy')
  if (isGang(device?.class) && !isPower)
    return { field: `${at}.device`, message: 'must be a unit: a gang has no sensor of its own' }
  if ('detection' in part) return device ? sensingProblem('detect', part.detection, device, at) : null
  const lacking = device ? sensingProblem('measure', part.reading, device, at) : null
  return lacking ?? readingTestProblem(part, at)
}

function sensingProblem(verb: 'measure' | 'detect', kind: string, device: KnownDevice, at: string): Problem | null {
  const own: readonly string[] = verb === 'measure' ? readingsOf(device) : detectionsOf(device)
  if (own.includes(kind)) return null
  return {
    field: `${at}.${verb === 'measure' ? 'reading' : 'detection'}`,
    message: `${kind} is nothing that ${device.name} (${device.class}) ${verb}s; it ${verb}s ${own.join(', ') || 'nothing'}`,
  }
}

/**
 * An edit may bring back what the client read, such as `id`, `revision` and `origin`, but not change it: what the
 * gateway keeps is not the client's to set. `kept` has those fields as the client is shown them.
 */
export function keptProblem(
  body: Readonly<Record<string, unknown>> & { readonly revision?: number | undefined; readonly ifRevision: number },
  kept: object,
): Problem | null {
  if (body.revision !== undefined && body.revision !== body.ifRevision)
    return { field: 'revision', message: 'must be that of `ifRevision`, or be left out' }
  const changed = Object.entries(kept).find(
    ([field, value]) => body[field] !== undefined && canonicalJson(body[field]) !== canonicalJson(value),
  )
  return changed ? { field: changed[0], message: 'cannot be changed' } : null
}

function stepProblem(
  steps: readonly Step[],
  list: string,
  known: (device: string) => KnownDevice | undefined,
): Problem | null {
  for (const [index, step] of steps.entries()) {
    const deviceClass = 'device' in step ? known(step.device)?.class : undefined
    if (!('device' in step) || deviceClass === undefined) continue
    // Whether a power switch feeds a climate load is the unit's setting of the day: the unit refuses where it does not.
    if (!possibleOperations(deviceClass).includes(step.op))
      return { field: `${list}[${index}].op`, message: notOfClass(deviceClass) }
  }
  return null
}

function isGang(deviceClass: DeviceClass | undefined): boolean {
  return deviceClass === 'switch_gang' || deviceClass === 'shutter_gang'
}

type Part = Trigger | Condition | Step
type PartOn<P extends Part> = Extract<P, { readonly device: string }>
type PartList = 'when' | 'if' | 'then' | 'steps'
const LISTS: readonly PartList[] = ['when', 'if', 'then', 'steps']

/** The devices of units that were replaced, as rules and scenes name them. */
export interface ReplacedDevices {
  /** Whether the key is one of theirs, before or after. */
  readonly concerns: (key: DeviceKey) => boolean
  /** The device as it is now; undefined for one that is gone. */
  readonly known: (key: DeviceKey) => KnownDevice | undefined
  /** The key of the device that does now what this one did, or null. */
  readonly successor: (key: DeviceKey) => DeviceKey | null
}

/** A part of a rule or scene that does not fit the new devices. */
export interface Misfit {
  readonly list: PartList
  readonly index: number
  readonly device: DeviceKey
  readonly part: Trigger | Condition | Step
  /** Why, as the end of a sentence. */
  readonly problem: string
  /** The part that says the same of the new device; null: there is none, and it is left out. */
  readonly becomes: Trigger | Condition | Step | null
}

export interface Fitted {
  /** The lists that are given, with every part that fits or was made to fit. */
  readonly lists: { readonly [L in PartList]?: readonly Part[] }
  readonly misfits: readonly Misfit[]
}

/** Makes a rule or scene fit the devices that were replaced. */
export function fitted(rule: Referring, devices: ReplacedDevices): Fitted {
  const misfits: Misfit[] = []
  const lists: { [L in PartList]?: readonly Part[] } = {}
  for (const list of LISTS) {
    const parts: readonly Part[] | undefined = rule[list]
    if (parts === undefined) continue
    const before = misfits.length
    const left = parts.flatMap((part, index): readonly Part[] => {
      if (!('device' in part) || !devices.concerns(part.device)) return [part]
      const problem = problemOf(part, list, devices)
      if (problem === null) return [part]
      const becomes = alternatives(part, devices).find((each) => problemOf(each, list, devices) === null) ?? null
      misfits.push({ list, index, device: part.device, part, problem, becomes })
      return becomes === null ? [] : [becomes]
    })
    // Steps that only wait do nothing, so that they go with the last step that did something.
    lists[list] = misfits.length > before && left.every((part) => 'delay' in part) ? [] : left
  }
  return { lists, misfits }
}

function problemOf(part: PartOn<Part>, list: PartList, { known }: ReplacedDevices): string | null {
  if (known(part.device) === undefined) return 'the unit has no such gang any more'
  const problem = problemWith({ [list]: [part] }, known)
  return problem === null ? null : `\`${problem.field.replace(/^\w+\[0\]\.?/, '')}\` ${problem.message}`
}

/** The part on the device that took over, and with brightness as on or off, in this order of preference. */
function alternatives(part: PartOn<Part>, { successor }: ReplacedDevices): readonly PartOn<Part>[] {
  const heir = successor(part.device)
  const moved = heir === null ? [] : [{ ...part, device: heir }]
  return [...moved, ...[part, ...moved].flatMap((each) => switched(each) ?? [])]
}

/** What is said of a level, said of on and off. */
function switched(part: PartOn<Part>): PartOn<Part> | null {
  if ('op' in part)
    return part.op === 'set_brightness'
      ? { device: part.device, op: 'set_power', args: { on: part.args.bri > 0 } }
      : null
  if (!('state' in part) || part.state !== 'bri') return null
  const { above: _above, below: _below, is: _is, ...rest } = part
  return { ...rest, state: 'on', is: isOn(part) }
}

/** Whether a test that a level passes means a light that is on. */
function isOn({ is, above }: Test): boolean {
  return is === undefined ? above !== undefined : Number(is) > 0
}
