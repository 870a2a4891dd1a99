import { describe, expect } from 'vitest'
import type { StreamMessage } from '#support/gateway/callers.ts'
import { TestHome, verifies, verifiesAlone } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

/** Switches a light and returns its new state. */
async function toggle(home: TestHome, local: string): Promise<boolean> {
  const { device } = (await home.get(home.at(local))) as { device: { state: { on: boolean } } }
  const on = !device.state.on
  expect(
    (await home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } }))
      .status,
  ).toBe(200)
  return on
}

const seqOf = (message: StreamMessage): number => (message['seq'] ?? (message['body'] as { seq: number }).seq) as number
const deviceAndState = (event: StreamMessage): unknown => [event['device'], (event['state'] as { on: boolean }).on]

describe('seq and since', () => {
  verifies(
    ['stream.seq'],
    'every event has an increasing seq; since brings missed events, in order, once, after the answer',
    { tags: ['long'] },
    async (home) => {
      // Devices without spontaneous reports, unlike meters or lights with a timer.
      const expose = ['unit:guest-light', 'unit:study-light']
      const integration = await home.integrate({ expose })
      const first = await home.socket(integration.token)
      await first.subscribe(['state'])
      await toggle(home, 'guest-light')
      const last = await first.event(() => true)
      first.close()
      await first.ended

      const missed: [string, boolean][] = []
      for (const local of ['study-light', 'guest-light', 'study-light', 'guest-light'])
        missed.push([home.id(local, integration), await toggle(home, local)])
      const second = await home.socket(integration.token)
      let eventsBefore = 0
      second.socket.once('message', () => {
        eventsBefore = second.events.length
      })
      const answer = await second.subscribe(['state'], seqOf(last))
      expect(answer['body']).toEqual({ house: 'Sonnenwinkel', subscribed: ['state'], seq: seqOf(last) + 4, gap: false })
      expect(eventsBefore).toBe(0)
      await second.ask('s', { id: 's', method: 'GET', path: '/v1/about' })
      expect(second.events.map(deviceAndState)).toEqual(missed)
      expect(second.events.map(seqOf)).toEqual([1, 2, 3, 4].map((more) => seqOf(last) + more))
      // The numbers continue from there.
      const on = await toggle(home, 'guest-light')
      expect(await second.event((event) => seqOf(event) === seqOf(last) + 5)).toMatchObject({
        device: home.id('guest-light', integration),
        state: { on },
      })
      second.close()
    },
  )

  verifies(['stream.seq'], 'since with the number of a subscription’s answer misses no event', async (home) => {
    const socket = await home.socket()
    const seq = seqOf(await socket.subscribe(['state']))
    const expected = [home.id('study-light'), await toggle(home, 'study-light')]
    socket.close()
    const again = await home.socket()
    expect((await again.subscribe([`device:${home.id('study-light')}`], seq))['body']).toMatchObject({ gap: false })
    await again.ask('s', { id: 's', method: 'GET', path: '/v1/about' })
    expect(again.events.map(deviceAndState)).toEqual([expected])
    again.close()
  })

  verifies(['stream.seq', '6.2.hidden'], 'missed events include only things that are visible now', async (home) => {
    const integration = await home.integrate({ expose: ['room:hall', 'room:study'] })
    const socket = await home.socket(integration.token)
    const seq = seqOf(await socket.subscribe(['state']))
    const on = await toggle(home, 'hall-light')
    await toggle(home, 'study-light')
    socket.close()
    await home.change(integration, { expose: ['room:hall'] })
    const again = await home.socket(integration.token)
    expect((await again.subscribe(['state'], seq))['status']).toBe(200)
    await again.ask('s', { id: 's', method: 'GET', path: '/v1/about' })
    expect(again.events.map(deviceAndState)).toEqual([[home.id('hall-light', integration), on]])
    again.close()
  })

  verifies(['stream.gap'], 'a number that is too old, or was never used, is a gap', async (home) => {
    const socket = await home.socket()
    const seq = seqOf(await socket.subscribe(['state']))
    for (const since of [0, 1, seq + 1, seq + 1_000_000, Number.MAX_SAFE_INTEGER]) {
      expect([since, (await socket.subscribe(['state'], since))['body']]).toEqual([
        since,
        { house: 'Sonnenwinkel', subscribed: ['state'], seq, gap: true },
      ])
    }
    expect((await socket.subscribe(['state'], seq))['body']).toMatchObject({ gap: false })
    socket.close()
  })
})

describe('after a restart', () => {
  const verifies = verifiesAlone()

  verifies(
    ['stream.gap', 'stream.seq'],
    'a number from before is a gap, and the new ones are larger',
    { tags: ['long'] },
    async (home) => {
      const socket = await home.socket()
      const seq = seqOf(await socket.subscribe(['state']))
      await toggle(home, 'hall-light')
      const last = await socket.event(() => true)
      await home.running.stop()
      expect(await socket.ended).toBe(1001)
      const { dataDir, clock } = home.running
      await using again = await TestGateway.open({ dataDir, begins: clock.now() })
      await using restarted = await TestHome.at(home.transport, again, home.main)
      const after = await restarted.socket()
      const answer = await after.subscribe(['state'], seqOf(last))
      expect(answer['body']).toMatchObject({ gap: true })
      expect(seqOf(answer)).toBeGreaterThan(seqOf(last))
      expect(seqOf(last)).toBeGreaterThan(seq)
      after.close()
    },
  )
})
