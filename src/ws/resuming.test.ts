import { describe, expect, test } from 'vitest'
import { RING_EVENTS } from './integration-feed.ts'
import { TOUCH_FRESH_MS } from './stream-event.ts'
import { RESUME_MS } from './stream-server.ts'
import { proves } from '#support/gateway/verifies.ts'
import { openStreamHome } from '#support/homes/open-stream-home.ts'

const LAMP_ON = { on: true, bri: 30, mode: 'manual' } as const
const ON = { on: true, mode: 'manual' } as const
const OFF = { on: false, mode: 'manual' } as const

describe('resuming', () => {
  test('sends the missed events once, in order, after the answer', async () => {
    const { home, client, token } = await openStreamHome()
    await client.subscribe('*')
    home.state('lamp', LAMP_ON)
    await client.settled()
    const { seq } = client.events[0]!
    client.socket.close()
    await client.ended()
    home.state('lamp', { ...LAMP_ON, bri: 40 })
    home.readings('air', { light: 5 })
    home.state('lamp', { ...LAMP_ON, bri: 50 })
    const again = await home.connect(token)
    const answer = await again.ask({ subscribe: ['state'], since: seq })
    expect(answer.body).toEqual({ house: 'Seeheim', subscribed: ['state'], seq: seq + 3, gap: false })
    home.state('lamp', { ...LAMP_ON, bri: 60 })
    await again.settled()
    expect(again.events.map((event) => [event.seq, event.state?.bri])).toEqual([
      [seq + 1, 40],
      [seq + 3, 50],
      [seq + 4, 60],
    ])
    expect(again.texts.findIndex((text) => text.includes('"subscribed"'))).toBeLessThan(
      again.texts.findIndex((text) => text.includes('"event"')),
    )
  })

  test('from the number in the answer to a subscription misses no event', async () => {
    const { home, client } = await openStreamHome()
    const { body } = await client.subscribe('sensor')
    home.state('lamp', LAMP_ON)
    expect(await client.ask({ subscribe: ['state'], since: body.seq })).toMatchObject({ body: { gap: false } })
    await client.settled()
    expect(client.events).toMatchObject([{ state: LAMP_ON }])
  })

  test('sends an unchanged reading again after a restart, because the state was null until then', async () => {
    const { home, client, integration } = await openStreamHome()
    // Readings stored before the restart stay; the state has only newer reports.
    home.live.remember('air', { temperature: 20 }, home.clock.now())
    await client.subscribe('sensor')
    home.readings('air', { temperature: 20 })
    home.readings('air', { temperature: 20 })
    await client.settled()
    const device = home.id(integration, 'air')
    expect(client.events).toMatchObject([{ event: 'sensor', device, state: { temperature: 20 } }])
  })

  test('reports a gap for dropped events, for numbers of an earlier start and for invented ones', async () => {
    const { home, client } = await openStreamHome()
    const { body } = await client.subscribe('sensor')
    for (let count = 0; count <= RING_EVENTS; count += 1) home.state('lamp', { ...LAMP_ON, bri: count % 100 })
    const gap = async (since: number): Promise<unknown> =>
      (await client.ask({ subscribe: ['exposure'], since })).body.gap
    expect(await gap(body.seq)).toBe(true)
    expect(await gap(body.seq + 1)).toBe(false)
    expect(await gap(body.seq + RING_EVENTS + 1)).toBe(false)
    expect(await gap(body.seq + RING_EVENTS + 2)).toBe(true)
    expect(await gap(0)).toBe(true)
    await client.settled()
    expect(client.events).toEqual([])
  })

  test('sends only events that are visible now', async () => {
    const { home, client, integration, token } = await openStreamHome({
      expose: 'Selected',
      picks: [
        { kind: 'unit', id: 'lamp' },
        { kind: 'unit', id: 'cellar' },
      ],
    })
    const { body } = await client.subscribe('*')
    client.socket.close()
    await client.ended()
    home.state('lamp', LAMP_ON)
    home.state('cellar', ON)
    home.change(integration, { exposure: { expose: 'Selected', picks: [{ kind: 'unit', id: 'lamp' }] } })
    const again = await home.connect(token)
    await again.ask({ subscribe: ['*'], since: body.seq })
    await again.settled()
    expect(again.events.map(({ event }) => event)).toEqual(['state', 'exposure', 'integration'])
  })

  test('works for a while after the last socket has closed, then reports a gap', async () => {
    const { home, client, token } = await openStreamHome()
    const { body } = await client.subscribe('*')
    client.socket.close()
    await client.ended()
    await home.clock.advanceAsync(RESUME_MS - 1_000)
    home.state('cellar', ON)
    const soon = await home.connect(token)
    expect((await soon.ask({ subscribe: ['state'], since: body.seq })).body.gap).toBe(false)
    await soon.settled()
    expect(soon.events).toHaveLength(1)
    soon.socket.close()
    await soon.ended()
    for (let round = 0; round < 2; round += 1) await home.clock.advanceAsync(RESUME_MS)
    home.state('cellar', OFF)
    const late = await home.connect(token)
    expect((await late.ask({ subscribe: ['state'], since: body.seq })).body.gap).toBe(true)
  })

  proves('stream.touch-late', 'sends a missed touch only while it is fresh', async () => {
    const { home, client, token } = await openStreamHome()
    const { seq } = (await client.subscribe('touch')).body
    client.socket.close()
    await client.ended()
    home.touch('lamp', 'long')
    home.clock.advance(TOUCH_FRESH_MS)
    const soon = await home.connect(token)
    await soon.ask({ subscribe: ['touch'], since: seq })
    await soon.settled()
    expect(soon.events).toMatchObject([{ event: 'touch', state: { key: 'up', press: 'long' } }])
    home.clock.advance(1)
    const late = await home.connect(token)
    expect(await late.ask({ subscribe: ['touch'], since: seq })).toMatchObject({ body: { gap: false } })
    await late.settled()
    expect(late.events).toEqual([])
  })
})
