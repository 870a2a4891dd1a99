import { z } from 'zod'
import { contract } from '../../api/contract/index.ts'
import type { Fields, McpCaller } from '../caller.ts'
import { tool } from '../tool.ts'
import { Id } from './shapes.ts'

export const STATE_IDS_MAX = 50

/** The state of a few devices (Spec 2.6, 4). */
export const state = tool('state', {
  title: 'State of devices',
  description:
    'What the named devices last confirmed, and when (asOf): units, gangs, modules or scenes by id. state is null before the unit was heard. To find devices, or the states of a whole room, use house.',
  reads: true,
  input: z.strictObject({ ids: z.array(Id).min(1).max(STATE_IDS_MAX).meta({ description: 'Ids of devices.' }) }),
  output: z.looseObject({
    house: z.string(),
    devices: z.array(z.looseObject({ id: z.string(), name: z.string(), class: z.string() })),
  }),
  run: async ({ ids }, { caller }) => {
    const all = await caller.ask('state.get')
    // Parsed, so that `asOf` comes first in every state, as it is declared.
    const known = new Map(contract['state.get'].answer.parse(all).devices.map((device) => [device.id, device]))
    const devices: unknown[] = []
    for (const id of ids) devices.push(known.get(id) ?? (await deviceOf(caller, id)))
    return { house: all.house, devices }
  },
})

/** A unit, module, gang or scene, as `GET /v1/devices/{id}` answers it. */
export async function deviceOf(caller: McpCaller, id: string): Promise<Fields> {
  return (await caller.ask('devices.get', { id })).device
}
