// @module-tag long
import { describe, expect, onTestFinished } from 'vitest'
import { KvStore } from '../../relay/nats/kv-store.ts'
import { NatsBus } from '../../relay/nats/nats-bus.ts'
import { NatsLink } from '../../relay/nats/connection.ts'
import { silentLog } from '../../src/lib/log.ts'
import { proves } from '#support/gateway/verifies.ts'
import { natsCluster } from '#support/relay/nats-cluster.ts'
import { HAS_NATS, NatsServer } from '#support/relay/nats-server.ts'

/** Each connection tries the servers in a random order. */
const NODES = 6

/** Repeats the work until it succeeds, because three servers need a moment to agree. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (tries > 200) throw error
    }
}

/** Servers exchange subscriptions with a delay. */
function definite<T>(reply: T | null): T {
  if (reply === null) throw new Error('There is no subscriber yet.')
  return reply
}

describe.skipIf(!HAS_NATS)('the example of three nodes (needs nats-server)', () => {
  proves('relay.nats-example', 'stores everything on three servers, and works after the loss of one', async () => {
    const { servers, creds } = await natsCluster()
    const settings = { servers: servers.map(({ url }) => url), creds, replicas: 3 }
    const link = await eventually(() => NatsLink.open({ settings, name: 'one', log: silentLog }))
    onTestFinished(() => link.close())
    const store = await eventually(() => KvStore.open(link, 3))
    expect(await store.create('accounts', 'anna', { name: 'Anna' })).not.toBeNull()
    // A node's permissions suffice for the bus too.
    const other = await NatsLink.open({ settings, name: 'two', log: silentLog })
    onTestFinished(() => other.close())
    const [requester, subscriber] = [new NatsBus(link, silentLog), new NatsBus(other, silentLog)]
    subscriber.subscribe('hmr.v1.where.abc', () => ({ node: 'two' }))
    await subscriber.settled()
    const reply = await eventually(async () => definite(await requester.request('hmr.v1.where.abc', {})))
    expect(reply).toEqual({ node: 'two' })
    // The test kills the server of this node's connection.
    const at = servers.findIndex(({ url }) => url.endsWith(`:${new URL(`nats://${link.connection.getServer()}`).port}`))
    const reconnected = Promise.withResolvers<void>()
    link.onReconnect(() => reconnected.resolve())
    await servers[at]!.kill()
    await reconnected.promise
    expect(await eventually(async () => (await store.get('accounts', 'anna'))?.value)).toEqual({ name: 'Anna' })
    expect(await eventually(() => store.create('accounts', 'olga', { name: 'Olga' }))).not.toBeNull()
    // A client without credentials is refused.
    const stranger = { ...settings, servers: [servers[(at + 1) % 3]!.url], creds: null }
    await expect(NatsLink.open({ settings: stranger, name: 'stranger', log: silentLog })).rejects.toThrow(
      'refuses this node',
    )
  })

  proves('relay.nats-example', 'moves to a server that was down when the node started', async () => {
    await using late = await NatsServer.start()
    await using early = await NatsServer.start()
    await late.kill()
    const settings = { servers: [late.url, early.url], creds: null, replicas: 1 }
    const links = await Promise.all(
      Array.from({ length: NODES }, (_, node) => NatsLink.open({ settings, name: `${node}`, log: silentLog })),
    )
    const reconnected = links.map((link) => new Promise<void>((resolve) => link.onReconnect(resolve)))
    try {
      await late.start()
      await early.kill()
      await Promise.all(reconnected)
    } finally {
      await Promise.all(links.map((link) => link.close()))
    }
  })
})
