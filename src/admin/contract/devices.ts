import { z } from 'zod'
import { epochMs, Name, text, whether, listOf } from '../../api/contract/fields.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { LocalId, LocalParams } from './shapes.ts'

/** States, users and viewers of devices. */
export const devices = {
  'devices.states': endpoint('GET', '/admin/v1/states', {
    summary: 'Since when each device is in its state',
    answer: z.looseObject({
      at: epochMs('When this was so.'),
      states: listOf('A device that has told its state.', {
        device: LocalId,
        since: epochMs('When it was first confirmed in the state that it has now.'),
        exact: whether('Whether the state began then. False: the gateway knows of no state before, it began earlier.'),
      }).describe('One entry for each device with a state.'),
    }),
  }),
  'devices.show': endpoint('GET', '/admin/v1/devices/{id}', {
    summary: 'What uses a device, and who sees it',
    params: LocalParams,
    answer: z.looseObject({
      device: LocalId,
      name: Name,
      usedBy: listOf('A scene or rule that names the device.', {
        kind: z.enum(['scene', 'automation', 'schedule']).describe('What it is.'),
        id: LocalId,
        name: Name,
        next: epochMs('When the clock sets it off next, or null.').nullable(),
      }).describe('Scenes, automations and schedules that name it.'),
      seenBy: listOf('An integration that shows the device.', {
        id: text('The id of the integration.'),
        name: text('What it is called.'),
        enabled: whether('False: nobody comes in by it now.'),
      }).describe('Integrations that it is exposed to.'),
    }),
    errors: ['not_found'],
  }),
} as const
