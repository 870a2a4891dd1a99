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
import { SettingsError } from '../model/settings.ts'
import type { LocalDirectory } from '../tunnels/directory.ts'
import type { InnerIdentity } from './inner-identity.ts'
import { GATEWAY_HEADER, SECRET_HEADER } from './messages.ts'
import type { RelayParts } from '../store/parts.ts'

/** Connections of other nodes; each keeps one. */
export const SESSIONS_MAX = 512
/** Of one address, before anybody has shown a secret: more than one may be nodes behind one address. */
export const CONNECTIONS_OF_ADDRESS_MAX = 32
/** Streams of one other node, and what its session may hold unread of them, in MiB. */
export const NODE_STREAMS_MAX = 10_000
export const NODE_MEMORY_MIB = 256
/** Resets that one other node may send, at once and a second: one for each client that leaves, of all homes. */
export const NODE_RESETS = { burst: 100_000, perSecond: 20_000 }
/** Of all streams of a session together. */
export const NODE_WINDOW_BYTES = 16 * 1024 * 1024
const HANDSHAKE_MS = 5_000
/** Resets that say why a stream was not taken: nobody takes it, or places are short. */
const REFUSALS = [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_ENHANCE_YOUR_CALM]

export interface InnerServerParts extends Pick<RelayParts, 'clock' | 'log'> {
  /** Where other nodes reach this one; port 0: any that is free. */
  readonly address: { readonly host: string; readonly port: number }
  readonly identity: InnerIdentity
  readonly local: Pick<LocalDirectory, 'find'>
}

/** Takes the streams of other nodes, and sends them through the tunnels that this one holds. */
export class InnerServer implements AsyncDisposable {
  readonly #parts: InnerServerParts
  readonly #server: Http2SecureServer
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #secret: Buffer
  #port = 0
  #streams = 0
  #idle: (() => void)[] = []

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
    this.#server.on('session', (session) => this.#take(session))
  }

  /** @throws SettingsError where the address is not this machine's. */
  static async open(parts: InnerServerParts): Promise<InnerServer> {
    const made = new InnerServer(parts)
    const { host, port } = parts.address
    try {
      made.#port = await listening(made.#server, { host, port })
    } catch (error) {
      throw new SettingsError(
        `Other nodes cannot reach this one at ${host}:${port} (${errorCode(error) ?? 'unknown reason'}): set HM_RELAY_INNER_ADDRESS to an address of this machine that they can reach.`,
      )
    }
    made.#server.on('error', (error: Error) => {
      parts.log.error({ err: error }, 'Other nodes are not let in.')
    })
    return made
  }

  get port(): number {
    return this.#port
  }

  /** Streams of other nodes that are under way here. */
  get streams(): number {
    return this.#streams
  }

  /** Resolves when no stream of another node is under way. */
  async idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#idle.push(resolve)
    this.#ended()
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const session of this.#sessions) session.destroy()
    await promise
  }

  #take(session: ServerHttp2Session): void {
    const { clock, log } = this.#parts
    const failed = (error: Error): void => log.debug({ err: error }, 'The session of another node failed.')
    this.#sessions.add(session)
    let isKnown = false
    const late = clock.after(OPENING_MS, () => {
      if (!isKnown) session.destroy()
    })
    session.on('error', failed)
    session.on('frameError', () => session.destroy())
    session.once('close', () => {
      late()
      this.#sessions.delete(session)
    })
    session.setLocalWindowSize(NODE_WINDOW_BYTES)
    session.on('stream', (stream, headers, flags) => {
      stream.on('error', failed)
      if (!this.#isNode(headers)) return session.destroy()
      isKnown = true
      this.#relay(stream, headers, (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0)
    })
  }

  /** Whether who asks was told the secret over the bus; compared as hashes, which are of one length. */
  #isNode(headers: IncomingHttpHeaders): boolean {
    return timingSafeEqual(hashed(String(headers[SECRET_HEADER])), this.#secret)
  }

  #relay(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, endStream: boolean): void {
    const { [GATEWAY_HEADER]: gateway, [SECRET_HEADER]: _secret, ...passed } = headers
    const line = this.#parts.local.find(String(gateway))
    const opened = line?.open(passed, endStream) ?? 'gone'
    if (opened === 'gone') return stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (opened === 'busy') return stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    this.#streams += 1
    stream.once('close', () => {
      this.#streams -= 1
      this.#ended()
    })
    closeOnceSent(stream)
    join(stream, opened, endStream)
  }

  #ended(): void {
    if (this.#streams > 0) return
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }
}

/** Passes on what both sides send, and that either has left; a refusal of the tunnel stays one. */
function join(stream: ServerHttp2Stream, opened: ClientHttp2Stream, endStream: boolean): void {
  opened.once('response', (headers) => {
    if (begin(stream, headers)) opened.pipe(stream)
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

/** Status and headers of a gateway are a stranger's: false where they cannot be sent. */
function begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders & IncomingHttpStatusHeader): boolean {
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
