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
import type { PassthroughMode } from '../wire/control.ts'
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
import { refuseStream, send } from './answering.ts'
import {
  type ControlEvents,
  controlStreams,
  END_TO_END_ALONE,
  type LinkMessageHandler,
  type Greeting,
  type HelloAsk,
  type WelcomeAsk,
} from './control.ts'
import type { HostedControl } from './hosted-control.ts'
import type { GatewayIdentity } from './identity.ts'
import type { OpenStreams, DuplicateRequests, Streams } from './open-streams.ts'

/** Refuses every request while the accounts of the home are being unlinked. */
const NOBODY_LINKED = refusedWith('gateway_offline', {
  message: 'No account may reach this home through the relay. An administrator of the home can link one.',
})

export interface TunnelParts {
  readonly socket: TLSSocket
  readonly identity: GatewayIdentity
  readonly greeting: Greeting
  readonly streams: Readonly<Record<Exclude<StreamAuthority, 'control'>, Streams>>
  readonly hosted: HostedControl
  readonly open: OpenStreams
  readonly duplicates: DuplicateRequests
  readonly enrolment: LinkMessageHandler
  /** True if a tunnel to this node is useful; otherwise it ends at once. */
  readonly isWanted: (relay: HelloAsk) => boolean
  /** Current mode; the greeting sent to the relay may be older. */
  readonly passthrough: () => PassthroughMode
  /** True while the accounts are being unlinked and the home is unreachable through the relay. */
  readonly isShut: () => boolean
  /** The home's name. */
  readonly house: () => string
  /** Called when all `STREAMS_MAX` streams are open: the relay refuses further requests. */
  readonly full: () => void
  readonly clock: Clock
  readonly log: Log
}

/** End of a tunnel; `retryAfter` in seconds is the relay's wish, or null. */
export interface TunnelEnd {
  /** `replace`: the tunnel serves until its replacement does. */
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
  /** Resolves when its session is closed. */
  readonly closed = this.#closed.promise
  readonly #end = Promise.withResolvers<TunnelEnd>()
  /** Resolves when a replacement must be dialled. */
  readonly over = this.#end.promise
  #state: TunnelState = 'opening'
  #streams = 0
  #relay: HelloAsk | null = null
  #retryAfter: number | null = null
  #isOver = false

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
      this.#over()
    })
  }

  get state(): TunnelState {
    return this.#state
  }

  /** The relay's description of itself; null before its hello. */
  get relay(): HelloAsk | null {
    return this.#relay
  }

  /** True while it accepts requests. */
  get isOpen(): boolean {
    return !this.#session.destroyed && !this.#session.closed
  }

  /** Number of open requests and sockets. */
  get streams(): number {
    return this.#streams
  }

  get silentMs(): number {
    return this.#heartbeat.silentMs
  }

  /** Requests a replacement; this tunnel serves until `retire`. */
  replace(): void {
    this.#end.resolve({ kind: 'replace', retryAfter: null })
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
    this.#over(reason)
    this.#session.destroy()
    this.#parts.socket.destroy()
  }

  #over(reason: 'silent' | 'closed' = 'closed'): void {
    if (this.#isOver) return
    this.#isOver = true
    const { greeting, log } = this.#parts
    if (this.#state !== 'opening') log.info({ slot: greeting.slot, reason }, 'A connection to the relay ended.')
    this.#heartbeat.stop()
    this.#closed.resolve()
    this.#opened.resolve(false)
    this.#end.resolve({ kind: 'lost', retryAfter: this.#retryAfter })
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
      isLinked: () => this.#state === 'linked' && !this.#parts.isShut(),
    })
    this.#session.on('stream', (stream, headers) => {
      // Added first, because an error without a listener would end the process.
      stream.on('error', (error: Error) => log.debug({ err: error }, 'A relayed request failed.'))
      this.#countStream(stream)
      closeOnceSent(stream)
      this.#take(stream, headers, control)
    })
  }

  #countStream(stream: ServerHttp2Stream): void {
    this.#streams += 1
    stream.once('close', () => {
      this.#streams -= 1
    })
    if (this.#streams === STREAMS_MAX) this.#parts.full()
  }

  #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, control: Streams['take']): void {
    const authority = authorityOf(headers[':authority'])
    if (authority === 'control') return control(stream, headers)
    if (authority === null || this.#state !== 'linked') return refuseStream(stream)
    if (!this.#parts.duplicates.isFirst(headers[REQUEST_HEADER]?.toString()))
      return refuseStream(stream, constants.NGHTTP2_PROTOCOL_ERROR)
    if (this.#parts.isShut()) return refuseWith(authority, stream, headers, NOBODY_LINKED)
    if (!isAllowed(authority, this.#parts.passthrough()))
      return refuseWith(authority, stream, headers, END_TO_END_ALONE)
    this.#parts.open.take(stream, headers, this.#parts.streams[authority])
  }

  #welcomed(ask: WelcomeAsk): void | Promise<void> {
    const { linked, retryAfter } = ask
    const { enrolment, open, greeting, log } = this.#parts
    log.info({ slot: greeting.slot, node: this.#relay?.node, linked }, 'The relay is connected.')
    this.#state = linked ? 'linked' : 'unlinked'
    this.#retryAfter = retryAfter
    this.#opened.resolve(true)
    if (!linked) open.end()
    return enrolment.welcomed(ask)
  }

  #events(): ControlEvents {
    const { enrolment, house, isWanted } = this.#parts
    return {
      ...enrolment,
      house,
      greeted: (relay) => {
        this.#relay = relay
        if (!isWanted(relay)) this.destroy()
      },
      welcomed: (ask) => this.#welcomed(ask),
      drain: (retryAfter) => this.#end.resolve({ kind: 'replace', retryAfter }),
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
