import { describe, expect, onTestFinished, vi } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { gatewayAt, startLinked } from '#support/relay/gateway-at.ts'
import { TestRelay } from '#support/relay/test-relay.ts'

describe('two gateways with one key', () => {
  proves(
    'relay.same-key',
    'each find out that there is another, by the tunnel that takes the place of theirs',
    async () => {
      const relay = await TestRelay.open()
      onTestFinished(() => relay[Symbol.asyncDispose]())
      const [own, thief] = [gatewayAt(relay), gatewayAt(relay)]
      await startLinked(relay, own)
      let isUsurped = false
      void own.usurped.then(() => (isUsurped = true))
      // Its own next tunnel is none of another's.
      const replaced = vi.spyOn(own.link, 'replaced')
      await own.link.passthrough('on')
      while (replaced.mock.calls.length === 0) await new Promise(setImmediate)
      await new Promise(setImmediate)
      expect(isUsurped).toBe(false)
      thief.link.start()
      await own.usurped
      await own.link.passthrough('off')
      await thief.usurped
    },
  )
})
