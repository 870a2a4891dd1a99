import { z } from 'zod'
import type { contract } from '../../api/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import type { Fields, McpCaller } from './caller.ts'
import { tool, Id } from './tool.ts'

export const STATE_IDS_MAX = 50
/** So many are asked for by a request each. */
export const ONE_BY_ONE_MAX = 8

type Device =
  | AnswerOf<(typeof contract)['devices.get']>['device']
  | AnswerOf<(typeof contract)['state.get']>['devices'][number]

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
  run: ({ ids }, { caller }) => (ids.length > ONE_BY_ONE_MAX ? ofAll(caller, ids) : oneByOne(caller, ids)),
})

/** A home has thousands of devices, of which somebody asks for a few. */
async function oneByOne(caller: McpCaller, ids: readonly string[]): Promise<Fields> {
  let house = ''
  const devices: Fields[] = []
  for (const [index, id] of ids.entries()) {
    const answer = await caller.naming({ id: `ids[${index}]` }).ask('devices.get', { id })
    house = answer.house
    devices.push(entryOf(answer.device))
  }
  return { house, devices }
}

/** Many count as one request. */
async function ofAll(caller: McpCaller, ids: readonly string[]): Promise<Fields> {
  const { house, devices: all } = await caller.ask('state.get')
  const known = new Map(all.map((device) => [device.id, device]))
  const devices: Fields[] = []
  for (const [index, id] of ids.entries()) {
    const named = caller.naming({ id: `ids[${index}]` })
    devices.push(entryOf(known.get(id) ?? (await named.ask('devices.get', { id })).device))
  }
  return { house, devices }
}

/** A device as `GET /v1/state` lists it; a module or scene, which is not listed there, as it is. */
function entryOf(device: Device): Fields {
  const { id, name, class: its } = device
  const confirmed = 'state' in device ? device.state : undefined
  if (confirmed === null) return { id, name, class: its, state: null }
  if (confirmed === undefined || !('asOf' in confirmed)) return device
  const { asOf, ...state } = confirmed
  // How old it is comes first.
  return { id, name, class: its, state: { asOf, ...state } }
}

/** A unit, module, gang or scene with the home's name, for clients that attach it. */
export async function deviceInShort(caller: McpCaller, id: string): Promise<Fields> {
  const { house, device } = await caller.ask('devices.get', { id })
  return { house, ...device }
}
