import { fetchOnce, httpLoad, type LoadRun, requestText } from '../load.ts'
import { pinLoad, type ServerProcess, startServer } from '../processes.ts'
import { ratioOf } from '../ratio.ts'
import { attempted, reason, reportFigure } from '../report.ts'
import { Pair } from '../service.ts'
import { DEVICES, type Hosted } from './host.ts'
import { installed } from './install.ts'
import { type Peer, type PeerFacts, PEERS, type PeerWork } from './peers.ts'

/**
 * `npm run bench:peers` compares the gateway with its peers on the same work, each relative to a bare node:https server
 * with the gateway's responses. It is no part of the tests, because it downloads the peers. It reports failed peers
 * and measures the others.
 */
type Running = { readonly peer: Peer; readonly server: ServerProcess<PeerFacts> }

interface Request {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** By then the code for the work is compiled in all servers. */
const WARM_UP_MS = 2_000

const pinned = pinLoad()
process.stdout.write(
  `${pinned ? 'Servers on one core, load on the other.' : 'Cores are not pinned here: figures scatter more.'} ` +
    'A figure is the share of the speed of bare node:https, by CPU time of the server.\n\n',
)
await attempted('peers', async () => {
  const peers = await started()
  await using pair = await Pair.start(DEVICES)
  await pair.gateway.ask({ instantly: true })
  for (const [work, request] of Object.entries(requests(pair)) as [PeerWork, Request][]) {
    await compare(pair, work, request, peers)
  }
  for (const { server } of peers) await server.stop()
})
process.exit(0)

async function started(): Promise<readonly Running[]> {
  const running: Running[] = []
  for (const peer of PEERS) {
    try {
      const folder = installed(peer.name, peer.packages)
      // Without the gateway's flags of Node.
      const server = await startServer<Hosted<PeerFacts>>(`peers/${peer.host}`, [folder], { flags: [] })
      const { facts } = server
      if ('failed' in facts) {
        await server.stop()
        throw new Error(`it could not be started: ${facts.failed}`)
      }
      running.push({ peer, server: { ...server, facts } })
    } catch (error) {
      process.stdout.write(`${peer.name} is left out: ${reason(error)}.\n`)
    }
  }
  return running
}

function requests({ gateway }: Pair): Readonly<Record<PeerWork, Request>> {
  const device = `/v1/devices/${encodeURIComponent(gateway.facts.lamp)}`
  return {
    'read one device': { method: 'GET', path: device, body: '' },
    'state of 30 devices': { method: 'GET', path: '/v1/state', body: '' },
    'set one device': {
      method: 'POST',
      path: `${device}/control`,
      body: '{"op":"set_brightness","args":{"bri":40}}',
    },
  }
}

/** Compares all servers on one kind of work, each in turns with the bare server. */
async function compare(pair: Pair, work: PeerWork, request: Request, peers: readonly Running[]): Promise<void> {
  const { method, path, body } = request
  const { port, token } = pair.gateway.facts
  const text = requestText(method, path, port, token, '', body)
  const answer = await fetchOnce(pair.address, text)
  await pair.bare.ask({ answer: { path, status: answer.status, body: answer.body } })
  const bare = await httpLoad(
    pair.bareAddress,
    requestText(method, path, pair.bare.facts.port, token, '', body),
    answer.status,
  )
  // The bare load is closed once, at the end.
  const measure = { run: (ms: number) => bare.run(ms), close: () => {} }
  const compare = async (name: string, load: LoadRun, server: { cpuNs(): number }, detail: string): Promise<void> => {
    const ratio = await load
      .run(WARM_UP_MS)
      .then(() => ratioOf([measure, pair.bare], [load, server]))
      .finally(() => load.close())
    const [cpu] = ratio.cpu
    const { cpuMicros, perSecond } = ratio.ours
    const costs = `${cpuMicros.toFixed(0)} us of CPU each, bare ${ratio.baseline.cpuMicros.toFixed(0)} us`
    const figure = cpu < 0.1 ? cpu.toFixed(3) : cpu.toFixed(2)
    const speed = `${Math.round(perSecond).toLocaleString('en')}/s`
    reportFigure(`${work}, ${name}`, figure, `${costs}, ${speed}; ${detail}`)
  }
  await bare.run(WARM_UP_MS)
  await compare('hm-gateway', await httpLoad(pair.address, text), pair.gateway, 'TLS and a key, as everybody has it')
  for (const { peer, server } of peers) {
    try {
      const load = await peer.open(work, server.facts)
      if (load === null) process.stdout.write(`  ${work}, ${peer.name}: it offers no request for it.\n`)
      else await compare(peer.name, load, server, peer.without)
    } catch (error) {
      process.stdout.write(`  ${work}, ${peer.name}: not measured, since ${reason(error)}.\n`)
    }
  }
  bare.close()
}
