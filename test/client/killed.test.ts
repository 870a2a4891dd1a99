// @module-tag repeated
import { expect, onTestFinished } from 'vitest'
import {
  caOf,
  Client,
  type Followed,
  HmError,
  type Home,
  type HomeChange,
  NodeTransport,
  type State,
  type Transport,
} from '../../client/src/node.ts'
import { systemTiming } from '../../client/src/transport.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const ROUNDS = times(1, 25)

/** Pauses between tries are a fiftieth of the longest: the gateway starts again sooner than a client would look. */
const HASTY = { ...systemTiming, random: () => 0.02 }

/** Makes a demo home without its past, and a key of it. */
async function founded(dataDir: string): Promise<string> {
  await using home = await TestHome.open('http', { dataDir, settled: false })
  return home.main.token
}

/** A client that finds its gateway again at another port, as one with several addresses does. */
function clientOf(now: () => GatewayProcess, token: string): Client {
  const made: { gateway: GatewayProcess | null; transport: NodeTransport | null } = { gateway: null, transport: null }
  const real = (): NodeTransport => {
    const gateway = now()
    if (made.gateway !== gateway || !made.transport)
      made.transport = new NodeTransport({ addresses: [gateway.url], token, ca: caOf(gateway.ca) })
    made.gateway = gateway
    return made.transport
  }
  const transport: Transport = {
    request: (request) => real().request(request),
    stream: (listener) => real().stream(listener),
  }
  return new Client(transport, HASTY)
}

/** Resolves at the first change that fits. */
function changed(home: Home, fits: (change: HomeChange) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = home.onChange((change) => {
      if (!fits(change)) return
      stop()
      resolve()
    })
  })
}

/** Switches lamps for as long as the gateway answers. */
async function work(client: Client, lamps: readonly string[]): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const id = lamps[turn % lamps.length]!
    try {
      await client.device('light_dimmer', id).setBrightness(1 + (turn % 99))
    } catch (error) {
      // A refusal of the radio's is no end.
      if (!(error instanceof HmError)) return
    }
  }
}

const briOf = (home: Home, id: string): unknown => ({ bri: null, ...home.devices.get(id)?.state }).bri
const asOf = (state: State | null): number => state?.asOf ?? 0
const values = (state: State | null): unknown => state && { ...state, asOf: null }

proves(
  'client.killed',
  `no final state is lost and every gap gives a resync in ${ROUNDS} kills of the gateway`,
  { timeout: ROUNDS * 60_000 },
  async () => {
    const dataDir = tempFolder()
    const token = await founded(dataDir)
    let gateway = await GatewayProcess.start({ dataDir })
    onTestFinished(async () => void (await gateway.kill()))
    const client = clientOf(() => gateway, token)
    const home = await client.home()
    const lamps = [...home.devices.values()].filter((device) => device.class === 'light_dimmer').map(({ id }) => id)
    const stopping = new AbortController()
    const sessions: Followed['event'][] = []
    let toldAgain = Promise.withResolvers<void>()
    const listening = (async () => {
      for await (const { event } of client.follow(['*'], { signal: stopping.signal })) {
        sessions.push(event)
        if (event === 'resync') toldAgain.resolve()
      }
    })()
    await toldAgain.promise
    for (let round = 0; round < ROUNDS; round += 1) {
      const working = work(client, lamps)
      for (let count = 0; count <= round % 5; count += 1) await changed(home, ({ what }) => what === 'device')
      await gateway.kill()
      await working
      const readAgain = changed(home, ({ what }) => what === 'home')
      toldAgain = Promise.withResolvers()
      gateway = await GatewayProcess.start({ dataDir })
      await Promise.all([readAgain, toldAgain.promise])

      const { devices } = await client.state()
      // Whatever was told before this is there once this is.
      const marked = lamps[round % lamps.length]!
      const bri = 100 - (round % 2)
      const isMarked = (): boolean => briOf(home, marked) === bri
      const arrived = isMarked() ? Promise.resolve() : changed(home, isMarked)
      await client.device('light_dimmer', marked).setBrightness(bri)
      await arrived
      for (const { id, state } of devices) {
        const shownState = home.devices.get(id)?.state ?? null
        if (asOf(shownState) <= asOf(state)) expect(values(shownState), id).toEqual(values(state))
      }
    }
    stopping.abort()
    await listening
    home.close()
    // A killed gateway holds no missed events, so a gap follows each new connection, before any event.
    const afterEach = sessions.flatMap((event, index) => (event === 'connection' ? [sessions[index + 1]] : []))
    expect(afterEach.filter((event) => event === 'resync')).toHaveLength(ROUNDS + 1)
    expect(afterEach.filter((event) => event !== 'resync' && event !== 'connection')).toEqual([])
  },
)
