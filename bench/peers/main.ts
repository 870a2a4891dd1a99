import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { httpLoad, openConnection, openSubscribers, roundTrip } from '../load.ts'
import { type Program, startProgram, withForms } from '../program.ts'
import { cpuNs, pinLoad, processTree, pinServer, usageOf } from '../processes.ts'
import { costText, rangeText, ratioOf, ROUND_MS } from '../ratio.ts'
import { attempted, median, reason, reportFigure } from '../report.ts'
import { scratch } from '../scratch.ts'
import { type BenchRequest, Pair } from '../service.ts'
import { HOME_ASSISTANT } from './home-assistant.ts'
import { HOSTED } from './hosted.ts'
import { IOBROKER } from './iobroker.ts'
import { type Peer, PEER_CONNECTIONS, type PeerWork, type RunningPeer, watch } from './peer.ts'
import { ZIGBEE2MQTT } from './zigbee2mqtt.ts'

/**
 * `npm run bench:peers [-- peer … --rest SECONDS]` compares the gateway with its peers on the same work with one connection.
 * A request's figure is the share of the speed of a bare node:https server with the gateway's responses. It is no part
 * of the tests, because it downloads the peers. It reports failed peers and measures the others.
 */
const PEERS: readonly Peer[] = [HOME_ASSISTANT, ...HOSTED, IOBROKER, ZIGBEE2MQTT]
const [FEW, MANY] = [30, 300]
/** By then the code for the work is compiled in all servers. */
const WARM_UP_MS = 2 * ROUND_MS
const SETTLE_MS = 10_000
const LISTENERS = 10
const CHANGES = 100
const EVENT_MS_MAX = 5_000

type Named = Pick<Peer, 'name' | 'note'>
type Running = Named & { readonly server: RunningPeer }

const GATEWAY: Named = { name: 'hm-gateway', note: 'with TLS, token and log' }
const WORKS: readonly (readonly [PeerWork, string])[] = [
  ['read', 'read one device'],
  ['state', `state of ${FEW} devices`],
  ['set', 'set one device, acknowledged'],
]

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { rest: { type: 'string', default: '60' } },
})
const pinned = pinLoad()
process.stdout.write(
  `${pinned ? 'Servers on one core, load on the other.' : 'Cores are not pinned here: figures scatter more.'} ` +
    'A figure without a unit is the share of the speed of bare node:https, by CPU time of the server. ' +
    'All but the gateway set the value that is there.\n\n',
)
const isWanted = ({ name }: Peer): boolean => names.length === 0 || names.includes(name)

async function started(stack: AsyncDisposableStack): Promise<readonly Running[]> {
  const running: Running[] = []
  for (const peer of PEERS.filter(isWanted))
    try {
      running.push({ ...peer, server: stack.use(await peer.start(FEW)) })
    } catch (error) {
      process.stdout.write(`  ${peer.name} is left out: ${reason(error)}.\n`)
    }
  return running
}

/** Starts, memory and processor time without clients, all at once. */
async function atRest(image: Parameters<typeof startProgram>[0], peers: readonly Running[]): Promise<void> {
  using folder = scratch()
  const start = (): Promise<Program> => startProgram(image, folder.path, { HM_HMHC: `sim:units=${FEW}` })
  await (await start())[Symbol.asyncDispose]()
  await using program = await start()
  const all = [
    { name: GATEWAY.name, note: `${GATEWAY.note}; its simulated radio is included`, server: program },
    ...peers,
  ]
  await pause(SETTLE_MS)
  const before = all.map(({ server }) => usageOf(processTree(server.pid)))
  const seconds = Number(values.rest)
  await pause(seconds * 1_000)
  const after = all.map(({ server }) => usageOf(processTree(server.pid)))
  const tell = (work: string, figure: (index: number) => string): void => {
    for (const [index, { name, note }] of all.entries()) reportFigure(`${work}, ${name}`, figure(index), note)
  }
  tell('start', (index) => `${all[index]?.server.startMs.toFixed(0)} ms`)
  tell('memory of all processes', (index) => `${after[index]?.residentMiB} (${after[index]?.privateDirtyMiB}) MiB`)
  tell('CPU at rest', (index) => {
    const ms = (after[index]?.cpuMs ?? 0) - (before[index]?.cpuMs ?? 0)
    const wakeups = (after[index]?.wakeups ?? 0) - (before[index]?.wakeups ?? 0)
    return `${((ms / 1_000 / seconds) * 3_600).toFixed(1)} s/h, ${(wakeups / seconds).toFixed(0)}/s`
  })
}

const requestOf = (work: PeerWork, lamp: string): BenchRequest => {
  const device = `/v1/devices/${encodeURIComponent(lamp)}`
  if (work === 'set')
    return { method: 'POST', path: `${device}/control`, body: '{"op":"set_power","args":{"on":true}}' }
  return { path: work === 'read' ? device : '/v1/state' }
}

function gatewayOf(pair: Pair): RunningPeer {
  const { gateway, address } = pair
  const textOf = async (work: PeerWork): Promise<string> => (await pair.texts(requestOf(work, gateway.facts.lamp))).ours
  return {
    pid: gateway.pid,
    startMs: 0,
    open: async (work) => httpLoad(address, await textOf(work), 200, PEER_CONNECTIONS),
    listen: async (seen) => {
      for (const socket of await openSubscribers(address, [gateway.facts.token]))
        watch(socket, ({ state }: { state?: { bri?: number } }) => state?.bri, seen)
    },
    changer: async () => {
      const [socket, control] = [await openConnection(address), await textOf('set')]
      return () => roundTrip(socket, control)
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function orReason(work: string, { name }: Named, measure: () => Promise<void>): Promise<void> {
  try {
    await measure()
  } catch (error) {
    process.stdout.write(`  ${work}, ${name}: not measured, since ${reason(error)}.\n`)
  }
}

/** Compares all servers on one kind of work, each in turns with the bare server. */
async function requests(pair: Pair, work: PeerWork, title: string, peers: readonly Running[]): Promise<void> {
  const { theirs } = await pair.texts(requestOf(work, pair.gateway.facts.lamp))
  const bare = await httpLoad(pair.bareAddress, theirs, 200, PEER_CONNECTIONS)
  await bare.run(WARM_UP_MS)
  for (const peer of peers)
    await orReason(title, peer, async () => {
      const load = await peer.server.open(work)
      if (load === null) return void process.stdout.write(`  ${title}, ${peer.name}: it offers no request for it.\n`)
      await load.run(WARM_UP_MS)
      // The bare load is closed once, at the end.
      const ratio = await ratioOf(
        [{ run: (ms) => bare.run(ms), close: () => {} }, pair.bare],
        [load, processes(peer.server)],
      )
      reportFigure(`${title}, ${peer.name}`, rangeText(ratio), `${costText(ratio.ours)}; ${peer.note}`)
    })
  bare.close()
}

const processes = ({ pid }: RunningPeer) => ({
  cpuNs: () => processTree(pid).reduce((sum, process) => sum + cpuNs(process), 0),
})

/** A change by one client, until all listeners have it. */
async function events({ name, note, server }: Running): Promise<void> {
  const last: unknown[] = Array.from({ length: LISTENERS })
  let waiting = new Set<number>()
  let done = (): void => {}
  for (const index of last.keys())
    await server.listen((value) => {
      if (Object.is(last[index], value)) return
      last[index] = value
      if (waiting.delete(index) && waiting.size === 0) done()
    })
  const change = await server.changer()
  await change(false)
  await pause(SETTLE_MS / 10)
  const times: number[] = []
  const before = processes(server).cpuNs()
  for (let turn = 0; turn < CHANGES; turn += 1) {
    waiting = new Set(last.keys())
    const all = new Promise<void>((resolve) => (done = resolve))
    const begun = performance.now()
    await Promise.all([change(turn % 2 === 0), within(all)])
    times.push(performance.now() - begun)
  }
  const micros = ((processes(server).cpuNs() - before) / CHANGES / 1_000).toFixed(0)
  const figure = `${median(times).toFixed(2)} ms`
  reportFigure(`event to ${LISTENERS} listeners, ${name}`, figure, `p50, ${micros} us of CPU; ${note}`)
}

function within(event: Promise<void>): Promise<void> {
  const late = pause(EVENT_MS_MAX, undefined, { ref: false }).then(() => {
    throw new Error(`an event did not reach all listeners within ${EVENT_MS_MAX / 1_000} s`)
  })
  return Promise.race([event, late])
}

/** The state of many devices, one server at a time. */
async function manyDevices(): Promise<void> {
  const title = `state of ${MANY} devices`
  await using pair = await Pair.start(MANY)
  await pair.gateway.ask({ instantly: true })
  await requests(pair, 'state', title, [{ ...GATEWAY, server: gatewayOf(pair) }])
  for (const peer of PEERS.filter(isWanted)) {
    if (peer.devicesMax < MANY) {
      if (peer.devicesMax > 0)
        process.stdout.write(`  ${title}, ${peer.name}: its home has at most ${peer.devicesMax} devices.\n`)
      continue
    }
    await orReason(title, peer, async () => {
      await using server = await peer.start(MANY)
      pinServer(server.pid)
      await requests(pair, 'state', title, [{ ...peer, server }])
    })
  }
}

await attempted('peers', async () => {
  await using stack = new AsyncDisposableStack()
  const peers = await started(stack)
  await withForms(async (image) => atRest(image, peers))
  for (const { server } of peers) pinServer(server.pid)
  await using pair = await Pair.start(FEW)
  await pair.gateway.ask({ instantly: true })
  const all = [{ ...GATEWAY, server: gatewayOf(pair) }, ...peers]
  for (const [work, title] of WORKS) await requests(pair, work, title, all)
  for (const peer of all) await orReason(`event to ${LISTENERS} listeners`, peer, () => events(peer))
})
await attempted('peers with more devices', manyDevices)
process.exit(0)
