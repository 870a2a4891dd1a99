import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { abandon, boundHalfOpen } from '@hm-gateway/wire/half-open.ts'
import { type Heartbeat, sessionHeartbeat } from '@hm-gateway/wire/heartbeat.ts'
import { CONNECTION_WINDOW_BYTES, HEADER_BYTES_MAX, STREAM_WINDOW_BYTES } from '@hm-gateway/wire/tunnel.ts'
import type { GatewayLine } from './directory.ts'
import { type FullPlaces, Places, type PlacesBounds, TUNNEL_PLACES } from './places.ts'
import type { RelayParts } from '../store/parts.ts'

/**
 * How much a session takes: streams in all until another should take its place; and at once streams, what they leave
 * unread in MiB, and the window of all of them together.
 */
export interface SessionBounds {
  readonly streamsInAll: number
  readonly places: PlacesBounds
  readonly memoryMib: number
  readonly windowBytes: number
}

/** HTTP/2 has numbers for twice as many; whoever serves a session without end must change it in time. */
export const STREAMS_OF_SESSION_MAX = 2 ** 29

/** Of one gateway: the memory is what `STREAMS_MAX` slow readers of its answers can leave unread. */
const TUNNEL_BOUNDS: SessionBounds = {
  streamsInAll: STREAMS_OF_SESSION_MAX,
  places: TUNNEL_PLACES,
  memoryMib: 48,
  windowBytes: CONNECTION_WINDOW_BYTES,
}

/** `silent`: pings were not answered in time. */
export type TunnelEnd = 'silent' | 'closed'

export interface HeldTunnelParts extends Pick<RelayParts, 'clock' | 'log'> {
  readonly socket: TLSSocket
  readonly closed: (reason: TunnelEnd) => void
  /** Called once, when another should take its place: it has had `streamsInAll`, and serves on meanwhile. */
  readonly worn: () => void
  /** A request was refused, since these places are all taken. */
  readonly full?: (places: FullPlaces) => void
  /** Those of a gateway's tunnel unless said. */
  readonly bounds?: SessionBounds
}

/**
 * One gateway's tunnel as its relay holds it, or the session to another node: HTTP/2 with the relay as the client. What
 * comes from the other end is a stranger's until it has proved itself, and hostile at any time.
 */
export class HeldTunnel implements GatewayLine {
  /** True once the other end speaks the protocol, false where it never did. */
  readonly answers: Promise<boolean>
  readonly #parts: HeldTunnelParts
  readonly #bounds: SessionBounds
  readonly #session: ClientHttp2Session
  readonly #heartbeat: Heartbeat
  readonly #places: Places
  #opened = 0
  #ended = false

  /** Nothing may have been written on the socket before. */
  constructor(parts: HeldTunnelParts) {
    this.#parts = parts
    const { socket, clock, log, bounds = TUNNEL_BOUNDS } = parts
    this.#bounds = bounds
    this.#places = new Places(bounds.places, clock)
    this.#session = connect('https://gateway', {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxHeaderListSize: HEADER_BYTES_MAX,
      },
      maxSessionMemory: bounds.memoryMib,
    })
    this.#heartbeat = sessionHeartbeat(this.#session, socket, { clock, lost: () => this.destroy('silent') })
    const failed = (error: Error): void => log.debug({ err: error }, 'A tunnel failed.')
    socket.on('error', failed)
    socket.once('close', () => this.destroy())
    this.#session.on('error', failed)
    this.#session.on('frameError', () => this.destroy())
    this.#session.on('goaway', () => this.#session.close())
    this.#session.on('stream', (stream: ClientHttp2Stream) => {
      stream.on('error', failed)
      stream.destroy()
    })
    this.#session.once('connect', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(bounds.windowBytes)
    })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.answers = promise
    this.#session.once('remoteSettings', () => resolve(true))
    this.#session.once('close', () => {
      resolve(false)
      this.destroy()
    })
  }

  get streams(): number {
    return this.#places.streams.size
  }

  get isOpen(): boolean {
    return !this.#session.destroyed && !this.#session.closed
  }

  /** The key material that only the two ends of this TLS connection have. */
  exporter(bytes: number, label: string, context: string): Buffer {
    return this.#parts.socket.exportKeyingMaterial(bytes, label, Buffer.from(context))
  }

  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy' {
    if (!this.isOpen) return 'gone'
    const full = this.#places.makeRoom(headers)
    if (full !== null) {
      this.#parts.full?.(full)
      return 'busy'
    }
    try {
      const stream = this.#session.request(headers, { endStream })
      this.#places.enter(stream, headers)
      this.#opened += 1
      if (this.#opened === this.#bounds.streamsInAll) this.#parts.worn()
      this.#heartbeat.asked()
      // An error without a listener would end the process; whoever opened the stream sees how it closed.
      stream.on('error', (error: Error) => this.#parts.log.debug({ err: error }, 'A relayed stream failed.'))
      boundHalfOpen(stream, this.#parts.clock)
      return stream
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'A tunnel takes no stream.')
      return 'gone'
    }
  }

  /** Ends every stream that is open now, whatever the gateway makes of it. */
  cutStreams(): void {
    for (const stream of this.#places.streams) abandon(stream)
  }

  /** Takes no further streams; those that are open may end, for `graceMs` at most. */
  retire(graceMs: number): void {
    if (this.isOpen) this.#session.close()
    this.#parts.clock.after(graceMs, () => this.destroy())
  }

  destroy(reason: TunnelEnd = 'closed'): void {
    if (this.#ended) return
    this.#ended = true
    this.#heartbeat.stop()
    this.#session.destroy(undefined, constants.NGHTTP2_NO_ERROR)
    this.#parts.socket.destroy()
    this.#parts.closed(reason)
  }
}
