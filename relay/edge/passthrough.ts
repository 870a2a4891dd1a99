import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import { every } from '@hm-gateway/lib/clock.ts'
import { abandon } from '@hm-gateway/wire/half-open.ts'
import { PEER_HEADER, REQUEST_HEADER } from '@hm-gateway/wire/tunnel.ts'
import { peerOf } from '../limits/connections.ts'
import type { Directory } from '../tunnels/directory.ts'
import { openStream } from '../tunnels/open-stream.ts'
import type { Limits } from './limits.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** An idle connection is closed after this time, which is longer than the gateway's own idle and ping timeouts. */
export const PASSTHROUGH_IDLE_MS = 120_000
/** Timeout of the gateway's acceptance. */
export const PASSTHROUGH_OPEN_TIMEOUT_MS = 10_000
const IDLE_CHECK_MS = 5_000
const REQUEST_ID_BYTES = 16

/** TLS alerts (RFC 8446 section 6), unencrypted because they precede the handshake. */
const ALERTS = {
  /** The gateway is unknown or offline, or its administrator has turned passthrough off. */
  unrecognized_name: Buffer.from([21, 3, 3, 0, 2, 2, 112]),
  /** A limit is reached. */
  internal_error: Buffer.from([21, 3, 3, 0, 2, 2, 80]),
} as const

export interface PassthroughParts extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly directory: Directory
  readonly limits: Pick<Limits, 'request' | 'home'>
}

interface Connection {
  readonly socket: Socket
  activeAt: number
  /** True once the gateway has accepted it. */
  isAccepted: boolean
}

/** End-to-end connections, whose TLS ends at a gateway. The relay reads only the server name and copies the bytes. */
export class Passthrough {
  readonly #parts: PassthroughParts
  readonly #connections = new Set<Connection>()
  readonly #stopIdleCheck: () => void

  constructor(parts: PassthroughParts) {
    this.#parts = parts
    this.#stopIdleCheck = every(parts.clock, IDLE_CHECK_MS, () => this.#closeIdle())
  }

  /** Number of open connections. */
  get size(): number {
    return this.#connections.size
  }

  /**
   * Connects a client to a gateway, or closes its connection; never rejects.
   * @param hello bytes already read from the socket.
   */
  async accept(socket: Socket, gateway: string, hello: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    const { directory, limits } = this.#parts
    const peer = peerOf({ socket })
    if (limits.request(peer) > 0 || limits.home({ gateway, token: null, peer }) > 0)
      return refuse(socket, 'internal_error')
    const connection = this.#add(socket, gateway)
    try {
      const streamRequest = { headers: this.#headers(peer), endStream: false, isCancelled: () => socket.destroyed }
      const opened = await openStream(directory, gateway, streamRequest)
      if (opened === 'cancelled') return
      if (opened === 'gone') return refuse(socket, 'unrecognized_name')
      if (opened === 'busy') return refuse(socket, 'internal_error')
      this.#connect(connection, opened.stream, hello)
    } catch {
      refuse(socket, 'internal_error')
    }
  }

  /** Closes all connections. */
  stop(): void {
    this.#stopIdleCheck()
    for (const { socket } of this.#connections) socket.destroy()
  }

  #headers(peer: string): OutgoingHttpHeaders {
    const id = this.#parts.random.bytes(REQUEST_ID_BYTES).toString('hex')
    return { ':method': 'CONNECT', ':authority': 'tls', [PEER_HEADER]: peer, [REQUEST_HEADER]: id }
  }

  #add(socket: Socket, gateway: string): Connection {
    const { clock, log } = this.#parts
    const since = clock.monotonic()
    const connection = { socket, activeAt: since, isAccepted: false }
    this.#connections.add(connection)
    socket.once('close', () => {
      this.#connections.delete(connection)
      const ms = Math.round(clock.monotonic() - since)
      log.info({ serial: gateway, taken: connection.isAccepted, ms }, 'An end-to-end connection ended.')
    })
    return connection
  }

  #connect(connection: Connection, stream: ClientHttp2Stream, hello: Buffer): void {
    const { socket } = connection
    const markActive = (): void => {
      connection.activeAt = this.#parts.clock.monotonic()
    }
    const cancelTimeout = this.#parts.clock.after(PASSTHROUGH_OPEN_TIMEOUT_MS, () => abandon(stream))
    socket.once('close', () => abandon(stream))
    stream.once('response', (headers) => {
      cancelTimeout()
      connection.isAccepted = headers[':status'] === 200
      if (connection.isAccepted) stream.on('data', markActive).pipe(socket)
      else abandon(stream)
    })
    stream.once('close', () => {
      cancelTimeout()
      if (connection.isAccepted) socket.destroySoon()
      else refuse(socket, isBusy(stream) ? 'internal_error' : 'unrecognized_name')
    })
    stream.write(hello)
    socket.on('data', markActive).pipe(stream)
  }

  #closeIdle(): void {
    const now = this.#parts.clock.monotonic()
    for (const { socket, activeAt } of this.#connections) if (now - activeAt >= PASSTHROUGH_IDLE_MS) socket.destroy()
  }
}

/** True if the tunnel has no room for the stream. */
function isBusy({ rstCode }: ClientHttp2Stream): boolean {
  return rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM
}

function refuse(socket: Socket, alert: keyof typeof ALERTS): void {
  if (socket.destroyed || !socket.writable) return void socket.destroy()
  socket.end(ALERTS[alert], () => socket.destroy())
}
