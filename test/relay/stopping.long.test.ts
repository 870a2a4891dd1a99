// @module-tag long
import { once } from 'node:events'
import { expect } from 'vitest'
import { freePort } from '#support/free-port.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { HAS_NATS, NatsServer } from '#support/relay/nats-server.ts'
import { RelayProcess } from '#support/relay/relay-process.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { tempFolder } from '#support/temp-folder.ts'

const relayOn = async (env: Readonly<Record<string, string>> = {}): Promise<RelayProcess> =>
  RelayProcess.start({ dataDir: tempFolder(), port: await freePort(), env })

/** Stops a relay and waits for its end. */
async function ends({ child }: RelayProcess): Promise<readonly [number | null, NodeJS.Signals | null]> {
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  child.kill('SIGTERM')
  return ended
}

if (HAS_NATS) {
  for (const fate of ['freeze', 'kill'] as const) {
    proves('relay.stop', `a relay with a gateway stops while NATS is down (${fate})`, async () => {
      await using nats = await NatsServer.start()
      await using relay = await relayOn({ HM_RELAY_NATS: nats.url, HM_RELAY_NATS_REPLICAS: '1' })
      await using gateway = await GatewayProcess.start({ dataDir: tempFolder() })
      await relay.link(gateway.admin)
      await nats[fate]()
      expect(await ends(relay)).toEqual([0, null])
    })
  }
}

proves('relay.stop', 'a relay stops even if its log is not read', async () => {
  await using relay = await relayOn()
  const { stderr } = relay.child
  stderr?.removeAllListeners('data').pause()
  const { fetch, agent } = trustingFetch(relay.ca)
  // More lines than a pipe holds.
  for (let round = 0; round < 40; round += 1)
    await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${relay.origin}/v1/house`)).text()))
  agent.destroy()
  expect(await ends(relay)).toEqual([null, 'SIGKILL'])
})
