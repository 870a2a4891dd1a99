import { once } from 'node:events'
import { describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { type StreamMessage, TestSocket } from '#support/gateway/callers.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

/** Sends requests without reading the answers until the gateway accepts no more; returns their number. */
async function choke(home: TestHome, socket: TestSocket): Promise<number> {
  socket.socket.pause()
  const other = await home.socket()
  let sent = 0
  const send = (message: object): void => socket.socket.send(JSON.stringify({ id: `c${sent++}`, ...message }))
  // The sender's unread bytes stay the same over twenty requests of another client.
  for (let same = 0, before = 0; same < 20;) {
    if (same === 0) {
      for (let turn = 0; turn < 350; turn++) send({ method: 'GET', path: '/v1/house' })
      for (let turn = 0; turn < 20; turn++)
        send({ method: 'POST', path: '/v1/explain', body: { long: 'x'.repeat(60_000) } })
    }
    await other.ask('a', { id: 'a', method: 'GET', path: '/v1/about' })
    const left = socket.socket.bufferedAmount
    same = left > 0 && left === before ? same + 1 : Math.min(left, 1)
    before = left
  }
  other.close()
  return sent
}

async function switchTo(home: TestHome, local: string, on: boolean): Promise<void> {
  expect(
    (await home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on } } }))
      .status,
  ).toBe(200)
}

const counts = async (home: TestHome): Promise<{ collapsed: number; silent: number; sockets: number }> =>
  (
    (await home.running.admin.call('GET', '/status')) as unknown as {
      streams: { collapsed: number; silent: number; sockets: number }
    }
  ).streams

/** A repeated confirmation is no event (docs/stream.md), so the home may have a later time than the last event. */
const withoutAsOf = (state: unknown): object => ({ ...(state as object), asOf: null })

describe('a reader that is too slow', () => {
  const verifies = verifiesAlone()

  verifies(
    ['stream.slow-reader', 'stream.bounded'],
    'gets the newest state of each device, in order, and its requests are served only while it reads',
    async (home) => {
      const socket = await home.socket()
      await socket.subscribe(['state'])
      const answers = new Map<string, number>()
      socket.socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString('utf8')) as StreamMessage
        if ('status' in message) answers.set(String(message['id']), message['status'] as number)
      })
      const sent = await choke(home, socket)
      // The rest stays with the sender, because the gateway limits its buffer.
      expect(socket.socket.bufferedAmount).toBeGreaterThan(0)
      const lamps = ['hall-light', 'study-light', 'guest-light']
      for (let turn = 0; turn < 10; turn++) for (const lamp of lamps) await switchTo(home, lamp, turn % 2 === 0)
      await switchTo(home, 'study-light', true)
      const { collapsed } = await counts(home)
      expect(collapsed).toBeGreaterThanOrEqual(20)

      socket.socket.resume()
      const last = JSON.parse(await socket.ask('last', { id: 'last', method: 'GET', path: '/v1/state' })) as {
        status: number
        body: { devices: { id: string; state: unknown }[] }
      }
      const events = socket.events.filter(({ event }) => event === 'state')
      const seqs = events.map((event) => event['seq'] as number)
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
      expect(events.length).toBeLessThan(31)
      for (const [lamp, on] of [
        ['hall-light', false],
        ['study-light', true],
        ['guest-light', false],
      ] as const) {
        const newest = events.findLast((event) => event['device'] === home.id(lamp))
        expect([lamp, newest?.['state']]).toEqual([lamp, expect.objectContaining({ on })])
        const now = last.body.devices.find(({ id }) => id === home.id(lamp))?.state
        expect(withoutAsOf(newest?.['state'])).toEqual(withoutAsOf(now))
      }
      // Every request was answered: served, invalid or rate-limited.
      answers.delete('last')
      expect(answers.size).toBe(sent)
      expect(new Set(answers.values())).toEqual(
        new Set([200, 422, 429].filter((status) => [...answers.values()].includes(status))),
      )
      expect([...answers.values()].filter((status) => status === 200).length).toBeGreaterThan(50)
      socket.close()
    },
  )

  verifies(['stream.slow-reader'], 'does not delay events of other sockets', { tags: ['long'] }, async (home) => {
    const [slow, quick] = [await home.socket(), await home.socket()]
    for (const socket of [slow, quick]) await socket.subscribe(['state'])
    await choke(home, slow)
    for (let turn = 0; turn < 6; turn++) await switchTo(home, 'hall-light', turn % 2 === 0)
    await quick.ask('a', { id: 'a', method: 'GET', path: '/v1/about' })
    expect(quick.events.map((event) => (event['state'] as { on: boolean }).on)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ])
    slow.socket.terminate()
    quick.close()
  })
})

describe('the number of sockets', () => {
  const verifies = verifiesAlone(() => ({ settled: false }))

  const refused = async (home: TestHome, token: string): Promise<unknown> => {
    const error: unknown = await TestSocket.open(home.access(token)).catch((reason: unknown) => reason)
    return (error as { answer: { status: number; body: unknown } }).answer
  }
  const tooMany = (what: string): object => ({
    status: 429,
    body: {
      error: {
        code: 'rate_limited',
        message: expect.stringContaining(what) as string,
        retryAfter: expect.any(Number) as number,
      },
    },
  })
  const open = (home: TestHome, token: string): Promise<TestSocket[]> =>
    Promise.all(Array.from({ length: 32 }, () => home.socket(token)))

  verifies(['stream.sockets'], 'is 32 for one credential; one more is 429 until another closes', async (home) => {
    const { token } = home.main
    const [first] = await open(home, token)
    expect(await refused(home, token)).toMatchObject(tooMany('32'))
    first!.close()
    await first!.ended
    const late = await home.socket(token)
    expect(JSON.parse(await late.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
      status: 200,
    })
  })

  verifies(
    ['stream.sockets'],
    'is 256 in all; one more is 429 until another closes',
    { tags: ['long'] },
    async (home) => {
      const tokens: string[] = []
      for (let turn = 0; turn < 9; turn++) tokens.push((await home.integrate({})).token)
      const [first] = await open(home, tokens[0]!)
      for (const token of tokens.slice(1, 8)) await open(home, token)
      expect((await counts(home)).sockets).toBe(256)
      expect(await refused(home, tokens[8]!)).toMatchObject(tooMany('256'))
      // Requests do not count as sockets.
      expect((await home.running.admin.call('GET', '/status'))['integrations']).toBeGreaterThan(8)
      first!.close()
      await first!.ended
      const late = await home.socket(tokens[8])
      expect(JSON.parse(await late.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
        status: 200,
      })
    },
  )
})

describe('the heartbeat', () => {
  const clock = new ManualClock(Date.now())
  const verifies = verifiesAlone(() => ({ clock, settled: false }))

  verifies(
    ['stream.heartbeat'],
    'pings every 30 s, and closes a socket after two unanswered pings',
    { tags: ['long'] },
    async (home) => {
      const open = async (autoPong: boolean): Promise<WebSocket> => {
        const { url, ca } = home.access(null)
        const socket = new WebSocket(`${url.replace('https', 'wss')}/v1/stream`, {
          ca,
          headers: { authorization: `Bearer ${home.main.token}` },
          autoPong,
        })
        await once(socket, 'open')
        return socket
      }
      const [lively, silent] = [await open(true), await open(false)]
      let [pings, ended] = [0, 0]
      silent.on('ping', () => {
        pings += 1
      })
      silent.on('close', (code) => {
        ended = code
      })
      /** Resolves once the gateway has read everything from this socket: it answers in order. */
      const through = async (socket: WebSocket): Promise<void> => {
        const answered = once(socket, 'pong')
        socket.ping()
        await answered
      }
      for (let round = 1; round <= 2; round++) {
        const pinged = Promise.all([once(lively, 'ping'), once(silent, 'ping')])
        await clock.advanceAsync(30_000)
        await pinged
        await Promise.all([through(lively), through(silent)])
        expect([pings, ended]).toEqual([round, 0])
      }
      const closed = once(silent, 'close')
      const pinged = once(lively, 'ping')
      await clock.advanceAsync(30_000)
      await Promise.all([closed, pinged])
      // 1006: closed without a close frame.
      expect([pings, ended]).toEqual([2, 1006])
      for (let round = 0; round < 3; round++) {
        await through(lively)
        const again = once(lively, 'ping')
        await clock.advanceAsync(30_000)
        await again
      }
      expect(lively.readyState).toBe(WebSocket.OPEN)
      expect((await counts(home)).silent).toBe(1)
      lively.terminate()
    },
  )

  verifies(['stream.heartbeat'], 'counts a message as a sign of life too', async (home) => {
    const { url, ca } = home.access(null)
    const socket = new WebSocket(`${url.replace('https', 'wss')}/v1/stream`, {
      ca,
      headers: { authorization: `Bearer ${home.main.token}` },
      autoPong: false,
    })
    await once(socket, 'open')
    for (let round = 0; round < 5; round++) {
      const pinged = once(socket, 'ping')
      await clock.advanceAsync(30_000)
      await pinged
      const answered = once(socket, 'message')
      socket.send('{"id":"a","method":"GET","path":"/v1/about"}')
      await answered
    }
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.terminate()
  })
})
