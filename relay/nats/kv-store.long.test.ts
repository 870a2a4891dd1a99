// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { describe, expect, test } from 'vitest'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { natsLink, natsServer } from '#support/relay/nats-links.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { type LimitedTable, storeContract } from '#support/relay/store-contract.ts'
import { SettingsError } from '../model/relay-settings.ts'
import { StoreUnavailable, TABLES } from '../store/store.ts'
import { NatsLink } from './connection.ts'
import { KvStore } from './kv-store.ts'

/**
 * Short lifetimes, because NATS uses its own clock. A session is read after 60 % of its lifetime; the rest is reserve
 * for a busy machine.
 */
const SHORT = { ...TABLES, flows: 500, sessions: 12_000 }

describe.skipIf(!HAS_NATS)('the store of several nodes (needs nats-server)', () => {
  storeContract('JetStream', async () => {
    const nats = await natsServer()
    const [one, two] = [await natsLink(nats), await natsLink(nats)]
    const [store, other] = [await KvStore.open(one, 1, SHORT), await KvStore.open(two, 1, SHORT)]
    const { streams } = await jetstreamManager(one.connection)
    const pass = async (table: LimitedTable, part: number): Promise<void> => {
      await wait(SHORT[table] * part)
      if (part < 1) return
      // NATS removes expired entries when it has time.
      while ((await streams.info(`KV_hm-relay-${table}`)).state.messages > 0) await wait(20)
    }
    return { store, other, pass }
  })

  test('a deletion in a table without expiry removes the id too, and a new entry of that id stays', async () => {
    const link = await natsLink(await natsServer())
    const store = await KvStore.open(link, 1)
    const { streams } = await jetstreamManager(link.connection)
    const messages = async (): Promise<number> => (await streams.info('KV_hm-relay-accounts')).state.messages
    const revision = (await store.create('accounts', 'one', 1))!
    expect(await store.delete('accounts', 'one', revision)).toBe(true)
    expect(await messages()).toBe(0)
    expect(await store.replace('accounts', 'one', 2, revision)).toBeNull()
    expect(await store.create('accounts', 'one', 3)).toBeGreaterThan(revision)
    expect([await messages(), (await store.get('accounts', 'one'))?.value]).toEqual([1, 3])
  })

  test('is unavailable while NATS is down, and has all data after NATS restarts', { tags: ['long'] }, async () => {
    const nats = await natsServer()
    const link = await natsLink(nats)
    const store = await KvStore.open(link, 1)
    const revision = await store.create('accounts', 'one', { email: 'a@example.org' })
    const reconnected = new Promise<void>((resolve) => link.onReconnect(resolve))
    const disconnected = new Promise<void>((resolve) => link.onDisconnect(resolve))
    await nats.kill()
    await disconnected
    await expect(store.get('accounts', 'one')).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(store.create('accounts', 'two', 2)).rejects.toBeInstanceOf(StoreUnavailable)
    await nats.start()
    await reconnected
    expect(await store.get('accounts', 'one')).toEqual({ value: { email: 'a@example.org' }, revision })
    expect(await store.get('accounts', 'two')).toBeNull()
  })

  test('a bucket that is less safe than the settings require is refused, with advice', async () => {
    const nats = await natsServer()
    const link = await natsLink(nats)
    await expect(KvStore.open(link, 3)).rejects.toThrow('Make it a cluster')
    const manager = await jetstreamManager(link.connection)
    await manager.streams.add({
      name: 'KV_hm-relay-accounts',
      subjects: ['$KV.hm-relay-accounts.>'],
      max_msgs_per_subject: 1,
    })
    await expect(KvStore.open(link, 3)).rejects.toThrow('set HM_RELAY_NATS_REPLICAS=1')
    await manager.streams.add({
      name: 'KV_hm-relay-flows',
      subjects: ['$KV.hm-relay-flows.>'],
      max_msgs_per_subject: 1,
    })
    await expect(KvStore.open(link, 1)).rejects.toThrow('run the same version')
  })

  test('the operator learns of a missing server and of a missing credentials file', async () => {
    const stopped = await natsServer()
    await stopped.kill()
    await expect(natsLink(stopped)).rejects.toThrow(SettingsError)
    const settings = { servers: [stopped.url], creds: '/nowhere/relay.creds', replicas: 1 }
    await expect(NatsLink.open({ settings, name: 'test', log: silentLog })).rejects.toThrow('HM_RELAY_NATS_CREDS')
  })
})
