// @module-tag long
import { describe, expect, onTestFinished } from 'vitest'
import { KvStore } from '../../relay/nats/kv-store.ts'
import { NatsBus } from '../../relay/nats/nats-bus.ts'
import { NatsLink } from '../../relay/nats/connection.ts'
import { silentLog } from '../../src/lib/log.ts'
import { proves } from '#support/gateway/verifies.ts'
import { natsCluster } from '#support/relay/nats-cluster.ts'
import { HAS_NATS, NatsServer } from '#support/relay/nats-server.ts'

/** Connections, of which each tries the servers in an order of its own. */
const NODES = 6

/** Tries until it works: three servers need a moment to agree. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (tries > 200) throw error
    }
}

/** Servers tell each other a moment later who listens. */
function definite<T>(answer: T | null): T {
  if (answer === null) throw new Error('Nobody listens.')
  return answer
}

describe.skipIf(!HAS_NATS)('the example of three nodes (needs nats-server)', () => {
  proves('relay.nats-example', 'keeps everything on three servers, and goes on when one is gone', async () => {
    const { servers, creds } = await natsCluster()
    const settings = { servers: servers.map(({ url }) => url), creds, replicas: 3 }
    const link = await eventually(() => NatsLink.open({ settings, name: 'one', log: silentLog }))
    onTestFinished(() => link.close())
    const store = await eventually(() => KvStore.open(link, 3))
    expect(await store.create('accounts', 'anna', { name: 'Anna' })).not.toBeNull()
    // The permissions of a node are enough for the bus too.
    const other = await NatsLink.open({ settings, name: 'two', log: silentLog })
    onTestFinished(() => other.close())
    const [asking, listening] = [new NatsBus(link, silentLog), new NatsBus(other, silentLog)]
    listening.listen('hmr.v1.where.abc', { heard: () => ({ node: 'two' }) })
    await listening.settled()
    expect(await eventually(async () => definite(await asking.ask('hmr.v1.where.abc', {})))).toEqual({ node: 'two' })
    // The one that the node is connected to: it goes on at another.
    const at = servers.findIndex(({ url }) => url.endsWith(`:${new URL(`nats://${link.connection.getServer()}`).port}`))
    const returned = Promise.withResolvers<void>()
    link.onReturn(() => returned.resolve())
    await servers[at]!.kill()
    await returned.promise
    expect(await eventually(async () => (await store.get('accounts', 'anna'))?.value)).toEqual({ name: 'Anna' })
    expect(await eventually(() => store.create('accounts', 'olga', { name: 'Olga' }))).not.toBeNull()
    // Strangers are not let in.
    const stranger = { ...settings, servers: [servers[(at + 1) % 3]!.url], creds: null }
    await expect(NatsLink.open({ settings: stranger, name: 'stranger', log: silentLog })).rejects.toThrow(
      'NATS does not let this node in',
    )
  })

  proves('relay.nats-example', 'moves to a server that was away when the node started', async () => {
    await using late = await NatsServer.start()
    await using early = await NatsServer.start()
    await late.kill()
    const settings = { servers: [late.url, early.url], creds: null, replicas: 1 }
    const links = await Promise.all(
      Array.from({ length: NODES }, (_, node) => NatsLink.open({ settings, name: `${node}`, log: silentLog })),
    )
    const returns = links.map((link) => new Promise<void>((resolve) => link.onReturn(resolve)))
    try {
      await late.start()
      await early.kill()
      await Promise.all(returns)
    } finally {
      await Promise.all(links.map((link) => link.close()))
    }
  })
})
