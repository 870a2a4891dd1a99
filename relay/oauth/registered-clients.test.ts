import type { AdapterPayload } from 'oidc-provider'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { SqliteStore } from '../store/sqlite-store.ts'
import { hashedId } from '../store/table.ts'
import { type ClientMetadata, supportedMetadata } from './client-metadata.ts'
import { RegisteredClients } from './registered-clients.ts'

const REDIRECT = 'https://agents.example/callback'

function withStore() {
  const clock = new ManualClock(1_800_000_000_000)
  const store = new SqliteStore(':memory:', clock)
  const clients = new RegisteredClients({ store, clock, random: systemRandom, waitToRegister: () => 0 })
  return { clock, store, clients }
}

const metadataOf = (sent: object) =>
  supportedMetadata({ redirect_uris: [REDIRECT], ...sent }) as AdapterPayload & ClientMetadata

test('stored clients of earlier versions keep their own ids and secrets', async () => {
  const { store, clients } = withStore()
  const confidential = { client_id: 'V1StGXR8_Z5jdHi6B-myT', client_secret: 'stored', redirect_uris: [REDIRECT] }
  const open = { client_id: 'an-id', token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] }
  await store.create('registrations', hashedId(`client ${open.client_id}`), open)
  await store.create('clients', hashedId(`client ${confidential.client_id}`), { client: confidential, at: 1 })
  expect(await clients.find(open.client_id)).toEqual(open)
  expect(await clients.find(confidential.client_id)).toEqual(confidential)
})

test('an id with an added or missing part is unknown', async () => {
  const { clients } = withStore()
  const [open, secret] = [metadataOf({}), metadataOf({ token_endpoint_auth_method: 'client_secret_basic' })]
  const [openId, secretId] = [clients.idOf(open), clients.idOf(secret)]
  for (const [id, metadata] of [
    [openId, open],
    [secretId, secret],
  ] as const)
    await clients.upsert(id, { ...metadata })
  expect(await clients.find(openId)).toMatchObject({ client_id: openId })
  expect(await clients.find(secretId)).toMatchObject({ client_secret: await clients.secretOf(secretId) })
  const [base] = secretId.split('.')
  expect(await clients.find(base!)).toBeUndefined()
  expect(await clients.find(`${openId}.${'a'.repeat(22)}`)).toBeUndefined()
  const other = await clients.find(`${base}.${'a'.repeat(22)}`)
  expect(other?.client_secret).not.toBe(await clients.secretOf(secretId))
})

test('a registration is renewed only after half of its lifetime', async () => {
  const { clock, store, clients } = withStore()
  const metadata = metadataOf({})
  const [id, key] = [clients.idOf(metadata), hashedId(`client ${clients.idOf(metadata)}`)]
  const revision = async () => {
    await clients.upsert(id, { ...metadata })
    return (await store.get('registrations', key))!.revision
  }
  const first = await revision()
  clock.advance(11 * 3_600_000)
  expect(await revision()).toBe(first)
  clock.advance(3_600_000)
  expect(await revision()).toBeGreaterThan(first)
})
