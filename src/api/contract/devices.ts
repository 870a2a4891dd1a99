import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, Name, shape } from './fields.ts'
import { needs } from './knobs.ts'
import { GangDevice, PlainName, SceneDevice, Unit } from './shapes.ts'
import { looseObject } from '../../lib/late-object.ts'

/**
 * Renaming takes a name and nothing else; other fields would change structure, which the API does not offer (Spec 4
 * rule 7).
 */
export const Rename = looseObject(() => ({ name: PlainName.optional() })).meta({
  id: 'Rename',
  description: 'A new name, and nothing else.',
  required: ['name'],
})

/** Endpoints for devices and rooms. */
export const devices = {
  'devices.get': endpoint('GET', '/v1/devices/{id}', {
    summary: 'One unit, module, gang or scene',
    spec: '4; docs/devices.md',
    subject: 'thing',
    answer: looseObject(() => ({
      device: z
        .union([SceneDevice, GangDevice, Unit])
        .meta({ id: 'Device', description: 'A unit, a module, a gang or a scene.' }),
    })),
  }),
  'devices.rename': endpoint('PATCH', '/v1/devices/{id}', {
    configures: true,
    summary: 'Rename an exposed unit or gang',
    spec: '4.rule7',
    subject: 'thing',
    gate: needs.structural,
    body: Rename,
    answer: looseObject(() => ({
      device: shape('The device with its new name.', () => ({ id: idOf('the device'), name: Name })),
    })),
  }),
  'rooms.rename': endpoint('PATCH', '/v1/rooms/{id}', {
    configures: true,
    summary: 'Rename an exposed room',
    spec: '4.rule7',
    subject: 'room',
    gate: needs.structural,
    body: Rename,
    answer: looseObject(() => ({
      room: shape('The room with its new name.', () => ({ id: idOf('the room'), name: Name })),
    })),
  }),
} as const
