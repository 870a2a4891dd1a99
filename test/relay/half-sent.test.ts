// @module-tag repeated
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished } from 'vitest'
import { HttpCaller, type RawCaller, TestSocket } from '#support/gateway/callers.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { endToEnd, ownName } from '#support/relay/end-to-end.ts'
import { type HalfSentRequest, type HalfSentTarget, sendHalf, type Statuses } from '#support/relay/half-sent.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { severalNodes } from '#support/relay/several-nodes.ts'
import type { RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }
const COUNT = times(5, 100)
/** More than a home has places in the relay: the first shape of each test sends so many. */
const FULL_COUNT = times(8, 340)
/** Short runs try every eighth shape. */
const SHAPE_STEP = times(8, 1)
const FREED_MS = 3_000
/** Statuses of clients that missed the relay's timeout of 5 s on a stalled machine, and their tolerated share. */
const LATE: readonly number[] = [0, 408]
const LATE_SHARE = 0.05
const OWNER_EACH_MS = 20

/** Tokens of the attacked home. */
interface Tokens {
  readonly admitted: string
  /** Token of an integration that the relay must not reach. */
  readonly atHomeAlone: string
  readonly wrong: string
}

interface Shape extends Pick<HalfSentRequest, 'method' | 'path' | 'framing'> {
  readonly token: keyof Tokens
  readonly answered: readonly number[]
  /** All requests come from one address, which may fail only a limited number of times. */
  readonly fromOne?: true
}

const framed = (shape: Omit<Shape, 'framing'>): readonly Shape[] => [
  { ...shape, framing: 'length' },
  { ...shape, framing: 'chunked' },
]
const POST = { method: 'POST', path: '/v1/commands' } as const

const SERVICE: readonly Shape[] = [
  ...framed({ ...POST, path: '/v1/automations', token: 'wrong', answered: [401] }),
  ...framed({ ...POST, path: '/v1/automations', token: 'atHomeAlone', answered: [403] }),
  ...framed({ ...POST, path: '/v1/nothing', token: 'admitted', answered: [404, 429] }),
  ...framed({ ...POST, path: '/v1/house', token: 'admitted', answered: [405, 429] }),
  ...framed({ ...POST, path: '/v1/automations', token: 'wrong', answered: [401, 429], fromOne: true }),
  ...framed({ method: 'HEAD', path: '/v1/house', token: 'wrong', answered: [401] }),
]
const AGENTS: readonly Shape[] = [
  ...framed({ ...POST, path: '/mcp', token: 'wrong', answered: [401] }),
  ...framed({ ...POST, path: '/mcp', token: 'atHomeAlone', answered: [401, 403] }),
  ...framed({ method: 'PUT', path: '/mcp', token: 'wrong', answered: [401] }),
  ...framed({ ...POST, path: '/mcp', token: 'wrong', answered: [401, 429], fromOne: true }),
]
const UPGRADES: readonly Shape[] = [
  { method: 'GET', path: '/v1/stream', framing: 'upgrade', token: 'wrong', answered: [401] },
  { method: 'GET', path: '/v1/stream', framing: 'upgrade', token: 'atHomeAlone', answered: [403] },
  { method: 'GET', path: '/v1/stream', framing: 'upgrade', token: 'admitted', answered: [101, 429] },
]

const ALL = [...SERVICE, ...AGENTS, ...UPGRADES].filter((_, index) => index % SHAPE_STEP === 0)

let addresses = 0

/** Uses another loopback address each time. */
function nextAddress(): string {
  addresses += 1
  return `127.1.${addresses >> 8}.${addresses & 255}`
}

async function tokensOf(home: TestHome): Promise<Tokens> {
  const atHomeAlone = await home.integrate({ settings: { cloud_access: 'off' } })
  const flooding = await home.integrate({})
  const wrong = flooding.token.replace(/[^.]+$/, 'A'.repeat(43))
  return { admitted: flooding.token, atHomeAlone: atHomeAlone.token, wrong }
}

async function gatewayStreams(home: TestHome): Promise<number> {
  const { tunnels } = await home.running.admin.call<RelayAnswer>('GET', '/relay')
  return tunnels.reduce((sum, { streams }) => sum + streams, 0)
}

/** Sends the owner's requests until `work` is done; returns their statuses. */
async function servedDuring(owner: RawCaller, work: Promise<unknown>): Promise<Statuses> {
  const statuses: Record<number, number> = {}
  const done = new AbortController()
  const stop = (): void => done.abort()
  void work.then(stop, stop)
  while (!done.signal.aborted) {
    const { status } = (await owner.call(HOUSE)) as { readonly status: number }
    statuses[status] = (statuses[status] ?? 0) + 1
    await pause(OWNER_EACH_MS)
  }
  return statuses
}

interface Attack {
  readonly target: HalfSentTarget
  readonly home: TestHome
  readonly tokens: Tokens
  /** Nodes with counted streams. */
  readonly nodes: readonly TestRelay[]
  readonly owner: RawCaller
}

/** Sends half-sent requests of a shape and prints the streams before and after. */
async function attack(
  { target, home, tokens, nodes, owner }: Attack,
  shape: Shape,
  clients: 'leave' | 'stay' = 'leave',
): Promise<void> {
  const count = shape === SERVICE[0] ? FULL_COUNT : COUNT
  const { token, answered, fromOne, ...request } = shape
  const counts = async (): Promise<readonly number[]> => [
    ...nodes.map(({ relay }) => {
      const { streams, nodeStreams } = relay.openCounts()
      return streams + nodeStreams
    }),
    await gatewayStreams(home),
  ]
  const before = await counts()
  const only = nextAddress()
  const from = (): string => (fromOne ? only : nextAddress())
  const sent = sendHalf(target, count, () => ({ ...request, token: tokens[token], from: from() }), clients)
  const [served, { statuses, leave }] = await Promise.all([servedDuring(owner, sent), sent])
  const began = performance.now()
  await expect.poll(counts, { timeout: FREED_MS, interval: 20 }).toEqual(before)
  const name = `${request.method} ${request.path}, ${request.framing}`
  console.log(
    `${name}: ${count} half sent ${JSON.stringify(statuses)}, streams ${before.join('/')} before and after ${Math.round(performance.now() - began)} ms, owner ${JSON.stringify(served)}`,
  )
  leave()
  expect(Object.keys(statuses).filter((status) => ![...answered, ...LATE].includes(Number(status)))).toEqual([])
  expect(LATE.reduce((sum, status) => sum + (statuses[status] ?? 0), 0)).toBeLessThanOrEqual(count * LATE_SHARE)
  expect(Object.keys(served)).toEqual(['200'])
}

describe('half-sent requests', () => {
  proves('relay.half-sent', 'free their places, and the owner is served throughout', async () => {
    const { relay, home, through } = await relayedHome()
    const socket = await TestSocket.open(relay.access(home.main.token))
    onTestFinished(() => socket.close())
    const tokens = await tokensOf(home)
    const target = { port: relay.relay.port, ca: relay.ca }
    const attacked = { target, home, tokens, nodes: [relay], owner: through }
    for (const shape of ALL) await attack(attacked, shape)
    expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
  })

  proves(
    'relay.half-sent',
    'free their places also while their clients stay connected',
    { tags: ['long'] },
    async () => {
      const { relay, home, through } = await relayedHome()
      const tokens = await tokensOf(home)
      const target = { port: relay.relay.port, ca: relay.ca }
      for (const shape of [...SERVICE.slice(0, 4), ...AGENTS.slice(0, 2)].filter(
        (_, index) => index % SHAPE_STEP === 0,
      ))
        await attack({ target, home, tokens, nodes: [relay], owner: through }, shape, 'stay')
    },
  )

  proves('relay.half-sent', 'end to end free their places', { tags: ['long'] }, async () => {
    const { relay, home, inside, access } = await endToEnd('on')
    const target = { port: relay.relay.port, ca: access.ca, serverName: ownName(home) }
    const attacked = { target, home, tokens: await tokensOf(home), nodes: [relay], owner: inside }
    // The owner's own connection stays open.
    await inside.call(HOUSE)
    for (const shape of ALL) await attack(attacked, shape)
  })
})

describe.runIf(HAS_NATS)('half-sent requests at another node (needs nats-server)', () => {
  proves(
    'relay.half-sent',
    'free their places at both nodes, and another home is served throughout',
    { tags: ['long'] },
    async () => {
      const { nodes, balancer, home } = await severalNodes(2)
      const [holder, other] = nodes as [TestRelay, TestRelay]
      balancer.ports = [holder.relay.port]
      const neighbour = await TestHome.open('http', { begins: 'now' })
      onTestFinished(() => neighbour[Symbol.asyncDispose]())
      for (const { running } of [home, neighbour]) await holder.serve(running)
      const owner = new HttpCaller(other.access(neighbour.main.token))
      onTestFinished(() => owner[Symbol.asyncDispose]())
      const target = { port: other.relay.port, ca: other.ca }
      const attacked = { target, home, tokens: await tokensOf(home), nodes, owner }
      for (const shape of ALL) await attack(attacked, shape)
    },
  )
})
