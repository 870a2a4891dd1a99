import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type ClientHttp2Stream,
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { errorCode } from '@hm-gateway/lib/files.ts'
import { abandon, closeAnsweredHead, closeOnceSent } from '@hm-gateway/wire/half-open.ts'
import {
  ANSWER_HEADERS,
  HEADER_BYTES_MAX,
  headersNamed,
  OPENING_MS,
  STREAM_WINDOW_BYTES,
} from '@hm-gateway/wire/tunnel.ts'
import { boundConnections } from '../limits/connections.ts'
import { listening } from '../model/listening.ts'
import { SettingsError } from '../model/relay-settings.ts'
import type { LocalDirectory } from '../tunnels/directory.ts'
import type { InnerIdentity } from './inner-identity.ts'
import { GATEWAY_HEADER, SECRET_HEADER } from './node-messages.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Connections of other nodes; each node opens one. */
export const SESSIONS_MAX = 512
/** Connections of one address; several nodes may share an address. */
export const CONNECTIONS_OF_ADDRESS_MAX = 32
/** Concurrent streams of one other node. */
export const NODE_STREAMS_MAX = 10_000
/** Unread data of one other node's session. */
export const NODE_MEMORY_MIB = 256
/** Rate of stream resets of one other node: it sends one for each client that disconnects. */
export const NODE_RESETS = { burst: 100_000, perSecond: 20_000 }
/** Receive window of a session. */
export const NODE_WINDOW_BYTES = 16 * 1024 * 1024
const HANDSHAKE_MS = 5_000
/** Reset codes that say why a stream was refused: there is no tunnel, or a quota is exhausted. */
const REFUSALS = [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_ENHANCE_YOUR_CALM]

export interface InnerServerParts extends Pick<RelayParts, 'clock' | 'log'> {
  /** Address for other nodes; port 0: any free port. */
  readonly address: { readonly host: string; readonly port: number }
  readonly identity: InnerIdentity
  readonly local: Pick<LocalDirectory, 'find'>
}

/** Server for other nodes: sends their streams through the tunnels of this node. */
export class InnerServer implements AsyncDisposable {
  readonly #parts: InnerServerParts
  readonly #server: Http2SecureServer
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #secret: Buffer
  #port = 0
  #streams = 0
  #idleWaiters: (() => void)[] = []

  private constructor(parts: InnerServerParts) {
    this.#parts = parts
    this.#secret = hashed(parts.identity.secret)
    const { cert, key } = parts.identity
    this.#server = createSecureServer({
      cert,
      key,
      minVersion: 'TLSv1.3',
      handshakeTimeout: HANDSHAKE_MS,
      maxSessionMemory: NODE_MEMORY_MIB,
      streamResetBurst: NODE_RESETS.burst,
      streamResetRate: NODE_RESETS.perSecond,
      settings: {
        enableConnectProtocol: true,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxConcurrentStreams: NODE_STREAMS_MAX,
        maxHeaderListSize: HEADER_BYTES_MAX,
      },
    })
    this.#server.maxConnections = SESSIONS_MAX
    boundConnections(this.#server, CONNECTIONS_OF_ADDRESS_MAX)
    this.#server.on('connection', (socket: Socket) => socket.setNoDelay(true))
    this.#server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
    this.#server.on('sessionError', () => {})
    this.#server.on('session', (session) => this.#accept(session))
  }

  /** @throws SettingsError if the address does not belong to this machine. */
  static async open(parts: InnerServerParts): Promise<InnerServer> {
    const inner = new InnerServer(parts)
    const { host, port } = parts.address
    try {
      inner.#port = await listening(inner.#server, { host, port })
    } catch (error) {
      throw new SettingsError(
        `Other nodes cannot reach this one at ${host}:${port} (${errorCode(error) ?? 'unknown reason'}): set HM_RELAY_INNER_ADDRESS to an address of this machine that they can reach.`,
      )
    }
    inner.#server.on('error', (error: Error) => {
      parts.log.error({ err: error }, 'The server for other nodes failed.')
    })
    return inner
  }

  get port(): number {
    return this.#port
  }

  /** Open streams of other nodes. */
  get streams(): number {
    return this.#streams
  }

  /** Resolves when no stream of another node is open. */
  async idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#idleWaiters.push(resolve)
    this.#resolveIfIdle()
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const session of this.#sessions) session.destroy()
    await promise
  }

  #accept(session: ServerHttp2Session): void {
    const { clock, log } = this.#parts
    const failed = (error: Error): void => log.debug({ err: error }, 'The session of another node failed.')
    this.#sessions.add(session)
    let isAuthenticated = false
    const cancelTimeout = clock.after(OPENING_MS, () => {
      if (!isAuthenticated) session.destroy()
    })
    session.on('error', failed)
    session.on('frameError', () => session.destroy())
    session.once('close', () => {
      cancelTimeout()
      this.#sessions.delete(session)
    })
    session.setLocalWindowSize(NODE_WINDOW_BYTES)
    session.on('stream', (stream, headers, flags) => {
      stream.on('error', failed)
      if (!this.#hasSecret(headers)) return session.destroy()
      isAuthenticated = true
      this.#relay(stream, headers, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0)
    })
  }

  /** True if the sender knows the secret that this node sends over the bus. Hashes have the same length to compare. */
  #hasSecret(headers: IncomingHttpHeaders): boolean {
    return timingSafeEqual(hashed(String(headers[SECRET_HEADER])), this.#secret)
  }

  #relay(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, endStream: boolean): void {
    const { [GATEWAY_HEADER]: gateway, [SECRET_HEADER]: _secret, ...passed } = headers
    const opened = this.#parts.local.find(String(gateway))?.open(passed, endStream) ?? 'gone'
    if (opened === 'gone') return stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (opened === 'busy') return stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    this.#streams += 1
    stream.once('close', () => {
      this.#streams -= 1
      this.#resolveIfIdle()
    })
    closeOnceSent(stream)
    connectStreams(stream, opened, endStream)
  }

  #resolveIfIdle(): void {
    if (this.#streams > 0) return
    const waiters = this.#idleWaiters
    this.#idleWaiters = []
    for (const resolve of waiters) resolve()
  }
}

/** Connects two streams in both directions. If one closes, the other is reset; a refusal keeps its reset code. */
function connectStreams(stream: ServerHttp2Stream, opened: ClientHttp2Stream, endStream: boolean): void {
  opened.once('response', (headers) => {
    if (sendHeaders(stream, headers)) opened.pipe(stream)
    else abandon(opened)
  })
  opened.once('close', () => {
    if (opened.readableEnded) return
    abandon(stream, REFUSALS.includes(opened.rstCode) ? opened.rstCode : constants.NGHTTP2_CANCEL)
  })
  stream.once('close', () => abandon(opened))
  if (endStream) stream.resume()
  else stream.pipe(opened)
}

/** Sends the untrusted status and headers of a gateway; false if they are invalid. */
function sendHeaders(stream: ServerHttp2Stream, headers: IncomingHttpHeaders & IncomingHttpStatusHeader): boolean {
  if (stream.destroyed || stream.headersSent) return false
  try {
    stream.respond({ ':status': headers[':status'] ?? 0, ...headersNamed(ANSWER_HEADERS, headers) })
    closeAnsweredHead(stream)
    return true
  } catch {
    return false
  }
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
