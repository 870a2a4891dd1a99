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
import type { StreamOpener } from './directory.ts'
import { type ExhaustedQuota, StreamQuota, type StreamLimits, TUNNEL_STREAM_LIMITS } from './stream-quota.ts'
import type { RelayParts } from '../store/relay-parts.ts'

export interface SessionLimits {
  /** Streams over the whole life of the session, before another session should replace it. */
  readonly streamsInAll: number
  readonly concurrent: StreamLimits
  /** Unread data of all streams together. */
  readonly memoryMib: number
  /** Receive window of the connection. */
  readonly windowBytes: number
}

/** Half of the stream ids of HTTP/2: the session is replaced before they run out. */
export const STREAMS_OF_SESSION_MAX = 2 ** 29

/** Limits of a gateway's tunnel. The memory covers `STREAMS_MAX` clients that read slowly. */
const TUNNEL_LIMITS: SessionLimits = {
  streamsInAll: STREAMS_OF_SESSION_MAX,
  concurrent: TUNNEL_STREAM_LIMITS,
  memoryMib: 48,
  windowBytes: CONNECTION_WINDOW_BYTES,
}

/** `silent`: the gateway did not answer pings in time. */
export type TunnelCloseReason = 'silent' | 'closed'

export interface TunnelSessionParts extends Pick<RelayParts, 'clock' | 'log'> {
  readonly socket: TLSSocket
  readonly onClose: (reason: TunnelCloseReason) => void
  /** Called once after `streamsInAll` streams: another session should replace this one, which still serves. */
  readonly onExhausted: () => void
  /** Called for each request that is refused because of this quota. */
  readonly onQuotaExhausted?: (quota: ExhaustedQuota) => void
  /** Defaults to the limits of a gateway's tunnel. */
  readonly limits?: SessionLimits
}

/**
 * One HTTP/2 session with the relay as the client: a gateway's tunnel, or the connection to another node. The peer is
 * unknown until it authenticates, and may send hostile bytes at any time.
 */
export class TunnelSession implements StreamOpener {
  /** True once the peer has sent its HTTP/2 settings, false if the session ended before. */
  readonly established: Promise<boolean>
  readonly #parts: TunnelSessionParts
  readonly #limits: SessionLimits
  readonly #session: ClientHttp2Session
  readonly #heartbeat: Heartbeat
  readonly #quota: StreamQuota
  #opened = 0
  #ended = false

  /** Takes over the socket, on which nothing was written yet. */
  constructor(parts: TunnelSessionParts) {
    this.#parts = parts
    const { socket, clock, log, limits = TUNNEL_LIMITS } = parts
    this.#limits = limits
    this.#quota = new StreamQuota(limits.concurrent, clock)
    this.#session = connect('https://gateway', {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxHeaderListSize: HEADER_BYTES_MAX,
      },
      maxSessionMemory: limits.memoryMib,
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
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(limits.windowBytes)
    })
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.established = promise
    this.#session.once('remoteSettings', () => resolve(true))
    this.#session.once('close', () => {
      resolve(false)
      this.destroy()
    })
  }

  /** Number of open streams. */
  get streams(): number {
    return this.#quota.streams.size
  }

  get isOpen(): boolean {
    return !this.#session.destroyed && !this.#session.closed
  }

  /** Keying material (RFC 5705) that only the two ends of this TLS connection share. */
  exporter(bytes: number, label: string, context: string): Buffer {
    return this.#parts.socket.exportKeyingMaterial(bytes, label, Buffer.from(context))
  }

  open(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream | 'gone' | 'busy' {
    if (!this.isOpen) return 'gone'
    const exhausted = this.#quota.makeRoom(headers)
    if (exhausted !== null) {
      this.#parts.onQuotaExhausted?.(exhausted)
      return 'busy'
    }
    try {
      const stream = this.#session.request(headers, { endStream })
      this.#quota.add(stream, headers)
      this.#opened += 1
      if (this.#opened === this.#limits.streamsInAll) this.#parts.onExhausted()
      this.#heartbeat.requestSent()
      // An error without a listener would end the process. The caller sees how the stream closed.
      stream.on('error', (error: Error) => this.#parts.log.debug({ err: error }, 'A relayed stream failed.'))
      boundHalfOpen(stream, this.#parts.clock)
      return stream
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'A tunnel could not open a stream.')
      return 'gone'
    }
  }

  /** Resets every open stream, without waiting for the gateway. */
  resetStreams(): void {
    for (const stream of this.#quota.streams) abandon(stream)
  }

  /** Takes no further streams; open streams may go on for up to `graceMs`. */
  retire(graceMs: number): void {
    if (this.isOpen) this.#session.close()
    this.#parts.clock.after(graceMs, () => this.destroy())
  }

  destroy(reason: TunnelCloseReason = 'closed'): void {
    if (this.#ended) return
    this.#ended = true
    this.#heartbeat.stop()
    this.#session.destroy(undefined, constants.NGHTTP2_NO_ERROR)
    this.#parts.socket.destroy()
    this.#parts.onClose(reason)
  }
}
