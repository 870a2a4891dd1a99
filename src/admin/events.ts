import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import type { Emitter } from '../lib/emitter.ts'
import { keyOf } from './credentials.ts'
import { type AgentParts, confirmationView, pendingView, requestView } from './agents.ts'
import type { AdminEvent } from './contract/events.ts'

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
    for (const each of pairing.pending())
      tell({ kind: 'agent_request', notice: each.notice, request: pendingView(each) })
    for (const each of confirmations.pending())
      tell({ kind: 'confirmation', notice: true, confirmation: confirmationView(each, this.#parts) })
    tell({ kind: 'watching' })
    return events.on((each) => tell(this.#lineOf(each)))
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
