import { ADMIN_TOPICS, type AdminTopic, type AdminTopicSources, MEMBER_TOPICS, TABLET_TOPICS } from '../admin/events.ts'
import { OWNER_ID } from '../auth/persons/person.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Clock } from '../lib/clock.ts'
import { textFrame } from './websocket-frame.ts'
import type { StreamSocket } from './stream-socket.ts'

export interface AdminSubscriptionsParts {
  /** Null while there are none, for example without a console. */
  readonly topics: () => AdminTopicSources | null
  readonly house: () => string
  /** The present view of a member's record. */
  readonly viewOf: (record: string) => ExposedHouse | null
  readonly clock: Clock
}

/**
 * Subscriptions of people to administrators' topics on the console's stream. For programs these topics do not exist,
 * and for members only a few do.
 */
export class AdminSubscriptions {
  readonly #parts: AdminSubscriptionsParts
  readonly #subscribed = new Map<StreamSocket, Map<AdminTopic, () => void>>()

  constructor(parts: AdminSubscriptionsParts) {
    this.#parts = parts
  }

  /** The topics of people among these, if they exist for the socket. */
  among(
    { token, integration }: Pick<StreamSocket, 'token' | 'integration'>,
    topics: readonly string[],
  ): readonly AdminTopic[] {
    const isPerson = token !== null && typeof token !== 'string'
    if (!isPerson || this.#parts.topics() === null) return []
    return this.#offered(integration).filter((topic) => topics.includes(topic))
  }

  #offered(record: string): readonly AdminTopic[] {
    if (record === OWNER_ID) return ADMIN_TOPICS
    return this.#parts.viewOf(record)?.integration.kind === 'member' ? MEMBER_TOPICS : TABLET_TOPICS
  }

  /** Administrators' topics of a socket. */
  of(socket: StreamSocket): readonly AdminTopic[] {
    return [...(this.#subscribed.get(socket)?.keys() ?? [])]
  }

  /** Subscribes a socket with its present view to further topics; `start` sends events once the response is sent. */
  add(socket: StreamSocket, topics: readonly AdminTopic[], view: ExposedHouse): { readonly start: () => void } {
    const sources = this.#parts.topics()
    const subscribed = this.#subscribed.get(socket) ?? new Map<AdminTopic, () => void>()
    const added = sources === null ? [] : topics.filter((topic) => !subscribed.has(topic))
    if (added.length === 0) return { start: () => {} }
    this.#subscribed.set(socket, subscribed)
    for (const topic of added) subscribed.set(topic, () => {})
    const { integration } = socket
    const { viewOf } = this.#parts
    // Never null for a member, whose record may be gone by then.
    const viewNow = (): ExposedHouse | null => (integration === OWNER_ID ? null : (viewOf(integration) ?? view))
    return {
      start: () => {
        for (const topic of added)
          if (subscribed.has(topic))
            subscribed.set(
              topic,
              sources?.[topic]((state) => this.#sendState(socket, topic, state), viewNow) ?? (() => {}),
            )
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
