import { z } from 'zod'
import { OPERATIONS } from '../../home/model/device.ts'
import { endpoint } from '../endpoint.ts'
import { needs } from './knobs.ts'
import { GangDevice, PlainName, SceneDevice, State, Unit } from './shapes.ts'

/** Renaming takes a name and nothing else; any other field asks for more structure than is offered (Spec 4 rule 7). */
export const Rename = z.looseObject({ name: PlainName.optional() }).meta({ id: 'Rename' })

export const ControlBody = z
  .strictObject({
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
  })
  .meta({ id: 'Control', description: 'One operation of the device, with its arguments (see docs/api.md).' })

/** Devices and rooms: read one, rename it, move it. */
export const devices = {
  'devices.get': endpoint('GET', '/v1/devices/{id}', {
    summary: 'One unit, module, gang or scene',
    spec: '4; docs/devices.md',
    subject: 'thing',
    answer: z.looseObject({ device: z.union([Unit, GangDevice, SceneDevice]) }),
  }),
  'devices.rename': endpoint('PATCH', '/v1/devices/{id}', {
    summary: 'Rename an exposed unit or gang',
    spec: '4.rule7',
    subject: 'thing',
    gate: needs.structural,
    body: Rename,
    answer: z.looseObject({ device: z.looseObject({ id: z.string(), name: z.string() }) }),
  }),
  'devices.control': endpoint('POST', '/v1/devices/{id}/control', {
    summary: 'Perform one operation; the answer carries the state that the unit confirmed',
    spec: '2.4, 4.rule1, 4.rule2, 4.rule3',
    subject: 'thing',
    body: ControlBody,
    answer: z.looseObject({
      device: z.string(),
      state: State.optional(),
      run: z.looseObject({ runId: z.string() }).optional().meta({ description: 'For a scene, instead of `state`.' }),
    }),
    errors: [
      'unlock_not_allowed',
      'confirmation_required',
      'rate_limited',
      'hmhc_unavailable',
      'unit_unreachable',
      'overloaded',
    ],
  }),
  'rooms.rename': endpoint('PATCH', '/v1/rooms/{id}', {
    summary: 'Rename an exposed room',
    spec: '4.rule7',
    subject: 'room',
    gate: needs.structural,
    body: Rename,
    answer: z.looseObject({ room: z.looseObject({ id: z.string(), name: z.string() }) }),
  }),
} as const
