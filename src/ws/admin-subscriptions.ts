import { ADMIN_TOPICS, type AdminTopic, type AdminTopics } from '../admin/events.ts'
import type { Clock } from '../lib/clock.ts'
import { textFrame } from './frame.ts'
import type { StreamSocket } from './stream-socket.ts'

export interface AdminSubscriptionsParts {
  /** Null while there are none, as where no console is. */
  readonly topics: () => AdminTopics | null
  readonly house: () => string
  readonly clock: Clock
}

/** What persons hear of on the console's stream beside the home. To all others these topics do not exist. */
export class AdminSubscriptions {
  readonly #parts: AdminSubscriptionsParts
  readonly #heard = new Map<StreamSocket, Map<AdminTopic, () => void>>()

  constructor(parts: AdminSubscriptionsParts) {
    this.#parts = parts
  }

  /** Which of some topics are these, for this socket. */
  among({ token }: Pick<StreamSocket, 'token'>, topics: readonly string[]): readonly AdminTopic[] {
    const isPerson = token !== null && typeof token !== 'string'
    return isPerson && this.#parts.topics() ? ADMIN_TOPICS.filter((topic) => topics.includes(topic)) : []
  }

  /** Those that a socket hears. */
  of(socket: StreamSocket): readonly AdminTopic[] {
    return [...(this.#heard.get(socket)?.keys() ?? [])]
  }

  /** Notes that a socket hears of these too; `tell` begins it, once the socket was answered. */
  add(socket: StreamSocket, topics: readonly AdminTopic[]): { readonly tell: () => void } {
    const sources = this.#parts.topics()
    const heard = this.#heard.get(socket) ?? new Map<AdminTopic, () => void>()
    const fresh = sources === null ? [] : topics.filter((topic) => !heard.has(topic))
    if (fresh.length === 0) return { tell: () => {} }
    this.#heard.set(socket, heard)
    for (const topic of fresh) heard.set(topic, () => {})
    return {
      tell: () => {
        for (const topic of fresh)
          if (heard.has(topic))
            heard.set(topic, sources?.[topic]((state) => this.#tell(socket, topic, state)) ?? (() => {}))
      },
    }
  }

  /** Ends everything that a socket hears of these. */
  end(socket: StreamSocket): void {
    for (const stop of this.#heard.get(socket)?.values() ?? []) stop()
    this.#heard.delete(socket)
  }

  #tell(socket: StreamSocket, topic: AdminTopic, state: object): void {
    const { house, clock } = this.#parts
    socket.tell(
      textFrame(JSON.stringify({ event: topic, at: clock.now(), house: house(), device: null, class: null, state })),
    )
  }
}
