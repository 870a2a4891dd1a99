import { describe, expect, onTestFinished } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { Balancer } from '#support/relay/balancer.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { relayedHome, type RelayedHome } from '#support/relay/relayed-home.ts'
import { holding, severalNodes } from '#support/relay/several-nodes.ts'
import { type RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { freePort } from '#support/free-port.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }
/** The gateway's clock runs faster while a command waits for the relay. */
const GATEWAY = { ...ONE_UNIT, settled: false, begins: 'now' } as const

interface View extends RelayAnswer {
  readonly pending: { readonly wish: string; readonly url: string } | null
}

const viewOf = (running: TestGateway): Promise<View> => running.admin.call<View>('GET', '/relay')

/** Output and exit code of `hm relay …`; the gateway's time runs faster meanwhile. */
const relayCommand = (running: TestGateway, ...words: string[]) =>
  running.hasten(hm(running.dataDir, 'relay', ...words))

/** Resolves once the relay has confirmed all requests; the gateway's time runs faster meanwhile. */
const confirmed = (running: TestGateway): Promise<void> => {
  const look = async (): Promise<void> => {
    for (;;) {
      const { pending, state } = await viewOf(running)
      // The relay may end the connection right after the last account is unlinked.
      if (pending === null && state !== 'connecting') return
      await new Promise(setImmediate)
    }
  }
  return running.hasten(look())
}

/** Code from the relay for a home without accounts. */
async function codeOf(running: TestGateway): Promise<string> {
  for (;;) {
    const { link } = await viewOf(running)
    if (link !== null) return link.code
    await new Promise(setImmediate)
  }
}

const accountsOf = ({ relay }: TestRelay, { gateway }: TestGateway): Promise<string[]> =>
  relay.enrolment.accountsOf(gateway.serial)

async function activityOf(running: TestGateway): Promise<string[]> {
  const { activity } = running.gateway.stores.history
  await activity.committed()
  return [...activity.iterate(0, Number.MAX_SAFE_INTEGER)].map(({ what }) => what)
}

/** A stopped relay that may return at its port, and a gateway that is linked to it. */
async function away(): Promise<RelayedHome & { readonly back: () => Promise<TestRelay> }> {
  const [dataDir, port] = [tempFolder(), await freePort()]
  const world = await relayedHome({ dataDir, port, gateway: GATEWAY })
  await world.relay[Symbol.asyncDispose]()
  const back = async (): Promise<TestRelay> => {
    const relay = await TestRelay.open({ dataDir, port })
    onTestFinished(() => relay[Symbol.asyncDispose]())
    return relay
  }
  return { ...world, back }
}

describe('hm relay unlink', () => {
  proves('relay.unlink-stored', 'exits with 0 once the relay has unlinked all accounts', async () => {
    const { relay, home } = await relayedHome({ gateway: GATEWAY })
    const { code, out } = await relayCommand(home.running, 'unlink')
    expect([code, out]).toEqual([0, expect.not.stringContaining('pending')])
    expect(await accountsOf(relay, home.running)).toEqual([])
    const activity = await activityOf(home.running)
    expect(activity).toContain('Unlinking of all relay accounts requested')
    expect(activity).toContain('The relay unlinked all accounts')
  })

  proves(
    'relay.unlink-stored',
    'reports an offline relay, which unlinks the accounts once it is back',
    { tags: ['long'] },
    async () => {
      const { home, back } = await away()
      const { code, out } = await relayCommand(home.running, 'unlink')
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(/^pending +unlinking of all accounts: requested .* not confirmed/m),
      ])
      expect(await viewOf(home.running)).toMatchObject({ pending: { wish: 'unlink' } })
      expect(await activityOf(home.running)).not.toContain('The relay unlinked all accounts')
      const { attention } = await home.running.admin.call<{ attention: { what: string }[] }>('GET', '/status')
      expect(attention.map(({ what }) => what)).toContainEqual(expect.stringContaining('not confirmed yet'))
      const relay = await back()
      expect(await accountsOf(relay, home.running)).toEqual(['olga@example.org'])
      await confirmed(home.running)
      expect(await accountsOf(relay, home.running)).toEqual([])
      expect(await viewOf(home.running)).toMatchObject({ state: 'unlinked', accounts: [] })
      expect(await activityOf(home.running)).toContain('The relay unlinked all accounts')
    },
  )

  proves(
    'relay.unlink-stored',
    'is repeated after a restart of the gateway, even after a disconnection',
    { tags: ['long'] },
    async () => {
      const [dataDir, port, folder] = [tempFolder(), await freePort(), tempFolder()]
      const relay = await TestRelay.open({ dataDir, port })
      const options = { ...GATEWAY, dataDir: folder }
      const first = await TestGateway.open(options)
      await relay.serve(first)
      await relay[Symbol.asyncDispose]()
      expect((await relayCommand(first, 'unlink')).code).toBe(1)
      await relayCommand(first, 'disconnect')
      expect(await viewOf(first)).toMatchObject({ state: 'off', pending: { wish: 'unlink' } })
      await first[Symbol.asyncDispose]()
      const second = await TestGateway.open(options)
      onTestFinished(() => second[Symbol.asyncDispose]())
      expect(await viewOf(second)).toMatchObject({ state: 'off', pending: { wish: 'unlink' } })
      const again = await TestRelay.open({ dataDir, port })
      onTestFinished(() => again[Symbol.asyncDispose]())
      await again.connect(second)
      await confirmed(second)
      expect(await accountsOf(again, second)).toEqual([])
    },
  )

  proves(
    'relay.unlink-stored',
    'refuses clients while the relay accepts no further connection',
    { tags: ['long'] },
    async () => {
      const balancer = await Balancer.over()
      onTestFinished(() => balancer[Symbol.asyncDispose]())
      const { relay, home, through } = await relayedHome({
        url: `https://localhost:${balancer.port}`,
        linked: false,
        gateway: GATEWAY,
      })
      balancer.ports = [relay.relay.port]
      await relay.serve(home.running)
      balancer.ports = []
      expect((await through.call(HOUSE)).status).toBe(200)
      const { code, out } = await relayCommand(home.running, 'unlink')
      expect([code, out]).toEqual([1, expect.stringContaining('nobody reaches the home')])
      expect(await accountsOf(relay, home.running)).toEqual(['olga@example.org'])
      expect((await through.call(HOUSE)).status).toBe(503)
      balancer.ports = [relay.relay.port]
      await confirmed(home.running)
      expect(await accountsOf(relay, home.running)).toEqual([])
    },
  )
})

describe.skipIf(!HAS_NATS)('hm relay unlink at a relay of two nodes (needs nats-server)', () => {
  proves('relay.unlink-stored', 'goes to the remaining node', { tags: ['long'] }, async () => {
    const { nodes, home, balancer } = await severalNodes(2)
    const [one, two] = nodes as [TestRelay, TestRelay]
    await one.serve(home.running)
    await holding(nodes, home, 2)
    const first = (await viewOf(home.running)).tunnels.find(({ slot }) => slot === 0)?.node
    const [ending, left] = one.relay.node === first ? [one, two] : [two, one]
    balancer.ports = [left.relay.port]
    await ending.relay.stop(0)
    await relayCommand(home.running, 'unlink')
    await confirmed(home.running)
    expect(await accountsOf(left, home.running)).toEqual([])
  })
})

describe('hm relay link', () => {
  proves(
    'relay.unlink-stored',
    'reports an offline relay, and shows the code once it arrives',
    { tags: ['long'] },
    async () => {
      const { home, back } = await away()
      const { code, out } = await relayCommand(home.running, 'link')
      expect([code, out]).toEqual([1, expect.stringMatching(/^pending +code for one more account: requested/m)])
      const relay = await back()
      await confirmed(home.running)
      expect((await relayCommand(home.running, 'status')).out).toMatch(/type [A-Z0-9]{4}-[A-Z0-9]{4}/)
      expect(await accountsOf(relay, home.running)).toEqual(['olga@example.org'])
      expect(await viewOf(home.running)).toMatchObject({ state: 'linked', pending: null })
      expect((await relayCommand(home.running, 'link')).code).toBe(0)
    },
  )

  proves(
    'relay.unlink-stored',
    'keeps a pending request to unlink, which sends a code as well',
    { tags: ['long'] },
    async () => {
      const { home, back } = await away()
      await relayCommand(home.running, 'unlink')
      await relayCommand(home.running, 'link')
      expect(await viewOf(home.running)).toMatchObject({ pending: { wish: 'unlink' } })
      const relay = await back()
      await confirmed(home.running)
      expect(await accountsOf(relay, home.running)).toEqual([])
      await codeOf(home.running)
    },
  )
})

proves(
  'relay.unlink-stored',
  'a request through the relay is served again once an account is linked again',
  { tags: ['long'] },
  async () => {
    const { relay, home } = await relayedHome({ gateway: GATEWAY })
    await relayCommand(home.running, 'unlink')
    await relay.confirm(await codeOf(home.running))
    const caller = new HttpCaller(relay.access(home.main.token))
    onTestFinished(() => caller[Symbol.asyncDispose]())
    while ((await caller.call(HOUSE)).status !== 200);
  },
)
