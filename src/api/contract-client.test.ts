import { describe, expect, test } from 'vitest'
import { ContractClient, type ClientRequest } from './contract-client.ts'
import { contract } from './contract/index.ts'

function recording(): { client: ContractClient<typeof contract>; sent: ClientRequest[] } {
  const sent: ClientRequest[] = []
  const client = new ContractClient(contract, (request) => {
    sent.push(request)
    return Promise.resolve({})
  })
  return { client, sent }
}

describe('a call by name', () => {
  test('is sent with the method and path of the declaration, and any id is one segment', async () => {
    const { client, sent } = recording()
    await client.ask('house.get')
    await client.ask('intents.write', { id: 'g:i:a/../b?c', intent: 'half \ud800', body: { value: 1 } })
    expect(sent).toEqual([
      { method: 'GET', path: '/v1/house', query: {}, body: undefined },
      {
        method: 'PUT',
        path: '/v1/devices/g%3Ai%3Aa%2F..%2Fb%3Fc/intents/half%20%EF%BF%BD',
        query: {},
        body: { value: 1 },
      },
    ])
  })

  test('leaves out undefined fields in query and body', async () => {
    const { client, sent } = recording()
    await client.ask('activity.list', { query: { device: undefined, limit: '5' } })
    await client.ask('devices.control', { id: 'x', body: { op: 'open', args: undefined, code: undefined } })
    await client.relay('scenes.create', { body: { name: 'N', invented: true } })
    expect(sent.map(({ query, body }) => [query, body])).toStrictEqual([
      [{ limit: '5' }, undefined],
      [{}, { op: 'open' }],
      [{}, { name: 'N', invented: true }],
    ])
  })

  test('is refused if its sender is refused', async () => {
    const client = new ContractClient(contract, () => Promise.reject(new Error('refused')))
    await expect(client.ask('state.get')).rejects.toThrow('refused')
  })
})
