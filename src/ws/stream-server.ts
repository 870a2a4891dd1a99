import type { WebSocket } from 'ws'
import type { Dispatcher } from '../api/dispatch.ts'
import { errorBody, Refusal } from '../api/errors.ts'
import type { Authenticator, AuthFailure } from '../auth/authenticator.ts'
import type { Via } from '../auth/credential.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { HomeEvent } from '../home/home-event.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'
import { IntegrationFeed } from './integration-feed.ts'
import { CLOSE, closeCodeOf } from './close-codes.ts'
import { MessageHandler } from './message-handler.ts'
import { eventDraftOf } from './stream-event.ts'
import { StreamSocket } from './stream-socket.ts'

/** D8. */
export const SOCKET_LIMITS = { all: 256, perCredential: 32 }
export const PING_EVERY_MS = 30_000
export const UNANSWERED_PINGS_MAX = 2
/** What another process changed is felt this soon on sockets that are silent. */
export const RECHECK_EVERY_MS = 1_000
/** How long events are kept for an integration through which nobody listens any more. */
export const RESUME_MS = 10 * 60_000
/** After the goodbye of a stopping gateway. */
const GOODBYE_MS = 1_000

export interface StreamServerParts {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly integrations: IntegrationReader
  readonly views: ExposedHouses
  readonly live: LiveHome
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
  readonly log: Log
  /** For load tests; otherwise those of D8. */
  readonly limits?: { readonly all: number; readonly perCredential: number }
}

/** Somebody at the door of the stream. */
export interface StreamCaller {
  readonly token: string | null
  readonly peer: string
  readonly via?: Via
}

export interface StreamCounts {
  readonly sockets: number
  /** Sockets with at least one topic. */
  readonly listening: number
  /** Events given to sockets, counted for each socket. */
  readonly delivered: number
  /** Events that a newer one of the same device took the place of, for slow readers. */
  readonly collapsed: number
  /** Sockets ended because nobody answered. */
  readonly silent: number
}

/** The live stream `/v1/stream`: lets sockets in, hears the news, and ends what may no longer listen (Spec 6, D8). */
export class StreamServer {
  readonly #parts: StreamServerParts
  readonly #limits: { readonly all: number; readonly perCredential: number }
  readonly #messages: MessageHandler
  readonly #sockets = new Map<StreamSocket, string>()
  readonly #perLink = new Map<string, number>()
  readonly #feeds = new Map<string, { readonly feed: IntegrationFeed; emptySince: number | null }>()
  readonly #stop: (() => void)[]
  #flushing = false
  #closed = false
  #delivered = 0
  #collapsed = 0
  #silent = 0

  constructor(parts: StreamServerParts) {
    this.#parts = parts
    this.#limits = parts.limits ?? SOCKET_LIMITS
    this.#messages = new MessageHandler({
      dispatcher: parts.dispatcher,
      log: parts.log,
      credentialFailure: (socket) => this.#credentialFailure(socket),
      disconnect: (socket, failure) => this.#disconnect(socket, failure),
      feed: (integration) => this.#feed(integration),
    })
    this.#stop = [
      parts.events.on((event) => this.#onHomeEvent(event)),
      every(parts.clock, RECHECK_EVERY_MS, () => this.#tick()),
      every(parts.clock, PING_EVERY_MS, () => this.#ping()),
    ]
  }

  /**
   * Says before the upgrade whether a caller may connect.
   * @throws Refusal as any request of this credential would get, or `rate_limited` when it has too many sockets.
   */
  admit(token: string | null, peer: string, via: Via = 'home'): void {
    const caller = this.#parts.dispatcher.identify(token, { via, peer })
    this.#parts.dispatcher.admit(caller)
    const full = this.#full(caller.credential.link)
    if (full) throw new Refusal('rate_limited', { message: full, retryAfter: 30 })
  }

  /** Takes over an upgraded socket. What it may do is asked again with every message. */
  accept(socket: WebSocket, { token, peer, via = 'home' }: StreamCaller): void {
    // Before anything else: an error that nobody hears would end the process. The socket's own close follows each one.
    socket.on('error', (error) => this.#parts.log.debug({ err: error }, 'A stream socket failed.'))
    const identity = this.#parts.authenticator.check(token, via)
    if (!identity.ok) return socket.close(closeCodeOf(identity.error), identity.error)
    const { link } = identity.value.credential
    if (this.#closed) return socket.close(CLOSE.goingAway, 'going away')
    if (this.#full(link)) return socket.close(CLOSE.tryAgainLater, 'too many sockets')
    const owner = { token, peer, via, link, integration: identity.value.integration.id }
    const stream = new StreamSocket(socket, owner, () => {
      this.#collapsed += 1
    })
    this.#sockets.set(stream, link)
    this.#perLink.set(link, (this.#perLink.get(link) ?? 0) + 1)
    socket.on('message', (data, binary) => this.#messages.handle(stream, data, binary))
    socket.on('close', () => this.#forget(stream))
  }

  /** Asks every socket's credential and every integration again, at once: after an administrator changed something. */
  recheck(): void {
    const failures = new Map<string | null, AuthFailure | null>()
    for (const socket of [...this.#sockets.keys()]) {
      let failure = failures.get(socket.token)
      if (failure === undefined) failures.set(socket.token, (failure = this.#credentialFailure(socket)))
      if (failure) this.#disconnect(socket, failure)
    }
    this.#flush()
  }

  /** Says goodbye to all; who does not answer soon is cut off. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const stop of this.#stop) stop()
    const left = [...this.#sockets.keys()]
    this.#flush()
    for (const socket of left) socket.end(CLOSE.goingAway, 'the gateway stops')
    this.#parts.clock.after(GOODBYE_MS, () => {
      for (const socket of left) socket.terminate()
    })
  }

  counts(): StreamCounts {
    let listening = 0
    for (const { feed } of this.#feeds.values()) listening += feed.size
    return {
      sockets: this.#sockets.size,
      listening,
      delivered: this.#delivered,
      collapsed: this.#collapsed,
      silent: this.#silent,
    }
  }

  #full(link: string): string | null {
    if (this.#sockets.size >= this.#limits.all)
      return `At most ${this.#limits.all} live sockets can be open at once. Close one first.`
    if ((this.#perLink.get(link) ?? 0) >= this.#limits.perCredential)
      return `At most ${this.#limits.perCredential} live sockets can be open with one credential. Close one first.`
    return null
  }

  #onHomeEvent(event: HomeEvent): void {
    if (this.#feeds.size === 0) return
    if (event.kind === 'structure') {
      for (const { feed } of this.#feeds.values()) feed.refresh()
      return
    }
    const draft = eventDraftOf(event, this.#parts.live)
    if (draft) for (const { feed } of this.#feeds.values()) feed.publish(draft)
  }

  #feed(integration: string): IntegrationFeed {
    const known = this.#feeds.get(integration)
    if (known) return known.feed
    const feed = new IntegrationFeed(integration, {
      integrations: this.#parts.integrations,
      views: this.#parts.views,
      clock: this.#parts.clock,
      credentialFailure: (socket) => this.#credentialFailure(socket),
      disconnect: (socket, failure) => this.#disconnect(socket, failure),
      onPending: () => this.#flushSoon(),
      onDelivered: (deliveries) => {
        this.#delivered += deliveries
      },
    })
    this.#feeds.set(integration, { feed, emptySince: null })
    return feed
  }

  /** At the end of this turn of the event loop: whatever arrived together leaves together. */
  #flushSoon(): void {
    if (this.#flushing) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  /** One integration's trouble does not keep the others from hearing. */
  #flush(): void {
    for (const [integration, { feed }] of this.#feeds) {
      try {
        feed.flush()
      } catch (error) {
        this.#parts.log.error({ err: error, integration }, 'Events could not be told.')
      }
    }
  }

  #credentialFailure(socket: StreamSocket): AuthFailure | null {
    const identity = this.#parts.authenticator.check(socket.token, socket.via)
    return identity.ok ? null : identity.error
  }

  /** Tells a socket why it may no longer be here, and ends it. */
  #disconnect(socket: StreamSocket, failure: AuthFailure): void {
    this.#feeds.get(socket.integration)?.feed.leave(socket)
    socket.end(closeCodeOf(failure), failure, errorBody(failure))
  }

  #forget(socket: StreamSocket): void {
    const link = this.#sockets.get(socket)
    if (link === undefined) return
    this.#sockets.delete(socket)
    this.#feeds.get(socket.integration)?.feed.leave(socket)
    const left = (this.#perLink.get(link) ?? 1) - 1
    if (left > 0) this.#perLink.set(link, left)
    else this.#perLink.delete(link)
  }

  #tick(): void {
    this.recheck()
    const now = this.#parts.clock.monotonic()
    for (const [integration, kept] of this.#feeds) {
      if (kept.feed.size > 0) kept.emptySince = null
      else if (kept.emptySince === null) kept.emptySince = now
      else if (now - kept.emptySince >= RESUME_MS) this.#feeds.delete(integration)
    }
  }

  #ping(): void {
    for (const socket of [...this.#sockets.keys()]) {
      if (socket.ping(UNANSWERED_PINGS_MAX)) continue
      this.#silent += 1
      socket.terminate()
    }
  }
}
