import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Problem } from '../../lib/checked.ts'
import { type DeviceClass, possibleOperations } from '../model/device.ts'
import type { Step } from '../model/house.ts'
import type { Condition, Trigger } from './model.ts'
import { readingTestProblem, stateTestProblem } from './possible.ts'
import type { Referring } from './references.ts'
import { detectionsOf, type KnownDevice, readingsOf } from './sensing.ts'
import { notOfClass } from './step-operations.ts'

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
