import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { every } from '@hm-gateway/lib/clock.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import { PEER_HEADER, REQUEST_HEADER } from '@hm-gateway/wire/tunnel.ts'
import { peerOf } from '../limits/connections.ts'
import type { Directory } from '../tunnels/directory.ts'
import { openStream } from '../tunnels/open-stream.ts'
import type { Limits } from './limits.ts'
import type { RelayParts } from '../store/parts.ts'

/** A connection over which nothing passed is kept this long: longer than gateways keep one, or leave one unpinged. */
export const PASSTHROUGH_IDLE_MS = 120_000
/** The gateway takes the connection within this. */
export const PASSTHROUGH_OPENS_MS = 10_000
const LOOK_EACH_MS = 5_000
const REQUEST_ID_BYTES = 16

/** TLS alerts (RFC 8446 section 6), in the clear since nothing is agreed on: all that a client can be told. */
const ALERTS = {
  /** Nobody takes connections by this name: no such gateway, offline, or its administrator does not want them. */
  unrecognized_name: Buffer.from([21, 3, 3, 0, 2, 2, 112]),
  /** Too many. */
  internal_error: Buffer.from([21, 3, 3, 0, 2, 2, 80]),
} as const

export interface PassthroughParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly directory: Directory
  readonly limits: Pick<Limits, 'request' | 'home'>
}

interface Passing {
  readonly socket: Socket
  activeAt: number
  /** By its gateway. */
  isTaken: boolean
}

/**
 * Connections of clients whose TLS ends at a gateway: bytes to and fro, of which the relay understands the server name
 * at the beginning and no other.
 */
export class Passthrough {
  readonly #parts: PassthroughParts
  readonly #passing = new Set<Passing>()
  readonly #stopLooking: () => void

  constructor(parts: PassthroughParts) {
    this.#parts = parts
    this.#stopLooking = every(parts.clock, LOOK_EACH_MS, () => this.#look())
  }

  /** Connections that are open now. */
  get size(): number {
    return this.#passing.size
  }

  /** Connects a client to a gateway, or ends its connection; never rejects. `hello` was read of it already. */
  async take(socket: Socket, gateway: string, hello: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    const { directory, limits } = this.#parts
    const peer = peerOf({ socket })
    if (limits.request(peer) > 0 || limits.home({ gateway, token: null, peer }) > 0)
      return refuse(socket, 'internal_error')
    const passing = this.#entered(socket, gateway)
    try {
      const begin = { headers: this.#headers(peer), endStream: false, isCancelled: () => socket.destroyed }
      const opened = await openStream(directory, gateway, begin)
      if (opened === 'cancelled') return
      if (opened === 'gone') return refuse(socket, 'unrecognized_name')
      if (opened === 'busy') return refuse(socket, 'internal_error')
      this.#pass(passing, opened.stream, hello)
    } catch {
      refuse(socket, 'internal_error')
    }
  }

  /** Ends all of them. */
  stop(): void {
    this.#stopLooking()
    for (const { socket } of this.#passing) socket.destroy()
  }

  #headers(peer: string): OutgoingHttpHeaders {
    const id = this.#parts.random.bytes(REQUEST_ID_BYTES).toString('hex')
    return { ':method': 'CONNECT', ':authority': 'tls', [PEER_HEADER]: peer, [REQUEST_HEADER]: id }
  }

  #entered(socket: Socket, gateway: string): Passing {
    const { clock, log } = this.#parts
    const since = clock.monotonic()
    const passing = { socket, activeAt: since, isTaken: false }
    this.#passing.add(passing)
    socket.once('close', () => {
      this.#passing.delete(passing)
      const ms = Math.round(clock.monotonic() - since)
      log.info({ serial: gateway, taken: passing.isTaken, ms }, 'An end-to-end connection ended.')
    })
    return passing
  }

  #pass(passing: Passing, stream: ClientHttp2Stream, hello: Buffer): void {
    const { socket } = passing
    const active = (): void => {
      passing.activeAt = this.#parts.clock.monotonic()
    }
    const late = this.#parts.clock.after(PASSTHROUGH_OPENS_MS, () => abandon(stream))
    socket.once('close', () => abandon(stream))
    stream.once('response', (headers) => {
      late()
      passing.isTaken = headers[':status'] === 200
      if (passing.isTaken) stream.on('data', active).pipe(socket)
      else abandon(stream)
    })
    stream.once('close', () => {
      late()
      if (passing.isTaken) socket.destroySoon()
      else refuse(socket, isShort(stream) ? 'internal_error' : 'unrecognized_name')
    })
    stream.write(hello)
    socket.on('data', active).pipe(stream)
  }

  #look(): void {
    const now = this.#parts.clock.monotonic()
    for (const { socket, activeAt } of this.#passing) if (now - activeAt >= PASSTHROUGH_IDLE_MS) socket.destroy()
  }
}

/** Whether the node that holds the tunnel had no place for it. */
function isShort({ rstCode }: ClientHttp2Stream): boolean {
  return rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM
}

function refuse(socket: Socket, alert: keyof typeof ALERTS): void {
  if (socket.destroyed || !socket.writable) return void socket.destroy()
  socket.end(ALERTS[alert], () => socket.destroy())
}
