import { ADMIN_TOPICS, type AdminTopic, type AdminTopicSources } from '../admin/events.ts'
import type { Clock } from '../lib/clock.ts'
import { textFrame } from './websocket-frame.ts'
import type { StreamSocket } from './stream-socket.ts'

export interface AdminSubscriptionsParts {
  /** Null while there are none, for example without a console. */
  readonly topics: () => AdminTopicSources | null
  readonly house: () => string
  readonly clock: Clock
}

/**
 * Subscriptions of persons to administrators' topics on the console's stream. For all others these topics do not exist.
 */
export class AdminSubscriptions {
  readonly #parts: AdminSubscriptionsParts
  readonly #subscribed = new Map<StreamSocket, Map<AdminTopic, () => void>>()

  constructor(parts: AdminSubscriptionsParts) {
    this.#parts = parts
  }

  /** The administrators' topics among these, if the socket is a person's. */
  among({ token }: Pick<StreamSocket, 'token'>, topics: readonly string[]): readonly AdminTopic[] {
    const isPerson = token !== null && typeof token !== 'string'
    return isPerson && this.#parts.topics() ? ADMIN_TOPICS.filter((topic) => topics.includes(topic)) : []
  }

  /** Administrators' topics of a socket. */
  of(socket: StreamSocket): readonly AdminTopic[] {
    return [...(this.#subscribed.get(socket)?.keys() ?? [])]
  }

  /** Subscribes a socket to further topics; `start` sends events once the response is sent. */
  add(socket: StreamSocket, topics: readonly AdminTopic[]): { readonly start: () => void } {
    const sources = this.#parts.topics()
    const subscribed = this.#subscribed.get(socket) ?? new Map<AdminTopic, () => void>()
    const added = sources === null ? [] : topics.filter((topic) => !subscribed.has(topic))
    if (added.length === 0) return { start: () => {} }
    this.#subscribed.set(socket, subscribed)
    for (const topic of added) subscribed.set(topic, () => {})
    return {
      start: () => {
        for (const topic of added)
          if (subscribed.has(topic))
            subscribed.set(topic, sources?.[topic]((state) => this.#sendState(socket, topic, state)) ?? (() => {}))
      },
    }
  }

  /** Ends a socket's subscriptions to administrators' topics. */
  end(socket: StreamSocket): void {
    for (const stop of this.#subscribed.get(socket)?.values() ?? []) stop()
    this.#subscribed.delete(socket)
  }

  #sendState(socket: StreamSocket, topic: AdminTopic, state: object): void {
    const { house, clock } = this.#parts
    socket.send(
      textFrame(JSON.stringify({ event: topic, at: clock.now(), house: house(), device: null, class: null, state })),
    )
  }
}
