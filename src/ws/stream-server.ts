import type { WebSocket } from 'ws'
import type { Dispatcher } from '../api/dispatch.ts'
import { refusalFor } from '../api/admission.ts'
import { refuse } from '../api/errors.ts'
import { errorBody } from '../wire/errors.ts'
import type { ShownRules } from '../api/exposed-causes.ts'
import type { Authenticator, AuthFailure, RequestCredentials } from '../auth/authenticator.ts'
import type { Via } from '../auth/credentials/credentials.ts'
import type { AdminTopicSources } from '../admin/events.ts'
import { OWNER } from '../auth/persons/person.ts'
import { type ChannelLimits, OpenChannels, RECHECK_EVERY_MS } from '../auth/open-channels.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import {
  type Integration,
  type IntegrationReader,
  isOfPeople,
  type Pick as ExposedPick,
} from '../exposure/integration.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { HomeEvent } from '../home/model/events.ts'
import type { MessageNotice } from '../home/model/messages.ts'
import type { TurnBatch } from '../lib/turn-batch.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'
import { nullIfDiskFails } from '../lib/storage-failure.ts'
import { AdminSubscriptions } from './admin-subscriptions.ts'
import { FeedIndex } from './feed-index.ts'
import { IntegrationFeed } from './integration-feed.ts'
import { CLOSE, closeCodeOf } from '../transport/close-codes.ts'
import { MessageHandler } from './message-handler.ts'
import { SilentSockets } from './silent-sockets.ts'
import type { StreamCounts } from './stream-counts.ts'
import { eventDraftOf, presenceDrafts } from './stream-event.ts'
import { StreamSocket } from './stream-socket.ts'

/** docs/limits.md#stream. */
export const SOCKET_LIMITS: ChannelLimits = { all: 256, perCredential: 32 }
export const PING_EVERY_MS = 30_000
export const UNANSWERED_PINGS_MAX = 2
/** Time for which events stay stored after an integration's last socket. */
export const RESUME_MS = 10 * 60_000
/** Time for clients to answer the close frame of a stopping gateway. */
const CLOSE_ANSWER_MS = 1_000

export interface StreamServerParts {
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly integrations: Pick<IntegrationReader, 'get' | 'version'>
  readonly accessChanges: Pick<Emitter<AccessChange>, 'on'>
  readonly views: ExposedHouses
  readonly live: LiveHome
  readonly rules: ShownRules
  readonly events: Emitter<HomeEvent>
  readonly notices: Pick<Emitter<MessageNotice>, 'on'>
  readonly clock: Clock
  readonly log: Log
  readonly turnBatch?: TurnBatch
  /** Topics for administrators; null until they are open. */
  readonly adminTopics?: () => AdminTopicSources | null
  /** Limits for load tests; `SOCKET_LIMITS` by default. */
  readonly limits?: ChannelLimits
}

/** Reasons for people whose stream ends; as close reasons they have 123 bytes at most. */
const CHANGED = 'An administrator changed your access to this home.'
const CLOSED = 'Your access to this home is closed now.'
const ENDED = 'This session has ended.'

/** The access of a record. A scene or group that its person creates adds a pick, and changes nothing else. */
function accessText({ exposure, ...rest }: Integration): string {
  const isPlace = ({ kind }: ExposedPick): boolean => kind !== 'scene' && kind !== 'group'
  const picks = exposure.expose === 'All' ? exposure : exposure.picks.filter(isPlace)
  return JSON.stringify([picks, rest])
}

/** Caller of a socket. */
export interface SocketCaller {
  readonly token: RequestCredentials
  readonly peer: string
  readonly via?: Via
}

/**
 * The live stream `/v1/stream`: accepts sockets, publishes the home's events to them, and ends those whose credential
 * fails (Spec 6, docs/stream.md#why).
 */
export class StreamServer {
  readonly #parts: StreamServerParts
  readonly #limits: ChannelLimits
  readonly #messages: MessageHandler
  readonly #admin: AdminSubscriptions
  readonly #sockets: OpenChannels<StreamSocket>
  readonly #silentSockets: SilentSockets<StreamSocket>
  readonly #feeds = new Map<string, { readonly feed: IntegrationFeed; emptySince: number | null }>()
  readonly #feedIndex: FeedIndex<IntegrationFeed>
  readonly #stop: (() => void)[]
  /** Integrations whose feeds have events waiting for the end of this turn. */
  readonly #pending = new Set<string>()
  /** Sockets of members and wall tablets, with the access that they had when they opened. */
  readonly #people = new Map<StreamSocket, string>()
  #closed = false
  #delivered = 0
  #collapsed = 0
  #silent = 0

  constructor(parts: StreamServerParts) {
    this.#parts = parts
    this.#limits = parts.limits ?? SOCKET_LIMITS
    this.#sockets = new OpenChannels({
      authenticator: parts.authenticator,
      limits: this.#limits,
      end: (socket, failure) => this.#disconnect(socket, failure),
    })
    const { adminTopics = () => null, views, clock } = parts
    this.#silentSockets = new SilentSockets({ sockets: this.#sockets, end: (socket) => this.#vanished(socket), clock })
    this.#feedIndex = new FeedIndex(parts)
    this.#admin = new AdminSubscriptions({
      topics: adminTopics,
      house: () => views.of(OWNER).name,
      viewOf: (record) => {
        const integration = parts.integrations.get(record)
        return integration ? views.of(integration) : null
      },
      clock,
    })
    this.#messages = new MessageHandler({
      ...parts,
      credentialFailure: (socket) => this.#sockets.failureOf(socket),
      disconnect: (socket, failure) => this.#disconnect(socket, failure),
      socketsOf: (link) => this.#sockets.of(link),
      feed: (integration) => this.#feed(integration),
      admin: this.#admin,
    })
    this.#stop = [
      parts.events.on((event) => this.#onHomeEvent(event)),
      parts.notices.on((notice) => this.#onNotice(notice)),
      parts.accessChanges.on(() => this.#recheck()),
      every(parts.clock, RECHECK_EVERY_MS, () => this.#tick()),
      every(parts.clock, PING_EVERY_MS, () => this.#ping()),
    ]
  }

  /**
   * Decides before the upgrade whether a caller may connect. At a limit, it may replace a socket whose client has
   * disappeared. @throws Refusal of the credential; rejects with `rate_limited` if there is no room
   */
  admit(token: RequestCredentials, peer: string, via: Via = 'home'): Promise<void> | null {
    const caller = this.#parts.dispatcher.identify(token, { via, peer })
    this.#parts.dispatcher.count(caller)
    const { link } = caller.credential
    return this.#sockets.full(link) === null ? null : this.#makeRoom(link)
  }

  async #makeRoom(link: string): Promise<void> {
    await this.#silentSockets.makeRoom(link)
    const full = this.#full(link)
    if (full) refuse('rate_limited', { message: full, retryAfter: 30 })
  }

  /** Number of open sockets of a credential. */
  countOf(link: string): number {
    return this.#sockets.of(link).length
  }

  /** Takes over an upgraded socket. Its credential is checked again with every message. */
  accept(socket: WebSocket, { token, peer, via = 'home' }: SocketCaller): void {
    // Added first, because an error without a listener would end the process. A close of the socket follows each error.
    socket.on('error', (error) => this.#parts.log.debug({ err: error }, 'A stream socket failed.'))
    const identity = nullIfDiskFails(() => this.#parts.authenticator.check(token, via))
    if (identity === null) return socket.close(CLOSE.tryAgainLater, 'storage_unavailable')
    if (!identity.ok) return socket.close(closeCodeOf(identity.error), refusalFor(identity.error).code)
    const { link } = identity.value.credential
    if (this.#closed) return socket.close(CLOSE.goingAway, 'going away')
    if (this.#full(link)) return socket.close(CLOSE.tryAgainLater, 'too many sockets')
    const { integration } = identity.value
    const owner = { token, peer, via, link, integration: integration.id }
    const stream = new StreamSocket(socket, owner, () => {
      this.#collapsed += 1
    })
    this.#sockets.add(stream)
    if (isOfPeople(integration)) this.#people.set(stream, accessText(integration))
    this.#messages.listen(stream, socket)
    socket.on('close', () => this.#forget(stream))
  }

  /** Checks every socket's credential and every integration again. */
  #recheck(): void {
    this.#sockets.recheck()
    for (const [socket, text] of this.#people) {
      const record = this.#parts.integrations.get(socket.integration)
      if (record === undefined || accessText(record) !== text) this.#endPerson(socket, CHANGED)
    }
    this.#flush()
  }

  /** Closes all sockets; terminates those whose client does not answer soon. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#parts.turnBatch?.finish()
    for (const stop of this.#stop) stop()
    for (const { feed } of this.#feeds.values()) feed.stop()
    const remaining = this.#sockets.list()
    this.#flush()
    for (const socket of remaining) socket.end(CLOSE.goingAway, 'the gateway stops')
    if (remaining.length === 0) return
    this.#parts.clock.after(CLOSE_ANSWER_MS, () => {
      for (const socket of remaining) socket.terminate()
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
    const full = this.#sockets.full(link)
    if (full === null) return null
    return full === 'all'
      ? `At most ${this.#limits.all} live sockets can be open at once. Close one first.`
      : `At most ${this.#limits.perCredential} live sockets can be open with one credential. Close one first.`
  }

  #onHomeEvent(event: HomeEvent): void {
    if (this.#feeds.size === 0) return
    if (event.kind === 'structure') {
      for (const { feed } of this.#feeds.values()) feed.refresh()
      return
    }
    if (event.kind === 'rule') {
      for (const { feed } of this.#feeds.values()) feed.listChanged(`${event.rule}s`)
      return
    }
    if (event.kind === 'presence') {
      for (const draft of presenceDrafts(event))
        for (const feed of this.#feedIndex.of(draft.subject)) feed.publish(draft)
      return
    }
    const draft = eventDraftOf(event, this.#parts.live)
    if (!draft) return
    for (const feed of this.#feedIndex.of(draft.subject)) {
      if (event.kind === 'forgotten') feed.forget(event.device)
      feed.publish(draft)
    }
  }

  #onNotice(notice: MessageNotice): void {
    for (const { feed } of this.#feeds.values()) feed.notify(notice)
  }

  #feed(integration: string): IntegrationFeed {
    const known = this.#feeds.get(integration)
    if (known) return known.feed
    const feed = new IntegrationFeed(integration, {
      integrations: this.#parts.integrations,
      views: this.#parts.views,
      rules: this.#parts.rules,
      clock: this.#parts.clock,
      failuresNow: () => this.#sockets.failuresNow(),
      disconnect: (socket, failure) => this.#disconnect(socket, failure),
      onPending: () => this.#flushSoon(integration),
      onDelivered: (deliveries) => {
        this.#delivered += deliveries
      },
    })
    this.#feeds.set(integration, { feed, emptySince: null })
    this.#feedIndex.add(feed)
    return feed
  }

  /** Flushes at the end of this turn of the event loop, so that its events leave in one write. */
  #flushSoon(integration: string): void {
    if (this.#pending.size === 0) setImmediate(() => this.#endTurn())
    this.#pending.add(integration)
  }

  #endTurn(): void {
    const pending = [...this.#pending]
    this.#pending.clear()
    for (const integration of pending) {
      const feed = this.#feeds.get(integration)?.feed
      if (feed) this.#safely(integration, () => feed.endTurn())
    }
  }

  #flush(): void {
    for (const [integration, { feed }] of this.#feeds) this.#safely(integration, () => feed.flush())
  }

  /** An error of one integration does not keep events from the others. */
  #safely(integration: string, send: () => void): void {
    try {
      send()
    } catch (error) {
      this.#parts.log.error({ err: error, integration }, 'Events could not be sent.')
    }
  }

  /** Sends the failure of its credential to a socket and closes it. The socket counts until it is closed. */
  #disconnect(socket: StreamSocket, failure: AuthFailure): void {
    this.#feeds.get(socket.integration)?.feed.leave(socket)
    this.#admin.end(socket)
    const { code, details } = refusalFor(failure)
    if (this.#people.has(socket)) return this.#endPerson(socket, code === 'record_disabled' ? CLOSED : ENDED)
    socket.end(closeCodeOf(failure), code, errorBody(code, details))
  }

  /** Closes the socket of a member or wall tablet with a reason for a person. */
  #endPerson(socket: StreamSocket, message: string): void {
    this.#feeds.get(socket.integration)?.feed.leave(socket)
    this.#admin.end(socket)
    socket.end(CLOSE.unauthorized, message, errorBody('unauthorized', { message }))
  }

  #forget(socket: StreamSocket): void {
    this.#sockets.remove(socket)
    this.#people.delete(socket)
    this.#admin.end(socket)
    this.#feeds.get(socket.integration)?.feed.leave(socket)
  }

  #tick(): void {
    this.#recheck()
    const now = this.#parts.clock.monotonic()
    for (const [integration, entry] of this.#feeds) {
      if (entry.feed.size > 0) entry.emptySince = null
      else if (entry.emptySince === null) entry.emptySince = now
      else if (now - entry.emptySince >= RESUME_MS) {
        this.#feeds.delete(integration)
        this.#feedIndex.remove(entry.feed)
        entry.feed.stop()
      }
    }
  }

  #ping(): void {
    for (const socket of this.#sockets.list()) if (!socket.ping(UNANSWERED_PINGS_MAX)) this.#vanished(socket)
  }

  #vanished(socket: StreamSocket): void {
    this.#silent += 1
    socket.terminate()
    this.#forget(socket)
  }
}
