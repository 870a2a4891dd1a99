import { describe, expect, onTestFinished } from 'vitest'
import { NatsBus } from '../../relay/nats/nats-bus.ts'
import { SUBJECTS } from '../../relay/nodes/node-messages.ts'
import { operate } from '../../relay/operator-commands.ts'
import { readSettings } from '../../relay/model/relay-settings.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { type HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { proves } from '#support/gateway/verifies.ts'
import { natsLink } from '#support/relay/nats-links.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { holding, severalNodes } from '#support/relay/several-nodes.ts'
import type { RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }

/** Repeats a request until its response has this status. */
async function until(through: HttpCaller, status: number): Promise<void> {
  while ((await through.call(HOUSE)).status !== status);
}

/** Resolves once this node has a tunnel of the home. */
async function held({ relay }: TestRelay): Promise<void> {
  while (relay.tunnels.counts().linked === 0) await new Promise(setImmediate)
}

/** Two nodes; only the first has a tunnel of the home. */
async function heldByOne() {
  const world = await severalNodes(2)
  const [holder, other] = world.nodes as [TestRelay, TestRelay]
  world.balancer.ports = [holder.relay.port]
  await holder.serve(world.home.running)
  return { ...world, holder, other }
}

describe.skipIf(!HAS_NATS)('a relay of several nodes (needs nats-server)', () => {
  proves(
    'relay.replace-key',
    'disconnects the gateway with the old key at any of them',
    { tags: ['long'] },
    async () => {
      const { nats, home, holder, other, through } = await heldByOne()
      const [here, there] = [through(holder), through(other)]
      await until(there, 200)
      const { code } = await other.relay.enrolment.begin(home.running.gateway.serial, 'another key')
      const settings = readSettings({
        HM_RELAY_DATA_DIR: tempFolder(),
        HM_RELAY_URL: other.relay.url,
        HM_RELAY_NATS: nats.url,
        HM_RELAY_NATS_REPLICAS: '1',
      })
      await operate(['replace-key', code], { settings, clock: systemClock, random: systemRandom })
      await until(here, 503)
      await until(there, 503)
    },
  )

  proves(
    'relay.any-node',
    'serves a home through any of them: requests, large bodies and the live stream',
    { tags: ['long'] },
    async () => {
      const { home, other, through } = await heldByOne()
      const elsewhere = through(other)
      await home.running.still(async () =>
        expect((await elsewhere.call(HOUSE)).text).toBe((await home.call(HOUSE)).text),
      )
      const path = home.at('hall-light', '/control')
      const socket = await TestSocket.open(other.access(home.main.token))
      onTestFinished(() => socket.close())
      socket.hasten = (work) => home.running.hasten(work)
      expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
      const on = { op: 'set_power', args: { on: true } }
      expect(await home.running.hasten(elsewhere.call({ method: 'POST', path, body: on }))).toMatchObject({
        status: 200,
      })
      await socket.event(({ device, event }) => device === home.id('hall-light') && event === 'state')
      const large = { op: 'set_power', args: { on: 'x'.repeat(300 * 1024) } }
      expect(await elsewhere.send('POST', path, { body: large })).toMatchObject({ status: 413 })
      const unknown = home.main.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.')
      expect(await elsewhere.call({ ...HOUSE, token: unknown })).toMatchObject({
        status: 503,
        body: { error: { code: 'gateway_offline' } },
      })
    },
  )

  proves(
    ['relay.two-tunnels', 'relay.node-killed'],
    'a gateway keeps two tunnels to different nodes, and any node may stop',
    async () => {
      const { home, nodes, through } = await severalNodes(3)
      const [first] = nodes as [TestRelay, TestRelay, TestRelay]
      await first.serve(home.running)
      const held = await holding(nodes, home, 2)
      const edge = nodes.find((node) => !held.includes(node))
      const [ending, other] = held
      expect((await through(edge!).call(HOUSE)).status).toBe(200)
      await ending!.relay.stop(0)
      // The other tunnel responds, whichever the edge tried first.
      expect((await through(edge!).call(HOUSE)).status).toBe(200)
      expect(new Set(await holding([edge!, other!], home, 2))).toEqual(new Set([edge, other]))
      expect(edge!.relay.nodes()).toBe(2)
      expect((await through(edge!).call(HOUSE)).status).toBe(200)
    },
  )

  proves(
    'relay.without-nats',
    'without NATS, a connected or cached home is served; others are refused until NATS is back',
    async () => {
      const { nats, home, holder, other, through } = await heldByOne()
      const [near, far] = [through(holder), through(other)]
      expect((await far.call(HOUSE)).status).toBe(200)
      const unknown = home.main.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.')
      const refusal = async (caller: HttpCaller): Promise<unknown> =>
        ((await caller.call({ ...HOUSE, token: unknown })).body as { error: unknown }).error
      await nats.kill()
      for (const caller of [near, far]) {
        while (((await refusal(caller)) as { code: string }).code !== 'relay_unavailable');
        expect(await refusal(caller)).toMatchObject({ code: 'relay_unavailable', retryAfter: 5 })
        expect((await caller.call(HOUSE)).status).toBe(200)
        const client = { redirect_uris: ['https://agent.example/callback'] }
        expect(await caller.send('POST', '/register', { body: client, token: null })).toMatchObject({
          status: 503,
          body: { error: 'temporarily_unavailable' },
        })
        await expect(TestSocket.open(other.access(unknown))).rejects.toMatchObject({ answer: { status: 503 } })
      }
      await nats.start()
      for (const caller of [near, far]) {
        while (((await refusal(caller)) as { code: string }).code !== 'gateway_offline');
        expect((await caller.call(HOUSE)).status).toBe(200)
      }
    },
  )
})

describe.runIf(HAS_NATS)('gateways and nodes that come, go and drain (needs nats-server)', { tags: ['long'] }, () => {
  proves(
    'relay.any-node',
    'a code entered at one node links a home at another, and unlinking disconnects it everywhere',
    async () => {
      const { home, nodes, balancer, through } = await severalNodes(2)
      const [holder, other] = nodes as [TestRelay, TestRelay]
      balancer.ports = [holder.relay.port]
      const { link } = await holder.connect(home.running)
      expect((await through(other).call(HOUSE)).status).toBe(503)
      await other.confirm(link?.code ?? '')
      await until(through(other), 200)
      await until(through(holder), 200)
      await home.running.admin.call('POST', '/relay/unlink')
      await until(through(other), 503)
      await until(through(holder), 503)
    },
  )

  proves('relay.two-tunnels', 'gateways that connected earlier find a second node', async () => {
    const { home, nodes, add, balancer } = await severalNodes(1)
    const [first] = nodes as [TestRelay]
    await first.serve(home.running)
    const second = await add()
    balancer.ports = [first.relay.port, second.relay.port]
    expect(await holding([first, second], home, 2)).toEqual([first, second])
    const named = async (): Promise<ReadonlySet<string>> => {
      const { tunnels } = await home.running.admin.call<RelayAnswer>('GET', '/relay')
      return new Set(tunnels.map(({ node }) => node))
    }
    while ((await named()).size < 2);
    expect(await named()).toEqual(new Set([first.relay.node, second.relay.node]))
  })

  proves('relay.two-tunnels', 'a second node that was down is used again once it is back', async () => {
    const { home, nodes, add, balancer } = await severalNodes(2)
    const [one, two] = nodes as [TestRelay, TestRelay]
    await one.serve(home.running)
    await holding(nodes, home, 2)
    const tunnels = async (): Promise<RelayAnswer['tunnels']> =>
      (await home.running.admin.call<RelayAnswer>('GET', '/relay')).tunnels
    const second = (await tunnels()).find(({ slot }) => slot === 1)?.node
    const [ending, left] = one.relay.node === second ? [one, two] : [two, one]
    balancer.ports = []
    await ending.relay.stop(0)
    while (left.relay.nodes() > 1) await new Promise(setImmediate)
    const before = balancer.connections
    balancer.ports = [left.relay.port]
    // The second tunnel returns once more, and is closed because this node is alone.
    const alone = async (): Promise<void> => {
      while (balancer.connections === before || balancer.open > 1) await new Promise(setImmediate)
    }
    await home.running.hasten(alone())
    expect(await tunnels()).toMatchObject([{ slot: 0, node: left.relay.node }])
    const back = await add()
    balancer.ports = [left.relay.port, back.relay.port]
    expect(await holding([left, back], home, 2)).toEqual([left, back])
  })

  proves('relay.two-tunnels', 'a draining node serves its gateways until they are at other nodes', async () => {
    const { home, balancer, holder, other, through } = await heldByOne()
    balancer.ports = [other.relay.port]
    await home.running.still(async () => {
      await holder.relay.tunnels.drain()
      expect((await through(holder).call(HOUSE)).status).toBe(200)
      expect((await through(other).call(HOUSE)).status).toBe(200)
    })
    await home.running.hasten(held(other))
    expect((await through(other).call(HOUSE)).status).toBe(200)
  })

  proves('relay.two-tunnels', 'a node drains when it is ordered to over NATS', async () => {
    const { home, balancer, holder, other, nats, through } = await heldByOne()
    balancer.ports = [other.relay.port]
    const bus = new NatsBus(await natsLink(nats), silentLog)
    bus.publish(SUBJECTS.nodeOrder(holder.relay.node), { order: 'drain' })
    await home.running.hasten(held(other))
    await until(through(holder), 200)
  })
})
