import type { RawData } from 'ws'
import { TOPICS_MAX } from '../api/contract/events.ts'
import type { Answer } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { refuse } from '../api/errors.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { AdminSubscriptions } from './admin-subscriptions.ts'
import type { IntegrationFeed } from './integration-feed.ts'
import { type Read, readMessage, type StreamRequest } from './client-message.ts'
import type { StreamSocket } from './stream-socket.ts'
import { topicExists } from './topics.ts'

/** Requests of one socket that may be under way at once: a script that switches a whole house needs some. */
export const IN_FLIGHT_MAX = 64

/** So many messages that are 429 one after the other, and a socket is not read for a while. */
export const REFUSED_IN_A_ROW_MAX = 20
export const UNREAD_MS = 1_000

export interface MessageHandlerParts {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly log: Log
  readonly credentialFailure: (socket: StreamSocket) => AuthFailure | null
  readonly disconnect: (socket: StreamSocket, failure: AuthFailure) => void
  /** The feed of an integration, begun if no socket listens through it yet. */
  readonly feed: (integration: string) => IntegrationFeed
  readonly admin: AdminSubscriptions
}

/** Answers what a client sends on its socket. Every message goes through the pipeline of all requests. */
export class MessageHandler {
  readonly #parts: MessageHandlerParts

  constructor(parts: MessageHandlerParts) {
    this.#parts = parts
  }

  handle(socket: StreamSocket, data: RawData, binary: boolean): void {
    if (!socket.open) return
    socket.alive()
    const read = readMessage(data, binary)
    try {
      this.#answer(socket, read)
    } catch (error) {
      this.#send(socket, read.id, this.#parts.dispatcher.refused(error, { method: read.kind, onStream: true }))
    }
  }

  #answer(socket: StreamSocket, read: Read): void {
    if (socket.backpressured)
      refuse('rate_limited', { message: 'Too many answers wait to be read on this socket.', retryAfter: 1 })
    switch (read.kind) {
      case 'request':
        return this.#request(socket, read.id, read.request)
      case 'subscribe':
        return this.#subscribe(socket, read.id, read.topics, read.since)
      case 'refused':
        // The credential is checked first, as everywhere.
        this.#parts.dispatcher.count(this.#parts.dispatcher.identify(socket.token, socket))
        return refuse('validation', { message: read.message })
    }
  }

  #request(socket: StreamSocket, id: string | null, request: StreamRequest): void {
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
      // Many clients write an absent body as null, and no body of ours is null.
      body:
        request.body === undefined || request.body === null ? { kind: 'none' } : { kind: 'value', value: request.body },
      idempotencyKey: request.idempotencyKey,
      token: socket.token,
      via: socket.via,
      peer: socket.peer,
      onStream: true,
    })
    if (answer instanceof Promise) this.#sendLater(socket, id, answer)
    else this.#send(socket, id, answer)
  }

  #sendLater(socket: StreamSocket, id: string | null, answer: Promise<Answer>): void {
    socket.inFlight += 1
    answer
      .finally(() => {
        socket.inFlight -= 1
      })
      .then((each) => this.#send(socket, id, each))
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'An answer on the stream was not sent.'))
  }

  /** A socket whose credential fails is ended after the refusal that says why. */
  #send(socket: StreamSocket, id: string | null, answer: Answer): void {
    socket.answer(id, answer)
    this.#slowDown(socket, answer)
    if (answer.status !== 401 && answer.status !== 403) return
    const failure = this.#parts.credentialFailure(socket)
    if (failure) this.#parts.disconnect(socket, failure)
  }

  /** Even refusing costs work: who does not heed 429 is not listened to for a moment, and TCP holds what it sends. */
  #slowDown(socket: StreamSocket, { status }: Answer): void {
    socket.refusedInARow = status === 429 ? socket.refusedInARow + 1 : 0
    if (socket.refusedInARow < REFUSED_IN_A_ROW_MAX) return
    socket.refusedInARow = 0
    socket.rest((wake) => this.#parts.clock.after(UNREAD_MS, wake))
  }

  #subscribe(socket: StreamSocket, id: string | null, all: readonly string[], since: number | null): void {
    const { dispatcher, admin } = this.#parts
    const caller = dispatcher.identify(socket.token, socket)
    dispatcher.count(caller)
    const feed = this.#parts.feed(caller.integration.id)
    const adminTopics = admin.among(socket, all)
    const topics = all.filter((topic) => !adminTopics.some((each) => each === topic))
    if (!topics.every((topic) => topicExists(topic, caller.view))) refuse('not_found')
    if (new Set([...socket.topics, ...topics]).size > TOPICS_MAX) {
      refuse('validation', { message: `subscribe: at most ${TOPICS_MAX} topics on one socket.` })
    }
    if (all.length === 0) admin.end(socket)
    if (all.length === 0 || topics.length > 0) feed.subscribe(socket, topics)
    const added = admin.add(socket, adminTopics)
    const missed = since === null ? [] : feed.missed(since, new Set(topics))
    const body = {
      house: caller.view.name,
      subscribed: [...socket.topics, ...admin.of(socket)],
      seq: feed.seq,
      ...(since === null ? {} : { gap: missed === null }),
    }
    this.#send(socket, id, { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    if (missed !== null && missed.length > 0) socket.deliver(Buffer.concat(missed.map((event) => event.frame)), missed)
    added.tell()
  }
}
