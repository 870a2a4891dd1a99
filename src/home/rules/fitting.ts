import type { DeviceKey } from '../model/device.ts'
import type { Step } from '../model/house.ts'
import type { Condition, Test, Trigger } from './model.ts'
import { problemWith } from './problems.ts'
import type { Referring } from './references.ts'
import type { KnownDevice } from './sensing.ts'

type Part = Trigger | Condition | Step
type PartOn<P extends Part> = Extract<P, { readonly device: string }>
export type PartList = 'when' | 'if' | 'then' | 'steps'
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
