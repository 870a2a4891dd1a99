// @module-tag long
import { describe, expect, test } from 'vitest'
import { unitOf } from '#support/homes/house-content.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import { UNREAD_MS } from './message-handler.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const units = Array.from({ length: 50 }, (_, index) =>
  unitOf(`u${index}`, index + 1, { name: 'x'.repeat(60), model: null }),
)

describe('a client that does not read', () => {
  test('gets the last state of every device once it reads again, in order, and at most one queued event per device', async () => {
    const home = await StreamHome.open({ units })
    const integration = home.integration()
    const slow = await home.connect(home.token(integration))
    const quick = await home.connect(home.token(integration))
    await slow.subscribe('*')
    await quick.subscribe('*')
    slow.socket.pause()
    let bri = 0
    const before = home.stream.counts()
    while (home.stream.counts().collapsed < 5_000) {
      bri = (bri + 1) % 101
      for (const { id } of units) home.state(id, { on: true, bri, mode: 'manual' })
      await turn()
    }
    const last = bri
    expect(home.stream.counts().delivered).toBeGreaterThan(before.delivered)
    slow.socket.resume()
    const final = (events: typeof slow.events): Map<string | null, unknown> =>
      new Map(events.map((event) => [event.device, event.state?.bri]))
    const expected = new Map(units.map(({ id }) => [home.id(integration, id), last]))
    await expect.poll(() => final(slow.events)).toEqual(expected)
    await quick.settled()
    expect(final(quick.events)).toEqual(expected)
    const numbers = slow.events.map((event) => event.seq)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    expect(slow.events.length).toBeLessThan(quick.events.length)
    expect((await slow.get('/v1/house')).status).toBe(200)
  })

  test('is paused while its answers are unread, and is served again once it has read them', async () => {
    const home = await StreamHome.open({ units })
    const client = await home.connect(home.token(home.integration()))
    client.socket.pause()
    const requests = 2_000
    // Blanks make the requests large, so that the network buffers cannot hold them all.
    for (let count = 0; count < requests; count += 1)
      client.say(`${JSON.stringify({ id: `ask-${count}`, method: 'GET', path: '/v1/house' })}${' '.repeat(8_192)}`)
    // The gateway stops reading while its answers are unread, so the rest stays with the client.
    for (let buffered = -1, turns = 0; turns < 500; turns += 1) {
      if (client.socket.bufferedAmount !== buffered) turns = 0
      buffered = client.socket.bufferedAmount
      await turn()
    }
    expect(client.socket.bufferedAmount).toBeGreaterThan(1_000_000)
    client.socket.resume()
    // The refused requests pause the socket for a while.
    while (client.answers.length < requests) {
      home.clock.advance(UNREAD_MS)
      await turn()
    }
    expect(client.answers.filter((answer) => answer.status !== 200 && answer.status !== 429)).toEqual([])
    expect((await client.get('/v1/house')).status).toBe(200)
  })
})
