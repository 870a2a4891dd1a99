import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import type { Emitter } from '../lib/emitter.ts'
import { keyOf } from './credentials.ts'
import { type AgentParts, confirmationView, pendingView, requestView } from './agents.ts'
import type { AdminEvent } from './contract/events.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import { OwnEvents, type OwnView } from './own-agents.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { type Clock, every } from '../lib/clock.ts'
import type { StatusView } from './contract/gateway.ts'

/** Limit of watchers: each is a person at a terminal, so there are few. */
export const WATCHERS_MAX = 16

export interface EventParts extends AgentParts {
  readonly events: Emitter<AccessEvent>
}

/**
 * Live events for administrators (docs/agents.md#pairing): agents that ask for access, and calls that wait for a
 * confirmation.
 */
export class AdminEvents {
  readonly #parts: EventParts
  #watchers = 0

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  /**
   * Sends the pending requests, then `watching`, then new events, until the returned function is called. Null if there
   * are too many watchers.
   */
  watch(send: (event: AdminEvent) => void): (() => void) | null {
    if (this.#watchers >= WATCHERS_MAX) return null
    this.#watchers += 1
    const end = this.follow(send)
    let stopped = false
    return () => {
      if (stopped) return
      stopped = true
      this.#watchers -= 1
      end()
    }
  }

  /**
   * Watches without the limit, for sockets of the console's stream, which has its own. A member's view limits it to
   * what the member may decide.
   */
  follow(send: (event: AdminEvent) => void, viewNow: () => OwnView = () => null): () => void {
    const { pairing, confirmations, events } = this.#parts
    const own = new OwnEvents(this.#parts)
    const sendOwn = (event: AccessEvent): void => {
      const view = viewNow()
      if (own.has(event, view)) send(this.#lineOf(event, view))
    }
    for (const request of pairing.pending()) sendOwn({ kind: 'agent_request', notice: request.notice, request })
    for (const confirmation of confirmations.pending()) sendOwn({ kind: 'confirmation', notice: true, confirmation })
    send({ kind: 'watching' })
    return events.on(sendOwn)
  }

  #lineOf(event: AccessEvent, view: OwnView): AdminEvent {
    switch (event.kind) {
      case 'agent_request': {
        const pending = this.#parts.pairing.pending().find(({ request }) => request === event.request.request)
        return {
          kind: event.kind,
          notice: event.notice,
          request: pending ? pendingView(pending, view, this.#parts) : requestView(event.request),
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

/** Topics of the console's stream in addition to the topics of the service's stream (docs/console.md#stream). */
export const ADMIN_TOPICS = ['access', 'activity', 'messages', 'status'] as const
export type AdminTopic = (typeof ADMIN_TOPICS)[number]

/**
 * Source of a topic: it sends the current state first, if there is one, then changes, until the returned function is
 * called. `viewNow` is the view of a member; null for administrators, who see everything.
 */
export type AdminTopicSource = (send: (state: object) => void, viewNow: () => ExposedHouse | null) => () => void
export type AdminTopicSources = { readonly [T in AdminTopic]: AdminTopicSource }

/** Topics for members, and for wall tablets, about what their records show. */
export const MEMBER_TOPICS: readonly AdminTopic[] = ['access', 'messages']
export const TABLET_TOPICS: readonly AdminTopic[] = ['messages']

/** Interval of status messages; a change of a unit or the line sends one at once. */
const STATUS_EVERY_MS = 10_000
/** Delay for collecting changes of several units. */
const COLLECT_MS = 200

/**
 * Pending requests and their outcomes, as in `bin/hm agent watch`, and `{kind: 'changed', integration}` after every
 * change of an integration, a credential, a person or a session. Readers then read the changed thing again. Members
 * get those of their own record.
 */
export function accessTopic(
  events: Pick<AdminEvents, 'follow'>,
  changes: Pick<Emitter<AccessChange>, 'on'>,
): AdminTopicSource {
  return (send, viewNow) => {
    const isOwn = (integration: string): boolean => (viewNow()?.integration.id ?? integration) === integration
    const stops = [
      events.follow(send, viewNow),
      changes.on(({ integration, deleted }) => isOwn(integration) && send({ kind: 'changed', integration, deleted })),
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

/** Status of the gateway as in `GET /admin/v1/status`, now and after each interval or change. */
export function statusTopic({ clock, events, status }: StatusTopicParts): AdminTopicSource {
  return (send) => {
    let cancel: (() => void) | null = null
    const now = (): void => {
      cancel = null
      send(status())
    }
    now()
    const stops = [
      every(clock, STATUS_EVERY_MS, now),
      events.on(({ kind }) => {
        if (kind === 'unit' || kind === 'link') cancel ??= clock.after(COLLECT_MS, now)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      cancel?.()
    }
  }
}
