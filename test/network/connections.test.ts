import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

const LIMITS = { all: 100, perAddress: 40 }
/** Limit of one address. */
const STRANGERS = 32
const SECOND = 1_000

async function opened(): Promise<{ home: TestHome; clock: PassingClock; port: number }> {
  const clock = new PassingClock()
  const running = await TestGateway.open({ clock, settled: false, connections: LIMITS, rateLimit: null })
  const home = await TestHome.at('http', running)
  onTestFinished(async () => {
    await home[Symbol.asyncDispose]()
    await running[Symbol.asyncDispose]()
  })
  return { home, clock, port: running.gateway.port }
}

/** Silent connections, in the order in which the gateway accepted them. */
async function strangers(port: number, count: number, from = '127.0.0.1'): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let made = 0; made < count; made++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: from }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    sockets.push(socket.resume())
  }
  return sockets
}

const closed = (sockets: readonly Socket[]): Promise<unknown> =>
  Promise.all(sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close')))

/**
 * A client with persistent connections, by default one. Returns the status (0: no response), and whether the connection
 * was reused.
 */
function persistentClient(home: TestHome, from: string, maxSockets = 1) {
  const { ca, url } = home.access(null)
  const agent = new Agent({ keepAlive: true, maxSockets, ca, localAddress: from })
  onTestFinished(() => agent.destroy())
  return (token: string | null, path = '/v1/integration') =>
    new Promise<{ status: number; reused: boolean; keepAlive?: string }>((resolve) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` }
      const sent = request(new URL(path, url), { agent, headers, servername: 'localhost' }, (response) =>
        response.resume().on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            reused: sent.reusedSocket,
            keepAlive: String(response.headers['keep-alive']),
          }),
        ),
      )
      sent.on('error', () => resolve({ status: 0, reused: sent.reusedSocket })).end()
    })
}

describe('connections without a valid credential', () => {
  proves('limits.strangers', 'are at most 32 per address after 2 s: the oldest make room', async () => {
    const { clock, port } = await opened()
    const made = await strangers(port, STRANGERS + 6)
    expect(made.filter((socket) => socket.closed)).toEqual([])
    await clock.pass(3 * SECOND)
    await closed(made.slice(0, 6))
    expect(made.filter((socket) => socket.closed)).toEqual(made.slice(0, 6))
  })

  proves(
    'limits.strangers',
    'are closed after 5 s without a request, as keep-alive says; other connections stay longer',
    async () => {
      const { home, clock } = await opened()
      const client = persistentClient(home, '127.0.5.1')
      const stranger = persistentClient(home, '127.0.5.2')
      const [known, unknown] = ['timeout=75', 'timeout=5']
      expect([await client(home.main.token), await stranger('no'), await stranger(null, '/ca.pem')]).toEqual([
        { status: 200, reused: false, keepAlive: known },
        { status: 401, reused: false, keepAlive: unknown },
        { status: 200, reused: true, keepAlive: unknown },
      ])
      await clock.pass(6 * SECOND)
      expect(await client(home.main.token)).toEqual({ status: 200, reused: true, keepAlive: known })
      expect(await stranger('no')).toEqual({ status: 401, reused: false, keepAlive: unknown })
      expect(await stranger(home.main.token)).toEqual({ status: 200, reused: true, keepAlive: known })
    },
  )

  proves(
    'limits.strangers',
    'never block clients with a credential, however many there are',
    { tags: ['long'] },
    async () => {
      const { home, port } = await opened()
      const client = persistentClient(home, '127.0.5.9')
      await client(home.main.token)
      for (const from of ['127.0.5.1', '127.0.5.2', '127.0.5.3']) await strangers(port, LIMITS.perAddress, from)
      // No connection has timed out yet, so those from the busiest address make room.
      const headers = { authorization: `Bearer ${home.main.token}` }
      const news = Array.from({ length: 20 }, () =>
        rawRequest(home.access(null), { path: '/v1/integration', headers, from: '127.0.5.8' }),
      )
      expect((await Promise.all(news)).map(({ status }) => status)).toEqual(news.map(() => 200))
      expect(await client(home.main.token)).toMatchObject({ status: 200, reused: true })
    },
  )
})

proves('limits.connections', 'an address has a limited share of all connections, also with a credential', async () => {
  const { home } = await opened()
  const { token } = home.main
  const client = persistentClient(home, '127.0.5.1', LIMITS.perAddress + 1)
  const responses = await Promise.all(Array.from({ length: LIMITS.perAddress }, () => client(token)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  // All connections stay open: one more of this address is refused, one of another is accepted.
  expect((await persistentClient(home, '127.0.5.1')(token)).status).toBe(0)
  expect((await persistentClient(home, '127.0.5.2')(token)).status).toBe(200)
})

describe('requests without a credential', () => {
  proves('limits.open-body', 'have a body of 4 KiB at most', async () => {
    const { home } = await opened()
    const send = (bytes: number) =>
      rawRequest(home.access(null), {
        method: 'POST',
        path: '/v1/pair',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'x'.repeat(bytes) }),
      })
    expect((await send(3_000)).status).toBe(422)
    const tooLarge = await send(5_000)
    // The connection closes after it, so there is no keep-alive.
    expect([tooLarge.headers?.['connection'], tooLarge.headers?.['keep-alive']]).toEqual(['close', undefined])
    expect(tooLarge).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', message: 'The body is too large: 4 KiB at most.' } },
    })
  })

  proves(
    'limits.open-requests',
    'have a rate limit for each address, separate from requests with a credential',
    async () => {
      await using running = await TestGateway.open({ settled: false, rateLimit: { perSecond: 200, burst: 500 } })
      await using home = await TestHome.at('http', running)
      const client = persistentClient(home, '127.0.5.1')
      const answers: number[] = []
      for (let turn = 0; turn < 130; turn++) answers.push((await client(null, '/v1/about')).status)
      expect(answers.slice(0, 100)).toEqual(answers.slice(0, 100).map(() => 200))
      expect(answers).toContain(429)
      expect((await persistentClient(home, '127.0.5.2')(null, '/v1/about')).status).toBe(200)
      expect((await client(home.main.token)).status).toBe(200)
    },
  )
})
