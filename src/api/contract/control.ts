import { z } from 'zod'
import { OPERATIONS } from '../../home/model/device.ts'
import { endpoint } from '../endpoint.ts'
import { DEVICE_CLASSES_WITH_STATE } from './classes.ts'
import { ErrorShape } from './error-shape.ts'
import { Id, State } from './shapes.ts'

/** Devices that one call may control. */
export const CONTROLS_MAX = 100

const operation = {
  op: z.enum([...OPERATIONS, 'run']),
  args: z.unknown().optional(),
  code: z
    .string()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .optional()
    .meta({
      description:
        'For an agent that opens a lock or gate: the code which only administrators are shown, entered by a person. Others need none.',
    }),
}

const ControlBody = z
  .strictObject(operation)
  .meta({ id: 'Control', description: 'One operation of the device, with its arguments (see docs/api.md).' })

const OneOfMany = z
  .strictObject({ device: Id.meta({ description: 'The id of a unit, gang or scene.' }), ...operation })
  .meta({ id: 'DeviceControl', description: 'One operation of one device.' })

/** One operation for whatever takes it in a room or on a floor. */
const inPlace = {
  class: z.enum(DEVICE_CLASSES_WITH_STATE).optional().meta({
    description:
      'Only devices of this class. Without it, all that take the operation but locks and gates, which only their class names.',
  }),
  op: z.enum(OPERATIONS),
  args: z.unknown().optional(),
}

const ControlManyBody = z.union([
  z
    .strictObject({ room: Id, ...inPlace })
    .meta({ id: 'ControlRoom', description: 'One operation for the devices of a room.' }),
  z
    .strictObject({ floor: Id, ...inPlace })
    .meta({ id: 'ControlFloor', description: 'One operation for the devices of a floor.' }),
  z
    .strictObject({
      controls: z.array(OneOfMany).min(1).max(CONTROLS_MAX).meta({
        description: 'What to do; operations of the same device are performed in this order.',
      }),
    })
    .meta({ id: 'ControlList', description: 'One operation for each of some devices.' }),
])

const Run = z.looseObject({ runId: z.string() }).optional().meta({ description: 'For a scene, instead of `state`.' })

const ControlResult = z
  .looseObject({
    device: z.string().meta({ description: 'The id as it was sent.' }),
    state: State.optional(),
    run: Run,
    error: ErrorShape.shape.error
      .optional()
      .meta({ description: 'Instead of `state`: why this device was not controlled, as the Error shape has it.' }),
  })
  .meta({ id: 'ControlResult', description: 'What became of one operation.' })

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
    answer: z.looseObject({ device: z.string(), state: State.optional(), run: Run }),
    errors: CONTROL_ERRORS,
  }),
  'control.batch': endpoint('POST', '/v1/control', {
    summary: 'Control many devices, or those of a room or floor; one result for each, in the order asked',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3; docs/api.md',
    body: ControlManyBody,
    answer: z.looseObject({ results: z.array(ControlResult) }),
    errors: ['not_found'],
  }),
} as const
