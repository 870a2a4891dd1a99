import type { RawData, WebSocket } from 'ws'
import { TOPICS_MAX } from '../api/contract/events.ts'
import type { Answer } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { refuse } from '../api/errors.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import type { TurnBatch } from '../lib/turn-batch.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { TokenBuckets } from '../lib/token-bucket.ts'
import type { AdminSubscriptions } from './admin-subscriptions.ts'
import type { IntegrationFeed } from './integration-feed.ts'
import { type Read, readMessage, type StreamRequest } from './client-message.ts'
import type { StreamSocket } from './stream-socket.ts'
import { topicExists } from './topics.ts'

/** Most concurrent requests of one socket; a script that switches a whole house needs some. */
export const IN_FLIGHT_MAX = 64

/** A message counts as one request per so many bytes, because its bytes are read before it can be refused. */
export const MESSAGE_BYTES_A_REQUEST = 4 * 1024

/** Rate of 429 responses of one credential on all its sockets; beyond it they are not read for a while. */
export const IGNORED_429 = { perSecond: 20, burst: 20, keysMax: 1_000 }
export const UNREAD_MS = 1_000

/** Status of an immediate response; null if it follows later. */
type Status = number | null

export interface MessageHandlerParts {
  readonly dispatcher: Dispatcher
  /** Batches messages of one event loop turn, shared with other transports; without it each is answered at once. */
  readonly turnBatch?: TurnBatch
  readonly clock: Clock
  readonly log: Log
  readonly credentialFailure: (socket: StreamSocket) => AuthFailure | null
  readonly disconnect: (socket: StreamSocket, failure: AuthFailure) => void
  /** All sockets of a credential. */
  readonly socketsOf: (link: string) => readonly StreamSocket[]
  /** The feed of an integration, created if there is none. */
  readonly feed: (integration: string) => IntegrationFeed
  readonly admin: AdminSubscriptions
}

/** Answers clients' messages on sockets. Every message goes through the same pipeline as other requests. */
export class MessageHandler {
  readonly #parts: MessageHandlerParts
  readonly #ignored429: TokenBuckets

  constructor(parts: MessageHandlerParts) {
    this.#parts = parts
    this.#ignored429 = new TokenBuckets(parts.clock, IGNORED_429)
  }

  /** Answers all messages of a socket. */
  listen(socket: StreamSocket, messages: WebSocket): void {
    const { turnBatch } = this.#parts
    if (turnBatch) socket.onLastWord(() => turnBatch.finish())
    messages.on('message', (data, binary) => {
      const handle = (): void => this.#handle(socket, data, binary)
      if (turnBatch) turnBatch.schedule(handle)
      else handle()
    })
  }

  #handle(socket: StreamSocket, data: RawData, binary: boolean): void {
    if (!socket.open) return
    socket.alive()
    const read = readMessage(data, binary)
    const weight = Math.max(1, Math.ceil(bytesOf(data) / MESSAGE_BYTES_A_REQUEST))
    if (this.#answered(socket, read) === 429) this.#slowDown(socket, weight)
    else this.#parts.dispatcher.charge(socket, weight - 1)
  }

  #answered(socket: StreamSocket, read: Read): Status {
    try {
      return this.#answer(socket, read)
    } catch (error) {
      return this.#send(socket, read.id, this.#parts.dispatcher.refused(error, { method: read.kind, onStream: true }))
    }
  }

  #answer(socket: StreamSocket, read: Read): Status {
    if (socket.backpressured)
      refuse('rate_limited', { message: 'Too many answers wait to be read on this socket.', retryAfter: 1 })
    switch (read.kind) {
      case 'request':
        return this.#request(socket, read.id, read.request)
      case 'subscribe':
        return this.#subscribe(socket, read.id, read.topics, read.since)
      case 'refused':
        // The credential is checked first, as for all requests.
        this.#parts.dispatcher.count(this.#parts.dispatcher.identify(socket.token, socket))
        return refuse('validation', { message: read.message })
    }
  }

  #request(socket: StreamSocket, id: string | null, request: StreamRequest): Status {
    if (socket.inFlight >= IN_FLIGHT_MAX) {
      refuse('rate_limited', {
        message: `At most ${IN_FLIGHT_MAX} requests of one socket can be under way at once.`,
        retryAfter: 1,
      })
    }
    const answer = this.#parts.dispatcher.answer({
      method: request.method,
      path: request.path,
      query: request.query,
      // Many clients send null for no body, and no endpoint expects null.
      body:
        request.body === undefined || request.body === null ? { kind: 'none' } : { kind: 'value', value: request.body },
      idempotencyKey: request.idempotencyKey,
      token: socket.token,
      via: socket.via,
      peer: socket.peer,
      onStream: true,
    })
    if (!(answer instanceof Promise)) return this.#send(socket, id, answer)
    this.#sendLater(socket, id, answer)
    return null
  }

  #sendLater(socket: StreamSocket, id: string | null, answer: Promise<Answer>): void {
    socket.inFlight += 1
    answer
      .finally(() => {
        socket.inFlight -= 1
      })
      .then((part) => {
        if (this.#send(socket, id, part) === 429) this.#slowDown(socket, 1)
      })
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'An answer on the stream was not sent.'))
  }

  /** Sends a response, and closes the socket if its credential failed. */
  #send(socket: StreamSocket, id: string | null, answer: Answer): Status {
    socket.answer(id, answer)
    if (answer.status !== 401 && answer.status !== 403) return answer.status
    const failure = this.#parts.credentialFailure(socket)
    if (failure) this.#parts.disconnect(socket, failure)
    return answer.status
  }

  /**
   * Stops reading all sockets of a credential that ignores 429 for a moment, because even refusing is work. TCP holds
   * back its messages.
   */
  #slowDown({ link }: StreamSocket, weight: number): void {
    if (this.#ignored429.take(link, weight) === 0) return
    for (const socket of this.#parts.socketsOf(link)) socket.rest((wake) => this.#parts.clock.after(UNREAD_MS, wake))
  }

  #subscribe(socket: StreamSocket, id: string | null, all: readonly string[], since: number | null): Status {
    const { dispatcher, admin } = this.#parts
    const caller = dispatcher.identify(socket.token, socket)
    dispatcher.count(caller)
    const feed = this.#parts.feed(caller.integration.id)
    const adminTopics = admin.among(socket, all)
    const topics = all.filter((topic) => !adminTopics.some((part) => part === topic))
    if (!topics.every((topic) => topicExists(topic, caller.view))) refuse('not_found')
    if (new Set([...socket.topics, ...topics]).size > TOPICS_MAX) {
      refuse('validation', { message: `subscribe: at most ${TOPICS_MAX} topics on one socket.` })
    }
    if (all.length === 0) admin.end(socket)
    if (all.length === 0 || topics.length > 0) feed.subscribe(socket, topics)
    const added = admin.add(socket, adminTopics, caller.view)
    const missed = since === null ? [] : feed.missed(since, new Set(topics))
    const body = {
      house: caller.view.name,
      subscribed: [...socket.topics, ...admin.of(socket)],
      seq: feed.seq,
      ...(since === null ? {} : { gap: missed === null }),
    }
    const headers = { 'content-type': 'application/json' }
    const status = this.#send(socket, id, { status: 200, headers, body: JSON.stringify(body) })
    if (missed !== null && missed.length > 0) socket.deliver(Buffer.concat(missed.map((event) => event.frame)), missed)
    added.start()
    return status
  }
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength
}
