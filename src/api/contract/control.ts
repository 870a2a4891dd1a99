import { z } from 'zod'
import {
  OPERATIONS,
  AC_MODES,
  FAN_SPEEDS,
  REMOTE_KEYS,
  SETTABLE_MODES,
  TEMP_MAX,
  TEMP_MIN,
} from '../../home/model/device.ts'
import { GROUP_WORDS } from '../../home/model/groups.ts'
import { endpoint } from './endpoint.ts'
import { DEVICE_CLASSES_WITH_STATE, State } from './states.ts'
import { ErrorDetail, Id, SceneRun } from './shapes.ts'
import { documented, idOf, text, whether, named } from './fields.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Limit of devices in one call. */
export const CONTROLS_MAX = 100

/** Arguments of all operations; the documents name the operation of each argument. */
export const COMMAND_ARGS = {
  on: whether('set_power.'),
  bri: z.int().min(0).max(100).describe('set_brightness: percent.'),
  pos: z.int().min(0).max(100).describe('set_position: percent open.'),
  mode: z
    .enum([...new Set([...SETTABLE_MODES, ...AC_MODES])])
    .describe('set_mode: auto, eco or manual. set_ac_mode: auto, cool, heat, dry or fan_only.'),
  temp: z.number().min(TEMP_MIN).max(TEMP_MAX).multipleOf(0.5).describe('set_temp: degrees Celsius in steps of 0.5.'),
  fan: z.enum(FAN_SPEEDS).describe('set_fan.'),
  key: z.enum(REMOTE_KEYS).describe('key.'),
} as const

const ControlArgs = () =>
  strictObject(() => COMMAND_ARGS)
    .partial()
    .meta({ title: 'ControlArgs', description: 'Arguments of the operation; empty for open, close, stop and run.' })

const operation = {
  // Checked after the look-up of the device, so that the refusal lists the device's own operations.
  op: z
    .string()
    .meta({ enum: [...OPERATIONS, 'run'], description: 'An operation that the device lists; `run` for a scene.' }),
  // Checked after the look-up of the device too.
  args: z.lazy(() => z.unknown().optional().meta(documented(ControlArgs()))),
  code: z
    .string()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .optional()
    .describe(
      'For an agent that opens a lock or gate: the code that a person enters; only administrators see it. Other callers need none.',
    ),
}

export const ControlBody = z
  .strictObject(operation)
  .meta({ id: 'Control', description: 'One operation of the device, with its arguments (see docs/api.md).' })

export const DeviceControl = strictObject(() => ({
  device: Id.describe('The id of a unit, gang or scene.'),
  ...operation,
})).meta({ id: 'DeviceControl', description: 'One operation of one device.' })

const every = {
  op: z.string().meta({ enum: [...OPERATIONS], description: 'The operation.' }),
  args: operation.args,
}

/** One operation for all devices of a room or floor that take it. */
const inPlace = {
  class: z
    .enum([...DEVICE_CLASSES_WITH_STATE, ...GROUP_WORDS])
    .optional()
    .describe(
      'Only devices of this class or group. Without it, all devices that take the operation except sockets, climate, locks and gates.',
    ),
  ...every,
  code: operation.code.describe('As in the control of one device, if the call opens only one lock or gate.'),
}

/** A list of operations. Each entry is checked by itself, like a single call. */
const ControlList = strictObject(() => ({ controls: z.array(z.unknown()).min(1).max(CONTROLS_MAX) }))
const ControlRoom = strictObject(() => ({ room: Id, ...inPlace })).meta({
  id: 'ControlRoom',
  description: 'One operation for the devices of a room.',
})
const ControlFloor = strictObject(() => ({ floor: Id, ...inPlace })).meta({
  id: 'ControlFloor',
  description: 'One operation for the devices of a floor.',
})
const ControlGroup = strictObject(() => ({
  group: Id.describe(
    `${GROUP_WORDS.join(', ')}, or the id of a named group: its devices, in the whole home or in the room or floor. It opens no lock or gate.`,
  ),
  room: Id.optional().describe('Only in this room.'),
  floor: Id.optional().describe('Only on this floor; not together with `room`.'),
  ...every,
})).meta({ id: 'ControlGroup', description: 'One operation for the devices of a group.' })

/** Forms of a call for many devices. */
export const CONTROL_FORMS = {
  controls: ControlList,
  room: ControlRoom,
  floor: ControlFloor,
  group: ControlGroup,
} as const

/** Schema of all forms for the documents; the handler checks the form of the body's key. */
const controlMany = () =>
  z.union([
    ControlGroup,
    ControlRoom,
    ControlFloor,
    strictObject(() => ({
      controls: z
        .array(DeviceControl)
        .min(1)
        .max(CONTROLS_MAX)
        .describe('Operations; those of the same device are performed in this order.'),
    })).meta({ id: 'ControlList', description: 'A list of operations, each for one device.' }),
  ])

const ControlResult = named(
  'ControlResult',
  'Result of one operation: a state, a run of a scene, or an error.',
  () => ({
    device: text('The id as sent; empty if it was not a string.'),
    state: State.optional(),
    run: SceneRun.optional(),
    error: ErrorDetail.optional(),
  }),
)

/** Refusals of an operation of one device, without `validation` and `not_found`. */
export const CONTROL_ERRORS = [
  'unlock_not_allowed',
  'confirmation_required',
  'rate_limited',
  'hmhc_unavailable',
  'unit_unreachable',
  'overloaded',
] as const

/** Control of one device, or of many in one call. */
export const control = {
  'devices.control': endpoint('POST', '/v1/devices/{id}/control', {
    summary: 'Perform one operation; the response has the state that the unit confirmed',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3',
    subject: 'thing',
    body: ControlBody,
    answer: looseObject(() => ({ device: idOf('the device'), state: State.optional(), run: SceneRun.optional() })),
    errors: CONTROL_ERRORS,
  }),
  'devices.identify': endpoint('POST', '/v1/devices/{id}/identify', {
    summary: 'Let the LEDs of a unit or gang blink, so that people find it; its load does not move',
    spec: 'docs/devices.md#blinking',
    subject: 'device',
    answer: looseObject(() => ({
      device: idOf('the device'),
      seconds: z.int().describe('Seconds for which it blinks.'),
    })),
    errors: ['rate_limited', 'hmhc_unavailable', 'unit_unreachable', 'overloaded'],
  }),
  'control.batch': endpoint('POST', '/v1/control', {
    summary:
      'Control many devices, or those of a room, floor or group; one result for each, in the order of the request',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3; docs/api.md',
    body: z.lazy(() => z.unknown().meta(documented(controlMany()))),
    answer: looseObject(() => ({
      results: z.array(ControlResult),
      unsaid: z
        .array(z.string())
        .optional()
        .describe(
          'Switch gangs there with an unknown load, for calls without a class and for lights. Calls for lights leave them out.',
        ),
    })),
    errors: ['not_found'],
  }),
} as const
