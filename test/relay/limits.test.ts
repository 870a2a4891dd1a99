import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FAILED_OF_ADDRESS, REQUESTS_OF_ADDRESS, STRANGERS_OF_HOME } from '../../relay/edge/limits.ts'
import { CONNECTIONS_OF_ADDRESS_MAX } from '../../relay/edge/server.ts'
import { AUTHORIZATIONS, REGISTRATIONS, REGISTRATIONS_ALL } from '../../relay/oauth/server.ts'
import { HANDSHAKES, HANDSHAKES_OF_ADDRESS, handshakeLimit } from '../../relay/tunnels/handshake-limit.ts'
import { SENT_AWAY_RETRY_SECONDS } from '../../relay/tunnels/gateway-tunnel.ts'
import { NEWCOMER } from '../../src/lib/address-limits.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { TUNNEL_PROTOCOL } from '../../src/wire/tunnel.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { become, gatewayAt } from '#support/relay/gateway-at.ts'
import { TestRelay, UNBOUNDED } from '#support/relay/test-relay.ts'
import { testWeb } from '#support/relay/test-web.ts'
import { madeUpToken } from '../../bench/made-up-home.ts'

/** A relay with real limits whose time stands still, with requests from any loopback address. */
async function limited() {
  const clock = new ManualClock(Date.now())
  const relay = await TestRelay.open({ clock, limits: null })
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const agents = new Map<string, Agent>()
  onTestFinished(() => {
    for (const agent of agents.values()) agent.destroy()
  })
  const agentOf = (from: string): Agent => {
    const agent = agents.get(from) ?? new Agent({ keepAlive: true, maxSockets: 4, ca: relay.ca, localAddress: from })
    agents.set(from, agent)
    return agent
  }
  const { port } = relay.relay
  const statusOf = async (from: string, path: string, token: string | null = null): Promise<number> => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const options = { host: '127.0.0.1', port, servername: 'localhost', agent: agentOf(from), headers }
    const sent = request({ ...options, path }).end()
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }]
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }
  return { clock, relay, port, statusOf }
}

type Ask = Awaited<ReturnType<typeof limited>>['statusOf']

/** Each limit with its request, its address and the requests that it must not affect. */
const BUCKETS: readonly {
  readonly name: string
  readonly limit: { readonly perSecond: number; readonly burst: number }
  readonly once: (ask: Ask, index: number) => Promise<number>
  readonly status: number
  readonly others: (ask: Ask) => Promise<number>
  readonly othersStatus: number
}[] = [
  {
    name: 'requests of one address',
    limit: REQUESTS_OF_ADDRESS,
    once: (ask) => ask('127.0.0.1', '/v1/about'),
    status: 200,
    others: (ask) => ask('127.0.0.2', '/v1/about'),
    othersStatus: 200,
  },
  {
    name: 'requests of one address without a token',
    limit: FAILED_OF_ADDRESS,
    once: (ask) => ask('127.0.0.1', '/v1/house'),
    status: 401,
    // This request has the same address, and a text in the form of a token.
    others: (ask) => ask('127.0.0.1', '/v1/house', madeUpToken(1)),
    othersStatus: 503,
  },
  {
    name: 'requests of one address to one home without an admitted credential',
    limit: STRANGERS_OF_HOME,
    once: (ask) => ask('127.0.0.1', '/v1/house', madeUpToken(1)),
    status: 503,
    others: async (ask) =>
      Math.max(
        await ask('127.0.0.1', '/v1/house', madeUpToken(2)),
        await ask('127.0.0.2', '/v1/house', madeUpToken(1)),
      ),
    othersStatus: 503,
  },
]

/** More requests would take long. */
const SOON = 500

describe('the limits of a relay', () => {
  for (const { name, limit, once: ask, status, others, othersStatus } of BUCKETS)
    proves(
      'relay.limits',
      `${name}: ${limit.burst} at once, ${limit.perSecond} in a second after that`,
      { tags: limit.burst > SOON ? ['long'] : [] },
      async () => {
        const { clock, statusOf } = await limited()
        const all = await Promise.all(Array.from({ length: limit.burst }, (_, index) => ask(statusOf, index)))
        expect(all.filter((result) => result !== status)).toEqual([])
        expect(await ask(statusOf, 0)).toBe(429)
        expect(await others(statusOf)).toBe(othersStatus)
        clock.advance(1_000)
        const next = await Promise.all(Array.from({ length: limit.perSecond }, (_, index) => ask(statusOf, index)))
        expect(next.filter((result) => result !== status)).toEqual([])
        expect(await ask(statusOf, 0)).toBe(429)
      },
    )

  proves('relay.limits', `connections of one address: ${CONNECTIONS_OF_ADDRESS_MAX}`, async () => {
    const { port, statusOf } = await limited()
    const open = async (): Promise<Socket> => {
      const socket = connectTcp({ host: '127.0.0.1', port, localAddress: '127.0.0.1' }).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }
    const all: Socket[] = []
    for (let count = 0; count < CONNECTIONS_OF_ADDRESS_MAX; count += 1) all.push(await open())
    await once((await open()).resume(), 'close')
    expect(await statusOf('127.0.0.2', '/v1/about')).toBe(200)
    expect(all.filter(({ destroyed }) => destroyed)).toEqual([])
    all[0]?.destroy()
    // The relay notices the end with a delay.
    await expect.poll(() => statusOf('127.0.0.1', '/v1/about').catch(() => 0)).toBe(200)
  })

  proves('relay.limits', `tunnels that begin from one address: ${HANDSHAKES_OF_ADDRESS.burst} at once`, async () => {
    const { clock, relay, port } = await limited()
    const open = async (localAddress: string): Promise<TLSSocket> => {
      const options = { host: '127.0.0.1', port, localAddress, ca: relay.ca, servername: 'localhost' }
      const socket = connect({ ...options, ALPNProtocols: [TUNNEL_PROTOCOL] }).on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await once(socket, 'secureConnect')
      return socket
    }
    /** True if the relay responds, which it does at once; false if it closes the connection. */
    const isTaken = async (socket: TLSSocket): Promise<boolean> =>
      Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
    for (let count = 0; count < HANDSHAKES_OF_ADDRESS.burst; count += 1)
      expect(await isTaken(await open('127.0.0.1'))).toBe(true)
    expect(await isTaken(await open('127.0.0.1'))).toBe(false)
    expect(await isTaken(await open('127.0.0.2'))).toBe(true)
    clock.advance(1_000 / HANDSHAKES_OF_ADDRESS.perSecond)
    expect(await isTaken(await open('127.0.0.1'))).toBe(true)
  })

  proves(
    'relay.limits',
    'tunnels of homes without an account: one above the limit ends, and reconnects when asked',
    async () => {
      const relay = await TestRelay.open({ limits: { ...UNBOUNDED, unlinkedMax: 1 } })
      onTestFinished(() => relay[Symbol.asyncDispose]())
      const first = gatewayAt(relay)
      first.link.start()
      await become(first, 'unlinked')
      while (first.link.status().code === null) await new Promise(setImmediate)
      const waits = Promise.withResolvers<void>()
      const after: Clock['after'] = (ms, run) => {
        if (Math.round(ms) === SENT_AWAY_RETRY_SECONDS * 1_000) waits.resolve()
        return systemClock.after(ms, run)
      }
      // The gateway waits for the whole of its retry time.
      const random = { ...systemRandom, bytes: (count: number) => Buffer.alloc(count, 0xff) }
      const second = gatewayAt(relay, { clock: { ...systemClock, after }, random })
      second.link.start()
      await waits.promise
      expect(relay.relay.tunnels.counts()).toMatchObject({ unlinked: 1 })
      expect([first, second].map(({ link }) => link.status().state)).toEqual(['unlinked', 'connecting'])
    },
  )

  proves('relay.limits', `tunnels that begin at one node: ${HANDSHAKES.burst} at once`, () => {
    const clock = new ManualClock()
    const mayBegin = handshakeLimit(clock)
    const take = (count: number): number =>
      Array.from({ length: count }, (_, index) => mayBegin(`10.0.${index >> 8}.${index & 255}`)).filter(Boolean).length
    expect(take(HANDSHAKES.burst + 100)).toBe(HANDSHAKES.burst)
    clock.advance(1_000)
    expect(take(HANDSHAKES.burst + 100)).toBe(HANDSHAKES.perSecond)
  })
})

describe('the limits of the authorization server', () => {
  const body = JSON.stringify({ redirect_uris: ['https://agents.example/callback'] })
  const headers = { 'content-type': 'application/json' }

  proves(
    'relay.limits',
    `clients that register: ${REGISTRATIONS_ALL.burst} of all addresses together, half of them for newcomers`,
    { tags: ['long'] },
    async () => {
      const { origin, fetch, clock } = await testWeb()
      let number = 0
      const register = async (peer: string): Promise<number> => {
        number += 1
        const response = await fetch(`${origin}/register`, {
          method: 'POST',
          headers: { ...headers, 'x-test-peer': peer },
          body: JSON.stringify({ ...JSON.parse(body), client_name: `Agent ${number}` }),
        })
        await response.arrayBuffer()
        return response.status
      }
      const { burst } = REGISTRATIONS
      const half = REGISTRATIONS_ALL.burst / 2
      for (let round = 0; round < half / burst; round += 1) {
        const peer = `10.0.0.${round}`
        const all = await Promise.all(Array.from({ length: burst }, () => register(peer)))
        expect(all.filter((status) => status !== 201)).toEqual([])
        if (round === 0) expect(await register(peer)).toBe(429)
      }
      const newcomer = async (peer: string): Promise<number[]> => {
        const statuses: number[] = []
        for (let count = 0; count <= NEWCOMER.burst; count += 1) statuses.push(await register(peer))
        return statuses
      }
      expect(await newcomer('10.0.1.1')).toEqual([201, 201, 201, 429])
      // A /48 counts as one newcomer.
      expect(await newcomer('2001:db8:1:1::1')).toEqual([201, 201, 201, 429])
      expect([await register('2001:db8:1:2::1'), await register('2001:db8:2:1::1')]).toEqual([429, 201])
      clock.advance(Math.ceil(2_000 / REGISTRATIONS_ALL.perSecond))
      expect([await register('10.0.1.1'), await register('10.0.1.1')]).toEqual([201, 429])
    },
  )

  test(`authorizations that one address begins: ${AUTHORIZATIONS.burst}, and others as many`, async () => {
    const { origin, fetch, clock } = await testWeb()
    const begin = async (peer: string): Promise<number> =>
      (await fetch(`${origin}/authorize?client_id=none`, { headers: { 'x-test-peer': peer } })).status
    for (let count = 0; count < AUTHORIZATIONS.burst; count += 1) expect(await begin('10.0.0.1')).toBe(400)
    expect([await begin('10.0.0.1'), await begin('10.0.0.2')]).toEqual([429, 400])
    clock.advance(1_000 / AUTHORIZATIONS.perSecond)
    expect([await begin('10.0.0.1'), await begin('10.0.0.1')]).toEqual([400, 429])
  })
})
