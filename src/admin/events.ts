import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import type { Emitter } from '../lib/emitter.ts'
import { keyOf } from './credentials.ts'
import { type AgentParts, confirmationView, pendingView, requestView } from './agents.ts'
import type { AdminEvent } from './contract/events.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { StatusView } from './contract/gateway.ts'

/** Whoever watches for longer than a glance is a person at a terminal: there are few of them. */
export const WATCHERS_MAX = 16

export interface EventParts extends AgentParts {
  readonly events: Emitter<AccessEvent>
}

/**
 * What administrators are told as it happens (docs/agents.md#pairing): agents that ask for access, and calls that wait
 * for a word.
 */
export class AdminEvents {
  readonly #parts: EventParts
  #watchers = 0

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  /**
   * Tells what waits now, then `watching`, then what happens, until the returned function is called. Null when too many
   * watch already.
   */
  watch(tell: (event: AdminEvent) => void): (() => void) | null {
    if (this.#watchers >= WATCHERS_MAX) return null
    this.#watchers += 1
    const end = this.follow(tell)
    let stopped = false
    return () => {
      if (stopped) return
      stopped = true
      this.#watchers -= 1
      end()
    }
  }

  /** The same for whoever is bounded otherwise: the sockets of the console's stream. */
  follow(tell: (event: AdminEvent) => void): () => void {
    const { pairing, confirmations, events } = this.#parts
    for (const request of pairing.pending())
      tell({ kind: 'agent_request', notice: request.notice, request: pendingView(request) })
    for (const confirmation of confirmations.pending())
      tell({ kind: 'confirmation', notice: true, confirmation: confirmationView(confirmation, this.#parts) })
    tell({ kind: 'watching' })
    return events.on((event) => tell(this.#lineOf(event)))
  }

  #lineOf(event: AccessEvent): AdminEvent {
    switch (event.kind) {
      case 'agent_request': {
        const pending = this.#parts.pairing.pending().find(({ request }) => request === event.request.request)
        return {
          kind: event.kind,
          notice: event.notice,
          request: pending ? pendingView(pending) : requestView(event.request),
        }
      }
      case 'agent_request_ended':
        return { kind: event.kind, how: event.how, request: requestView(event.request) }
      case 'agent_ended':
        return { kind: event.kind, why: event.why, agent: keyOf(event.credential, this.#parts) }
      case 'confirmation': {
        const pending = this.#parts.confirmations.pending().find(({ id }) => id === event.confirmation.id)
        return {
          kind: event.kind,
          notice: event.notice,
          confirmation: confirmationView(pending ?? event.confirmation, this.#parts),
        }
      }
      case 'confirmation_ended':
        return { kind: event.kind, how: event.how, confirmation: confirmationView(event.confirmation, this.#parts) }
    }
  }
}

/** What a person may hear of on the console's stream, beside the topics of the service's own (docs/console.md#stream). */
export const ADMIN_TOPICS = ['access', 'activity', 'status'] as const
export type AdminTopic = (typeof ADMIN_TOPICS)[number]

/**
 * Tells the states of one topic: what holds now first, where there is such a thing, until the returned function ends
 * it.
 */
export type AdminTopicSource = (tell: (state: object) => void) => () => void
export type AdminTopics = { readonly [T in AdminTopic]: AdminTopicSource }

/** How the gateway is doing is told this often, and at once when a unit or the line goes or comes. */
const STATUS_EVERY_MS = 10_000
/** Units that go together are told together. */
const GATHERED_MS = 200

/**
 * What waits for a word and what becomes of it, as `bin/hm agent watch` is told; and `{kind: 'changed', integration}`
 * after every change of an integration, a credential, a person or a session: read again what is shown of it.
 */
export function accessTopic(
  events: Pick<AdminEvents, 'follow'>,
  changes: Pick<Emitter<AccessChange>, 'on'>,
): AdminTopicSource {
  return (tell) => {
    const stops = [
      events.follow(tell),
      changes.on(({ integration, deleted }) => tell({ kind: 'changed', integration, deleted })),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }
}

export interface StatusTopicParts {
  readonly clock: Clock
  readonly events: Pick<Emitter<HomeEvent>, 'on'>
  readonly status: () => StatusView
}

/** How the gateway is doing, as `GET /admin/v1/status`: now, and whenever that is told again. */
export function statusTopic({ clock, events, status }: StatusTopicParts): AdminTopicSource {
  return (tell) => {
    let cancel: (() => void) | null = null
    const now = (): void => {
      cancel = null
      tell(status())
    }
    now()
    const stops = [
      every(clock, STATUS_EVERY_MS, now),
      events.on(({ kind }) => {
        if (kind === 'unit' || kind === 'link') cancel ??= clock.after(GATHERED_MS, now)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      cancel?.()
    }
  }
}
