import { z } from 'zod'
import { epochMs, Name, text, whether, listOf } from '../../api/contract/fields.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { LocalId, LocalParams } from './shapes.ts'
import { looseObject } from '../../lib/late-object.ts'

/** States, users and viewers of devices. */
export const devices = {
  'devices.states': endpoint('GET', '/admin/v1/states', {
    summary: 'The start of each device’s present state',
    answer: looseObject(() => ({
      at: epochMs('Time of the response.'),
      states: listOf('A device with a state.', () => ({
        device: LocalId,
        since: epochMs('Time of the first confirmation of its present state.'),
        exact: whether(
          'True if the state began at that time. False: it may have begun earlier, because no previous state is known.',
        ),
      })).describe('One entry for each device with a state.'),
    })),
  }),
  'devices.show': endpoint('GET', '/admin/v1/devices/{id}', {
    summary: 'The uses and viewers of a device',
    params: LocalParams,
    answer: looseObject(() => ({
      device: LocalId,
      name: Name,
      usedBy: listOf('A scene, rule or group that names the device.', () => ({
        kind: z.enum(['scene', 'automation', 'schedule', 'group']).describe('Kind of the user.'),
        id: LocalId,
        name: Name,
        next: epochMs('Time of its next scheduled run, or null.').nullable(),
        enabled: whether('False for a rule that is off.'),
        until: epochMs('End of a temporary switch of a rule, or null.').nullable(),
      })).describe('Scenes, automations, schedules and named groups that name it.'),
      seenBy: listOf('An integration that shows the device.', () => ({
        id: text('The id of the integration.'),
        name: text('Name of the integration.'),
        enabled: whether('False: its requests are refused.'),
      })).describe('Integrations that it is exposed to.'),
    })),
    errors: ['not_found'],
  }),
} as const
