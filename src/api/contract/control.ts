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
import { endpoint } from './endpoint.ts'
import { DEVICE_CLASSES_WITH_STATE, State } from './states.ts'
import { ErrorDetail, Id, SceneRun } from './shapes.ts'
import { documented, idOf, text, whether, named } from './fields.ts'

/** Devices that one call may control. */
export const CONTROLS_MAX = 100

/** The arguments of all operations side by side; a document says of each which operation takes it. */
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

/** What each operation takes is checked behind the lookup of the device. */
const CONTROL_ARGS = documented(
  z
    .strictObject(COMMAND_ARGS)
    .partial()
    .meta({ title: 'ControlArgs', description: 'What the operation takes; nothing for open, close, stop and run.' }),
)

const operation = {
  // Checked behind the lookup of the device, so that the refusal lists the device's own.
  op: z
    .string()
    .meta({ enum: [...OPERATIONS, 'run'], description: 'An operation that the device lists; `run` for a scene.' }),
  args: z.unknown().optional().meta(CONTROL_ARGS),
  code: z
    .string()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .optional()
    .describe(
      'For an agent that opens a lock or gate: the code which only administrators are shown, entered by a person. Others need none.',
    ),
}

export const ControlBody = z
  .strictObject(operation)
  .meta({ id: 'Control', description: 'One operation of the device, with its arguments (see docs/api.md).' })

export const DeviceControl = z
  .strictObject({ device: Id.describe('The id of a unit, gang or scene.'), ...operation })
  .meta({ id: 'DeviceControl', description: 'One operation of one device.' })

/** One operation for whatever takes it in a room or on a floor. */
const inPlace = {
  class: z
    .enum(DEVICE_CLASSES_WITH_STATE)
    .optional()
    .describe(
      'Only devices of this class. Without it, all that take the operation but locks and gates, which only their class names.',
    ),
  op: z.string().meta({ enum: [...OPERATIONS], description: 'The operation.' }),
  args: operation.args,
  code: operation.code.describe('As in the control of one device, where only one lock or gate is opened by the call.'),
}

/** How many operations a list holds. What each says is checked by itself, as the single call checks it. */
const ControlList = z.strictObject({ controls: z.array(z.unknown()).min(1).max(CONTROLS_MAX) })
const ControlRoom = z
  .strictObject({ room: Id, ...inPlace })
  .meta({ id: 'ControlRoom', description: 'One operation for the devices of a room.' })
const ControlFloor = z
  .strictObject({ floor: Id, ...inPlace })
  .meta({ id: 'ControlFloor', description: 'One operation for the devices of a floor.' })

/** The forms of a call for many devices, by the key that only each of them has. */
export const CONTROL_FORMS = { controls: ControlList, room: ControlRoom, floor: ControlFloor } as const

/** What clients are told of the forms; the handler checks the one that a body has the key of. */
const CONTROL_MANY = documented(
  z.union([
    ControlRoom,
    ControlFloor,
    z
      .strictObject({
        controls: z
          .array(DeviceControl)
          .min(1)
          .max(CONTROLS_MAX)
          .describe('What to do; operations of the same device are performed in this order.'),
      })
      .meta({ id: 'ControlList', description: 'One operation for each of some devices.' }),
  ]),
)

const ControlResult = named('ControlResult', 'What became of one operation: a state, a run of a scene, or an error.', {
  device: text('The id as it was sent; empty where it is no text.'),
  state: State.optional(),
  run: SceneRun.optional(),
  error: ErrorDetail.optional(),
})

/** How the operation of one device can be refused, beside `validation` and `not_found`. */
export const CONTROL_ERRORS = [
  'unlock_not_allowed',
  'confirmation_required',
  'rate_limited',
  'hmhc_unavailable',
  'unit_unreachable',
  'overloaded',
] as const

/** Control of devices: one by one, or many in one call. */
export const control = {
  'devices.control': endpoint('POST', '/v1/devices/{id}/control', {
    summary: 'Perform one operation; the answer carries the state that the unit confirmed',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3',
    subject: 'thing',
    body: ControlBody,
    answer: z.looseObject({ device: idOf('the device'), state: State.optional(), run: SceneRun.optional() }),
    errors: CONTROL_ERRORS,
  }),
  'control.batch': endpoint('POST', '/v1/control', {
    summary: 'Control many devices, or those of a room or floor; one result for each, in the order asked',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3; docs/api.md',
    body: z.unknown().meta(CONTROL_MANY),
    answer: z.looseObject({ results: z.array(ControlResult) }),
    errors: ['not_found'],
  }),
} as const
