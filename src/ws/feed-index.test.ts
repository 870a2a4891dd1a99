import { expect, test, vi } from 'vitest'
import { CoreDb } from '../db/core/core-db.ts'
import { SqliteIntegrations } from '../db/core/integration-store.ts'
import type { StreamHome } from '#support/homes/stream-home.ts'
import { openStreamHome } from '#support/homes/open-stream-home.ts'

const LAMP_ON = { on: true, bri: 30, mode: 'manual' } as const
const CELLAR = { expose: 'Selected', picks: [{ kind: 'unit', id: 'cellar' }] } as const

async function listener(home: StreamHome) {
  const integration = home.integration(CELLAR)
  const client = await home.connect(home.token(integration))
  await client.subscribe('*')
  return { integration, client }
}

test('an event is looked up for the integrations that see its thing, and for no other', async () => {
  const { home, integration, client } = await openStreamHome()
  await client.subscribe('*')
  for (let count = 0; count < 5; count += 1) await listener(home)
  home.state('lamp', LAMP_ON)
  await client.settled()
  const looked = vi.spyOn(home.access.integrations, 'get')
  home.state('lamp', { ...LAMP_ON, bri: 31 })
  await client.until(() => client.events.length === 2)
  expect(new Set(looked.mock.calls.map(([id]) => id))).toEqual(new Set([integration.id]))
})

test('what another process shows to an integration is there at the next event', async () => {
  const { home } = await openStreamHome()
  const { integration, client } = await listener(home)
  home.state('lamp', LAMP_ON)
  await client.settled()
  const elsewhere = new CoreDb(home.file)
  elsewhere.change(() => new SqliteIntegrations(elsewhere).update({ ...integration, exposure: { expose: 'All' } }))
  elsewhere.close()
  home.state('lamp', { ...LAMP_ON, bri: 31 })
  await client.settled()
  expect(client.events.filter(({ event }) => event === 'state')).toMatchObject([
    { device: home.id(integration, 'lamp'), state: { bri: 31 } },
  ])
})
