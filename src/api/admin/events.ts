import type { AccessNews } from '../../auth/access-news.ts'
import type { Listeners } from '../../lib/listeners.ts'
import {
  type AgentParts,
  type ConfirmationView,
  confirmationView,
  pendingView,
  requestView,
  type RequestView,
} from './agents.ts'

/** Whoever watches for longer than a glance is a person at a terminal: there are few of them. */
export const WATCHERS_MAX = 16

export interface EventParts extends AgentParts {
  readonly news: Listeners<AccessNews>
}

/** A line of `GET /admin/v1/events`. After `watching` everything is new. */
export type AdminEvent =
  | { readonly kind: 'agent_request'; readonly notice: boolean; readonly request: RequestView }
  | { readonly kind: 'agent_request_ended'; readonly how: HowOf<'agent_request_ended'>; readonly request: RequestView }
  | { readonly kind: 'confirmation'; readonly notice: boolean; readonly confirmation: ConfirmationView }
  | {
      readonly kind: 'confirmation_ended'
      readonly how: HowOf<'confirmation_ended'>
      readonly confirmation: ConfirmationView
    }
  | { readonly kind: 'watching' }

type HowOf<K extends AccessNews['kind']> = Extract<AccessNews, { kind: K; how: string }>['how']

/** What administrators are told as it happens (D9): agents that ask for access, and calls that wait for a word. */
export class AdminEvents {
  readonly #parts: EventParts
  #watchers = 0

  constructor(parts: EventParts) {
    this.#parts = parts
  }

  /** Tells what waits now, then `watching`, then what happens, until the returned function is called. Null when too many watch already. */
  watch(tell: (event: AdminEvent) => void): (() => void) | null {
    if (this.#watchers >= WATCHERS_MAX) return null
    this.#watchers += 1
    const { pairing, confirmations, news } = this.#parts
    for (const each of pairing.pending())
      tell({ kind: 'agent_request', notice: each.notice, request: pendingView(each) })
    for (const each of confirmations.pending())
      tell({ kind: 'confirmation', notice: true, confirmation: confirmationView(each, this.#parts) })
    tell({ kind: 'watching' })
    const stop = news.add((each) => tell(this.#lineOf(each)))
    let stopped = false
    return () => {
      if (stopped) return
      stopped = true
      this.#watchers -= 1
      stop()
    }
  }

  #lineOf(news: AccessNews): AdminEvent {
    switch (news.kind) {
      case 'agent_request': {
        const pending = this.#parts.pairing.pending().find(({ request }) => request === news.request.request)
        return {
          kind: news.kind,
          notice: news.notice,
          request: pending ? pendingView(pending) : requestView(news.request),
        }
      }
      case 'agent_request_ended':
        return { kind: news.kind, how: news.how, request: requestView(news.request) }
      case 'confirmation': {
        const pending = this.#parts.confirmations.pending().find(({ id }) => id === news.confirmation.id)
        return {
          kind: news.kind,
          notice: news.notice,
          confirmation: confirmationView(pending ?? news.confirmation, this.#parts),
        }
      }
      case 'confirmation_ended':
        return { kind: news.kind, how: news.how, confirmation: confirmationView(news.confirmation, this.#parts) }
    }
  }
}
