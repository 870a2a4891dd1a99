import type { TLSSocket } from 'node:tls'
import { answerLength, type Door, opened, requestText } from './http-load.ts'
import type { RelayedGateway } from './relayed-gateway.ts'
import { atMost, percentile } from './report.ts'
import { openSocket } from './ws-load.ts'

const WARM_UP = 200
const ASKED = 2_000
const EVENTS = 300
const ADDED_MS = [
  [0.5, 1],
  [0.99, 25],
] as const

/** What the way through the relay adds to an answer at home, one request at a time, the ways in turns. */
export async function benchAdded(world: RelayedGateway): Promise<void> {
  const { lamp } = world.gateway.facts
  const small = `/v1/devices/${encodeURIComponent(lamp)}`
  await added(world, 'small answer', small, ASKED)
  await added(world, 'large answer', '/v1/house', ASKED / 4)
  await events(world)
}

async function added(world: RelayedGateway, what: string, path: string, asked: number): Promise<void> {
  const { token } = world.gateway.facts
  const ways = await Promise.all(
    [world.home, world.relayed, world.endToEnd].map((door) => Asking.open(door, path, token)),
  )
  const tookMs: number[][] = ways.map(() => [])
  for (let count = -WARM_UP; count < asked; count += 1)
    for (const [index, way] of ways.entries()) {
      const ms = await way.ask()
      if (count >= 0) tookMs[index]?.push(ms)
    }
  const bytes = ways[0]?.answerBytes ?? 0
  for (const way of ways) way.close()
  const [home = [], relayed = [], endToEnd = []] = tookMs
  told(`${what} through the relay`, home, relayed, bytes)
  told(`${what} end to end`, home, endToEnd, bytes)
}

function told(work: string, home: readonly number[], away: readonly number[], bytes: number): void {
  for (const [share, most] of ADDED_MS) {
    const atHome = percentile(home, share)
    const detail = `${atHome.toFixed(2)} ms at home, ${bytes.toLocaleString('en')} B`
    addedMs(`${work}, p${share * 100}`, percentile(away, share) - atHome, most, detail)
  }
}

function addedMs(work: string, ms: number, most: number, detail: string): void {
  atMost(work, ms, { most, unit: 'ms', digits: 2, sign: '+', detail })
}

/** One connection that asks one thing again and again. */
class Asking {
  readonly answerBytes: number
  readonly #socket: TLSSocket
  readonly #request: Buffer

  private constructor(socket: TLSSocket, request: Buffer, answerBytes: number) {
    this.#socket = socket
    this.#request = request
    this.answerBytes = answerBytes
  }

  static async open(door: Door, path: string, token: string): Promise<Asking> {
    const socket = await opened(door)
    const request = Buffer.from(requestText('GET', path, door.port, token))
    return new Asking(socket, request, await answerLength(socket, request, 200))
  }

  /** How long the whole answer took, in milliseconds. */
  ask(): Promise<number> {
    return new Promise((resolve) => {
      const begun = performance.now()
      let bytes = 0
      const take = (chunk: Buffer): void => {
        bytes += chunk.length
        if (bytes < this.answerBytes) return
        this.#socket.off('data', take)
        resolve(performance.now() - begun)
      }
      this.#socket.on('data', take)
      this.#socket.write(this.#request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** The same event at a socket at home and at one through the relay. */
async function events(world: RelayedGateway): Promise<void> {
  const { gateway, home, relayed, endToEnd } = world
  const sockets = await Promise.all(
    [home, relayed, endToEnd].map((door) => openSocket(door, '/v1/stream', gateway.facts.token)),
  )
  const came = sockets.map(() => 0)
  let waiting = 0
  let all = (): void => {}
  for (const [index, socket] of sockets.entries())
    socket.on('message', () => {
      came[index] = performance.now()
      waiting -= 1
      if (waiting === 0) all()
    })
  const each = async (act: () => void): Promise<void> => {
    waiting = sockets.length
    await new Promise<void>((resolve) => {
      all = resolve
      act()
    })
  }
  await each(() => sockets.forEach((socket) => socket.send(JSON.stringify({ id: '1', subscribe: ['state'] }))))
  const later: number[][] = sockets.map(() => [])
  for (let count = -EVENTS / 10; count < EVENTS; count += 1) {
    await each(() => void gateway.ask({ events: 1 }))
    if (count >= 0) for (const [index, at] of came.entries()) later[index]?.push(at - (came[0] ?? 0))
  }
  for (const socket of sockets) socket.terminate()
  for (const [index, name] of [
    [1, 'through the relay'],
    [2, 'end to end'],
  ] as const)
    for (const [share, most] of ADDED_MS) {
      const ms = percentile(later[index] ?? [], share)
      addedMs(`an event ${name}, p${share * 100}`, ms, most, 'after a socket at home has it')
    }
}
