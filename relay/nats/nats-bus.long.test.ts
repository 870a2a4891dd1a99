// @module-tag long
import { describe } from 'vitest'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { busContract } from '#support/relay/bus-contract.ts'
import { natsLink, natsServer } from '#support/relay/nats-links.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { NatsBus } from './nats-bus.ts'

describe.skipIf(!HAS_NATS)('messages between nodes over NATS (needs nats-server)', () => {
  busContract('NATS', async () => {
    const nats = await natsServer()
    const links = [await natsLink(nats), await natsLink(nats), await natsLink(nats)] as const
    const [one, two, three] = links
    const atAll = (event: 'onDisconnect' | 'onReconnect') =>
      Promise.all(links.map((link) => new Promise<void>((resolve) => link[event](resolve))))
    return {
      buses: [new NatsBus(one, silentLog), new NatsBus(two, silentLog), new NatsBus(three, silentLog)],
      disconnect: async () => {
        const disconnected = atAll('onDisconnect')
        await nats.kill()
        await disconnected
      },
      reconnect: async () => {
        const reconnected = atAll('onReconnect')
        await nats.start()
        await reconnected
      },
    }
  })
})
