import { describe } from 'vitest'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { busContract } from '#support/relay/bus-contract.ts'
import { natsLink, natsServer } from '#support/relay/nats-links.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { NatsBus } from './nats-bus.ts'

describe.skipIf(!HAS_NATS)('what nodes say over NATS (needs nats-server)', () => {
  busContract('NATS', async () => {
    const nats = await natsServer()
    const links = [await natsLink(nats), await natsLink(nats), await natsLink(nats)] as const
    const [one, two, three] = links
    const each = (change: 'onLoss' | 'onReturn') =>
      Promise.all(links.map((link) => new Promise<void>((resolve) => link[change](resolve))))
    return {
      buses: [new NatsBus(one, silentLog), new NatsBus(two, silentLog), new NatsBus(three, silentLog)],
      away: async () => {
        const lost = each('onLoss')
        await nats.kill()
        await lost
      },
      back: async () => {
        const returned = each('onReturn')
        await nats.start()
        await returned
      },
    }
  })
})
