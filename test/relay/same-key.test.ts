import type { ServerHttp2Stream } from 'node:http2'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { LineBetween } from '#support/relay/line-between.ts'
import { become, gatewayAt, startLinked } from '#support/relay/gateway-at.ts'
import { TestRelay } from '#support/relay/test-relay.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { madeUpToken } from '../../bench/made-up-home.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { respond } from '../../src/tunnel/stream-responses.ts'

test('a gateway that cannot read its key reports it, and works without a relay', async () => {
  const relay = await TestRelay.open()
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const { link } = gatewayAt(relay, { hasKey: false })
  link.start()
  while (link.status().trouble === null) await new Promise(setImmediate)
  expect(link.status()).toMatchObject({ state: 'connecting', trouble: 'no_key' })
})

describe('two gateways with one key', () => {
  proves('relay.same-key', 'each detect the other by the tunnel that replaces theirs', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [own, thief] = [gatewayAt(relay), gatewayAt(relay)]
    await startLinked(relay, own)
    let isRivalFound = false
    void own.foundRival.then(() => (isRivalFound = true))
    // The gateway's own next tunnel does not count as another's.
    const replaced = vi.spyOn(own.link, 'handleTakeover')
    await own.link.passthrough('on', () => {})
    while (replaced.mock.calls.length === 0) await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(isRivalFound).toBe(false)
    thief.link.start()
    await own.foundRival
    await own.link.passthrough('off', () => {})
    await thief.foundRival
  })

  proves('relay.clock-behind', 'are not reported by a gateway that returns with its clock behind', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const [line, folder] = [await LineBetween.to(relay.relay.port), tempFolder()]
    await startLinked(relay, gatewayAt(relay, { folder, port: line.port }))
    // Simulates a power cut: the relay keeps the connection until pings are lost.
    line.fallSilent()
    const clock = { ...systemClock, now: () => systemClock.now() - 600_000 }
    const api = { handle: (stream: ServerHttp2Stream) => void respond(stream, 204, {}, true), end: () => {} }
    const again = gatewayAt(relay, { folder, clock, api })
    let isRivalFound = false
    void again.foundRival.then(() => (isRivalFound = true))
    again.link.start()
    await become(again, 'linked')
    await relay.relay.tunnels.settled()
    const headers = { authorization: `Bearer ${madeUpToken(1)}` }
    expect(await rawRequest(relay.access(null), { path: '/v1/house', headers })).toMatchObject({ status: 204 })
    expect(isRivalFound).toBe(false)
    // The relay still waits for responses on the silent line.
    line.refuse()
    line.reset()
  })
})
