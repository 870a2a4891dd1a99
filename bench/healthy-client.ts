import type { WebSocket } from 'ws'
import { type Door, opened, requestText } from './http-load.ts'
import { openSocket } from './ws-load.ts'
import type { TLSSocket } from 'node:tls'

/** Steps of a scene of the neighbour's, which go out in one frame. */
export const SCENE_STEPS = 20
const READ_EVERY_MS = 20
const CONTROL_EVERY_MS = 100

/** Milliseconds that each took. */
export interface Measured {
  readonly reads: readonly number[]
  readonly controls: readonly number[]
  /** From when the gateway says that it happened until it is here. */
  readonly events: readonly number[]
}

interface House {
  readonly rooms: readonly { readonly units: readonly { readonly id: string; readonly class: string }[] }[]
}

/** An integration that asks for little: a read every 20 ms, at most ten commands a second, the events of one lamp. */
export class HealthyClient {
  readonly #door: Door
  readonly #token: string
  readonly #sockets: readonly [reads: TLSSocket, controls: TLSSocket]
  readonly #stream: WebSocket
  readonly #lamps: readonly string[]
  readonly #lamp: string

  private constructor(
    door: Door,
    token: string,
    sockets: readonly [TLSSocket, TLSSocket],
    stream: WebSocket,
    lamps: readonly string[],
    lamp: string,
  ) {
    this.#door = door
    this.#token = token
    this.#sockets = sockets
    this.#stream = stream
    this.#lamps = lamps
    this.#lamp = lamp
  }

  static async open(door: Door, token: string): Promise<HealthyClient> {
    const sockets = [await opened(door), await opened(door)] as const
    const house = JSON.parse(await exchange(sockets[0], requestText('GET', '/v1/house', door.port, token))) as House
    // The last one: neighbours take the first.
    const lamps = dimmersOf(house)
    const lamp = lamps.at(-1)
    if (lamp === undefined) throw new Error('the house of the benchmark has no dimmer')
    const stream = await openSocket(door, '/v1/stream', token)
    return new HealthyClient(door, token, sockets, stream, lamps, lamp)
  }

  /** How long one command for many lamps takes, one after the other. */
  async groups(times: number): Promise<readonly number[]> {
    const taken: number[] = []
    for (let turn = 0; turn < times; turn += 1) {
      const command = { op: 'set_brightness', args: { bri: 20 + turn } }
      const body = JSON.stringify({
        controls: this.#lamps.slice(0, SCENE_STEPS).map((device) => ({ device, ...command })),
      })
      const begun = performance.now()
      await exchange(this.#sockets[1], requestText('POST', '/v1/control', this.#door.port, this.#token, '', body))
      taken.push(performance.now() - begun)
    }
    return taken
  }

  async measure(durationMs: number): Promise<Measured> {
    const [reading, controlling] = this.#sockets
    const path = `/v1/devices/${encodeURIComponent(this.#lamp)}`
    const events: number[] = []
    this.#stream.on('message', (data: Buffer) => {
      const { at, event } = JSON.parse(data.toString()) as { at?: number; event?: string }
      if (event === 'state' && at !== undefined) events.push(performance.timeOrigin + performance.now() - at)
    })
    this.#stream.send(JSON.stringify({ id: '1', subscribe: [`device:${this.#lamp}`] }))
    const until = performance.now() + durationMs
    let level = 0
    const control = (): string => {
      level = (level + 1) % 90
      const body = JSON.stringify({ op: 'set_brightness', args: { bri: 10 + level } })
      return requestText('POST', `${path}/control`, this.#door.port, this.#token, '', body)
    }
    const read = requestText('GET', path, this.#door.port, this.#token)
    const [reads, controls] = await Promise.all([
      again(reading, () => read, READ_EVERY_MS, until),
      again(controlling, control, CONTROL_EVERY_MS, until),
    ])
    return { reads, controls, events }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#stream.terminate()
  }
}

/** One request after the other, at this pace; how long each took. */
async function again(socket: TLSSocket, request: () => string, everyMs: number, until: number): Promise<number[]> {
  const times: number[] = []
  while (performance.now() < until) {
    const begun = performance.now()
    await exchange(socket, request())
    const took = performance.now() - begun
    times.push(took)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, everyMs - took)))
  }
  return times
}

export function dimmersOf({ rooms }: House): string[] {
  return rooms.flatMap(({ units }) => units.filter((unit) => unit.class === 'light_dimmer').map(({ id }) => id))
}

/** The body of the answer; throws for any other status than 200 and 201. */
export function exchange(socket: TLSSocket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let whole = Infinity
    let head = 0
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      bytes += chunk.length
      if (whole === Infinity) {
        const text = Buffer.concat(chunks).toString('latin1')
        head = text.indexOf('\r\n\r\n') + 4
        if (head < 4) return
        whole = head + Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
      }
      if (bytes < whole) return
      socket.off('data', take)
      const answer = Buffer.concat(chunks)
      const status = answer.toString('latin1', 9, 12)
      if (status === '200' || status === '201') resolve(answer.toString('utf8', head))
      else reject(new Error(`a request of the benchmark was answered ${answer.toString('utf8', 0, 400)}`))
    }
    socket.on('data', take)
    socket.write(request)
  })
}
