import type { Problem } from '../../lib/checked.ts'
import { type DeviceClass, OPERATIONS_OF } from '../model/device.ts'
import type { Origin, Step } from '../model/house.ts'
import type { StateField, Test } from './model.ts'
import type { Referring } from './references.ts'

export type { Problem }

/** State fields that each class shows. */
const FIELDS_OF: Readonly<Record<DeviceClass, readonly StateField[]>> = {
  light_switch: ['on', 'mode'],
  light_dimmer: ['on', 'bri', 'mode'],
  shutter: ['pos', 'move', 'mode'],
  curtain: ['pos', 'move', 'mode'],
  power_switch: ['on', 'mode', 'temp'],
  sense_switch: ['on', 'mode'],
  ac: ['on', 'temp', 'mode', 'fan'],
  ir_remote: ['key'],
  lock: ['locked'],
  gate: ['pos', 'move'],
  sensor: [],
  meter: [],
  gang_module: [],
  switch_gang: ['on', 'mode'],
  shutter_gang: ['pos', 'move', 'mode'],
}
const TYPE_OF: Readonly<Record<StateField, 'boolean' | 'number' | 'string'>> = {
  on: 'boolean',
  bri: 'number',
  mode: 'string',
  pos: 'number',
  move: 'string',
  temp: 'number',
  fan: 'string',
  key: 'string',
  locked: 'boolean',
}
const FLAG_READINGS: ReadonlySet<string> = new Set(['motion', 'door'])

/**
 * What the schema cannot know: whether each device has the state that is tested and takes the operation that is sent.
 * `classOf` answers undefined for a device that the caller has already refused or lets stand.
 */
export function problemWith(rule: Referring, classOf: (device: string) => DeviceClass | undefined): Problem | null {
  for (const list of ['when', 'if'] as const) {
    for (const [index, part] of (rule[list] ?? []).entries()) {
      const at = `${list}[${index}]`
      if ('state' in part) {
        const problem = stateProblem(part, classOf(part.device), at)
        if (problem) return problem
      } else if ('reading' in part) {
        const problem = testProblem(part, FLAG_READINGS.has(part.reading) ? 'boolean' : 'number', at)
        if (problem) return problem
      }
      if (('reading' in part || 'detection' in part) && isGang(classOf(part.device))) {
        return { field: `${at}.device`, message: 'must be a unit: a gang has no sensor of its own' }
      }
    }
  }
  return stepProblem(rule.then ?? [], 'then', classOf) ?? stepProblem(rule.steps ?? [], 'steps', classOf)
}

/**
 * An edit may bring back what the client read (`id`, `revision`, `origin`), but not change it: what the gateway keeps
 * is not the client's to set.
 */
export function keptProblem(
  body: {
    readonly id?: string | undefined
    readonly revision?: number | undefined
    readonly origin?: Origin | null | undefined
    readonly ifRevision: number
  },
  kept: { readonly id: string; readonly origin: Origin | null },
): Problem | null {
  if (body.id !== undefined && body.id !== kept.id) return { field: 'id', message: 'cannot be changed' }
  if (body.revision !== undefined && body.revision !== body.ifRevision)
    return { field: 'revision', message: 'must be that of `ifRevision`, or be left out' }
  const { origin } = body
  const same =
    origin === undefined || (origin?.integration === kept.origin?.integration && origin?.link === kept.origin?.link)
  return same ? null : { field: 'origin', message: 'cannot be changed' }
}

function stateProblem(
  part: Test & { state: StateField },
  deviceClass: DeviceClass | undefined,
  at: string,
): Problem | null {
  if (deviceClass !== undefined && !FIELDS_OF[deviceClass].includes(part.state)) {
    return { field: `${at}.state`, message: `is not in the state of a ${deviceClass}` }
  }
  return testProblem(part, TYPE_OF[part.state], at)
}

function testProblem(test: Test, type: 'boolean' | 'number' | 'string', at: string): Problem | null {
  if (test.is !== undefined) return typeof test.is === type ? null : { field: `${at}.is`, message: `must be a ${type}` }
  return type === 'number' ? null : { field: at, message: 'can only be tested with `is`' }
}

function stepProblem(
  steps: readonly Step[],
  list: string,
  classOf: (device: string) => DeviceClass | undefined,
): Problem | null {
  for (const [index, step] of steps.entries()) {
    const deviceClass = 'device' in step ? classOf(step.device) : undefined
    if (!('device' in step) || deviceClass === undefined) continue
    // Whether a power switch feeds a climate load is the unit's setting of the day: the unit refuses where it does not.
    const offered =
      OPERATIONS_OF[deviceClass].includes(step.op) || (deviceClass === 'power_switch' && step.op === 'set_temp')
    if (!offered) return { field: `${list}[${index}].op`, message: `is not an operation of a ${deviceClass}` }
  }
  return null
}

function isGang(deviceClass: DeviceClass | undefined): boolean {
  return deviceClass === 'switch_gang' || deviceClass === 'shutter_gang'
}
