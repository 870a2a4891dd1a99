import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { PassthroughMode } from '../wire/relay-messages.ts'
import { closeOnceSent } from '../wire/half-open.ts'
import { type Heartbeat, sessionHeartbeat } from '../wire/heartbeat.ts'
import {
  type StreamAuthority,
  authorityOf,
  CONNECTION_WINDOW_BYTES,
  HEADER_BYTES_MAX,
  OPENING_MS,
  OVERLAP_MS,
  REQUEST_HEADER,
  RETIRED_MS,
  STREAM_RESETS,
  STREAM_WINDOW_BYTES,
  STREAMS_MAX,
} from '../wire/tunnel.ts'
import { refuseStream, send } from './stream-responses.ts'
import {
  type ControlEvents,
  controlStreams,
  END_TO_END_ONLY,
  type LinkMessageHandler,
  type Greeting,
  type HelloRequest,
  type WelcomeMessage,
} from './control-streams.ts'
import type { HostedControl } from './hosted-control.ts'
import type { GatewayIdentity } from './identity.ts'
import type { DuplicateRequests } from './duplicate-requests.ts'
import type { OpenStreams, TunnelStreamHandler } from './open-streams.ts'

/** Refuses every request while the accounts of the home are being unlinked. */
const NO_ACCOUNT_LINKED = refusedWith('gateway_offline', {
  message: 'No account may reach this home through the relay. An administrator of the home can link one.',
})

export interface TunnelParts {
  readonly socket: TLSSocket
  readonly identity: GatewayIdentity
  readonly greeting: Greeting
  readonly streams: Readonly<Record<Exclude<StreamAuthority, 'control'>, TunnelStreamHandler>>
  readonly hosted: HostedControl
  readonly open: OpenStreams
  readonly duplicates: DuplicateRequests
  readonly linkMessages: LinkMessageHandler
  /** True if a tunnel to this node of the relay is useful; otherwise it ends at once. */
  readonly isUseful: (relay: HelloRequest) => boolean
  /** Current mode. The greeting that the relay has may tell an older one. */
  readonly passthrough: () => PassthroughMode
  /** True while the accounts are being unlinked and the home is unreachable through the relay. */
  readonly isUnlinking: () => boolean
  /** The home's name. */
  readonly houseName: () => string
  /** Called when all `STREAMS_MAX` streams are open: the relay refuses further requests. */
  readonly onFull: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Reason to dial a new tunnel. `retryAfter`: seconds that the relay asks to wait, or null. */
export interface ReplacementReason {
  /** `lost`: the tunnel is closed; `replace`: it serves until its replacement does. */
  readonly kind: 'lost' | 'replace'
  readonly retryAfter: number | null
}

export type TunnelState = 'opening' | 'unlinked' | 'linked'

/** One tunnel to one node of a relay: HTTP/2 with the gateway as the server, over the connection that it dialled. */
export class Tunnel {
  readonly #parts: TunnelParts
  readonly #session: ServerHttp2Session
  readonly #heartbeat: Heartbeat
  readonly #opened = Promise.withResolvers<boolean>()
  /** Resolves with true once the relay welcomes the gateway, false if it does not in time. */
  readonly opened = this.#opened.promise
  readonly #closed = Promise.withResolvers<void>()
  /** Resolves when the HTTP/2 session is closed. */
  readonly closed = this.#closed.promise
  readonly #replacementDue = Promise.withResolvers<ReplacementReason>()
  /** Resolves when a replacement must be dialled. */
  readonly replacementDue = this.#replacementDue.promise
  #state: TunnelState = 'opening'
  #streams = 0
  #relay: HelloRequest | null = null
  #retryAfter: number | null = null
  #isFinished = false

  constructor(parts: TunnelParts) {
    this.#parts = parts
    const { socket, clock } = parts
    this.#session = performServerHandshake(socket, {
      settings: {
        enableConnectProtocol: true,
        initialWindowSize: STREAM_WINDOW_BYTES,
        maxConcurrentStreams: STREAMS_MAX,
        maxHeaderListSize: HEADER_BYTES_MAX,
      },
      maxSendHeaderBlockLength: HEADER_BYTES_MAX,
      streamResetBurst: STREAM_RESETS.burst,
      streamResetRate: STREAM_RESETS.perSecond,
    })
    this.#heartbeat = sessionHeartbeat(this.#session, socket, { clock, lost: () => this.destroy('silent') })
    const openingTimeout = clock.after(OPENING_MS, () => {
      if (this.#state === 'opening') this.destroy()
    })
    this.#listen()
    this.#session.once('close', () => {
      openingTimeout()
      this.#finish()
    })
  }

  get state(): TunnelState {
    return this.#state
  }

  /** The relay's description of itself; null before its hello. */
  get relay(): HelloRequest | null {
    return this.#relay
  }

  /** True while the tunnel accepts requests. */
  get isOpen(): boolean {
    return !this.#session.destroyed && !this.#session.closed
  }

  /** Number of open requests and sockets. */
  get streams(): number {
    return this.#streams
  }

  /** Time since the relay's last sign of life. */
  get silentMs(): number {
    return this.#heartbeat.silentMs
  }

  /** Requests a replacement; this tunnel serves until `retire`. */
  replace(): void {
    this.#replacementDue.resolve({ kind: 'replace', retryAfter: null })
  }

  /** Retires a replaced tunnel: after a short overlap it accepts no further streams, and open ones may finish. */
  retire(): void {
    this.#parts.clock.after(OVERLAP_MS, () => void this.stop(RETIRED_MS))
  }

  /** Accepts no further streams; resolves when all are closed, after at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const cancel = this.#parts.clock.after(graceMs, () => this.destroy())
    this.#session.close()
    await this.closed
    cancel()
  }

  /** Ends the session and its connection at once. */
  destroy(reason: 'silent' | 'closed' = 'closed'): void {
    this.#finish(reason)
    this.#session.destroy()
    this.#parts.socket.destroy()
  }

  #finish(reason: 'silent' | 'closed' = 'closed'): void {
    if (this.#isFinished) return
    this.#isFinished = true
    const { greeting, log } = this.#parts
    if (this.#state !== 'opening') log.info({ slot: greeting.slot, reason }, 'A connection to the relay ended.')
    this.#heartbeat.stop()
    this.#closed.resolve()
    this.#opened.resolve(false)
    this.#replacementDue.resolve({ kind: 'lost', retryAfter: this.#retryAfter })
  }

  #listen(): void {
    const { socket, log } = this.#parts
    const onError = (error: Error): void => log.debug({ err: error }, 'The tunnel to the relay failed.')
    socket.on('error', onError)
    socket.once('close', () => this.#session.destroy())
    this.#session.on('error', onError)
    this.#session.on('frameError', () => this.destroy())
    this.#session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
    const control = controlStreams({
      ...this.#parts,
      events: this.#events(),
      isLinked: () => this.#state === 'linked' && !this.#parts.isUnlinking(),
    })
    this.#session.on('stream', (stream, headers) => {
      // Added first, because an error without a listener would end the process.
      stream.on('error', (error: Error) => log.debug({ err: error }, 'A relayed request failed.'))
      this.#countStream(stream)
      closeOnceSent(stream)
      this.#route(stream, headers, control)
    })
  }

  #countStream(stream: ServerHttp2Stream): void {
    this.#streams += 1
    stream.once('close', () => {
      this.#streams -= 1
    })
    if (this.#streams === STREAMS_MAX) this.#parts.onFull()
  }

  #route(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, control: TunnelStreamHandler['handle']): void {
    const authority = authorityOf(headers[':authority'])
    if (authority === 'control') return control(stream, headers)
    if (authority === null || this.#state !== 'linked') return refuseStream(stream)
    if (!this.#parts.duplicates.isFirst(headers[REQUEST_HEADER]?.toString()))
      return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (this.#parts.isUnlinking()) return refuseWith(authority, stream, headers, NO_ACCOUNT_LINKED)
    if (!isAllowed(authority, this.#parts.passthrough())) return refuseWith(authority, stream, headers, END_TO_END_ONLY)
    this.#parts.open.handle(stream, headers, this.#parts.streams[authority])
  }

  #welcomed(message: WelcomeMessage): void | Promise<void> {
    const { linked, retryAfter } = message
    const { linkMessages, open, greeting, log } = this.#parts
    log.info({ slot: greeting.slot, node: this.#relay?.node, linked }, 'The relay is connected.')
    this.#state = linked ? 'linked' : 'unlinked'
    this.#retryAfter = retryAfter
    this.#opened.resolve(true)
    if (!linked) open.end()
    return linkMessages.onWelcome(message)
  }

  #events(): ControlEvents {
    const { linkMessages, houseName, isUseful } = this.#parts
    return {
      ...linkMessages,
      houseName,
      onHello: (relay) => {
        this.#relay = relay
        if (!isUseful(relay)) this.destroy()
      },
      onWelcome: (message) => this.#welcomed(message),
      onDrain: (retryAfter) => this.#replacementDue.resolve({ kind: 'replace', retryAfter }),
    }
  }
}

/** True if the mode allows this kind of stream: readable by the relay, end to end, or both. */
function isAllowed(authority: Exclude<StreamAuthority, 'control'>, passthrough: PassthroughMode): boolean {
  return passthrough !== (authority === 'tls' ? 'off' : 'only')
}

/** Answers a request with a refusal. An end-to-end stream is reset, because the client could not read it. */
function refuseWith(
  authority: StreamAuthority,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  refusal: Answer,
): void {
  if (authority === 'tls') return refuseStream(stream)
  send(stream, refusal, headers[':method'] !== 'HEAD')
  stream.resume()
}
