import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { type Listener, openConnection, openSocket, paced, read, requestText, bodyOf } from './load.ts'

/** Steps of a neighbour's scene, which are sent in one frame. */
export const SCENE_STEPS = 20
const READ_EVERY_MS = 20
const CONTROL_EVERY_MS = 100

/** Durations in milliseconds. */
export interface Measured {
  readonly reads: readonly number[]
  readonly controls: readonly number[]
  /** Time from the event's timestamp to its arrival. */
  readonly events: readonly number[]
}

interface ClientParts {
  readonly address: Listener
  readonly token: string
  readonly sockets: readonly [reads: Socket, controls: Socket]
  readonly stream: WebSocket
  readonly lamps: readonly string[]
}

/** An integration with little load: a read every 20 ms, at most ten commands a second, the events of one lamp. */
export class HealthyClient implements Disposable {
  readonly #parts: ClientParts

  private constructor(parts: ClientParts) {
    this.#parts = parts
  }

  static async open(address: Listener, token: string): Promise<HealthyClient> {
    const sockets = [await openConnection(address), await openConnection(address)] as const
    const stream = await openSocket(address, '/v1/stream', token)
    return new HealthyClient({ address, token, sockets, stream, lamps: await dimmersOf(address, token) })
  }

  /** Durations of consecutive commands for many lamps. */
  async groups(times: number): Promise<readonly number[]> {
    const { lamps, sockets } = this.#parts
    const taken: number[] = []
    for (let turn = 0; turn < times; turn += 1) {
      const command = { op: 'set_brightness', args: { bri: 20 + turn } }
      const controls = lamps.slice(0, SCENE_STEPS).map((device) => ({ device, ...command }))
      const begun = performance.now()
      await bodyOf(sockets[1], this.#request('POST', '/v1/control', { controls }))
      taken.push(performance.now() - begun)
    }
    return taken
  }

  async measure(durationMs: number): Promise<Measured> {
    const { sockets, stream, lamps } = this.#parts
    // Neighbours use the first lamps.
    const lamp = lamps.at(-1) ?? ''
    const path = `/v1/devices/${encodeURIComponent(lamp)}`
    const events: number[] = []
    stream.on('message', (data: Buffer) => {
      const { at, event } = JSON.parse(data.toString()) as { at?: number; event?: string }
      if (event === 'state' && at !== undefined) events.push(performance.timeOrigin + performance.now() - at)
    })
    stream.send(JSON.stringify({ id: '1', subscribe: [`device:${lamp}`] }))
    const until = performance.now() + durationMs
    let level = 0
    const control = (): string => {
      level = (level + 1) % 90
      return this.#request('POST', `${path}/control`, { op: 'set_brightness', args: { bri: 10 + level } })
    }
    const [reads, controls] = await Promise.all([
      paced(sockets[0], () => this.#request('GET', path), READ_EVERY_MS, until),
      paced(sockets[1], control, CONTROL_EVERY_MS, until),
    ])
    return { reads, controls, events }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#parts.sockets) socket.destroy()
    this.#parts.stream.terminate()
  }

  #request(method: string, path: string, body?: object): string {
    const { address, token } = this.#parts
    return requestText(method, path, address.port, token, '', body && JSON.stringify(body))
  }
}

interface House {
  readonly rooms: readonly { readonly units: readonly { readonly id: string; readonly class: string }[] }[]
}

export async function dimmersOf(address: Listener, token: string): Promise<readonly string[]> {
  const { rooms } = await read<House>(address, '/v1/house', token)
  return rooms.flatMap(({ units }) => units.filter((unit) => unit.class === 'light_dimmer').map(({ id }) => id))
}
