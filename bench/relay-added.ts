import { once } from 'node:events'
import { roundTrip, openConnection, openSocket, requestText } from './load.ts'
import type { RelayedGateway } from './relayed-gateway.ts'
import { atMost, percentile } from './report.ts'

const WARM_UP = 200
const ASKED = 2_000
const EVENTS = 300
const ADDED_MS = [
  [0.5, 1],
  [0.99, 25],
] as const

/** Latency that the relay adds to a response, one request at a time, all paths in turns. */
export async function benchAdded(world: RelayedGateway): Promise<void> {
  const { lamp } = world.gateway.facts
  await added(world, 'small answer', `/v1/devices/${encodeURIComponent(lamp)}`, ASKED)
  await added(world, 'large answer', '/v1/house', ASKED / 4)
  await events(world)
}

const waysOf = ({ home, relayed, endToEnd }: RelayedGateway) => [home, relayed, endToEnd]

async function added(world: RelayedGateway, what: string, path: string, count: number): Promise<void> {
  const { token } = world.gateway.facts
  const ways = await Promise.all(
    waysOf(world).map(async (address) => ({
      socket: await openConnection(address),
      request: requestText('GET', path, address.port, token),
      tookMs: [] as number[],
    })),
  )
  let length = 0
  for (let turn = -WARM_UP; turn < count; turn += 1)
    for (const { socket, request, tookMs } of ways) {
      const begun = performance.now()
      const { bytes } = await roundTrip(socket, request)
      if (turn >= 0) tookMs.push(performance.now() - begun)
      else length ||= bytes
    }
  for (const { socket } of ways) socket.destroy()
  const [home = [], ...away] = ways.map(({ tookMs }) => tookMs)
  const detail = (share: number) => `${percentile(home, share).toFixed(2)} ms at home, ${length.toLocaleString('en')} B`
  reportAdded(what, away, (share) => percentile(home, share), detail)
}

/** Reports the added time through the relay and end to end. */
function reportAdded(
  what: string,
  away: readonly (readonly number[])[],
  home: (share: number) => number,
  detail: (share: number) => string,
): void {
  for (const [index, name] of ['through the relay', 'end to end'].entries())
    for (const [share, most] of ADDED_MS) {
      const ms = percentile(away[index] ?? [], share) - home(share)
      const bound = { most, unit: 'ms', digits: 2, sign: '+', detail: detail(share) } as const
      atMost(`${what} ${name}, p${share * 100}`, ms, bound)
    }
}

/** The delay of an event through the relay compared with a socket at home. */
async function events(world: RelayedGateway): Promise<void> {
  const { gateway } = world
  const sockets = await Promise.all(waysOf(world).map((way) => openSocket(way, '/v1/stream', gateway.facts.token)))
  /** Resolves with the time of the next message of each socket. */
  const next = (): Promise<number[]> =>
    Promise.all(sockets.map((socket) => once(socket, 'message').then(() => performance.now())))
  const answered = next()
  for (const socket of sockets) socket.send(JSON.stringify({ id: '1', subscribe: ['state'] }))
  await answered
  const later: number[][] = [[], []]
  for (let count = -EVENTS / 10; count < EVENTS; count += 1) {
    const [[home = 0, ...away]] = await Promise.all([next(), gateway.ask({ events: 1 })])
    if (count >= 0) for (const [index, at] of away.entries()) later[index]?.push(at - home)
  }
  for (const socket of sockets) socket.terminate()
  const detail = () => 'after a socket at home has it'
  reportAdded('an event', later, () => 0, detail)
}
