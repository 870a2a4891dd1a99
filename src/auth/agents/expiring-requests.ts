import type { AgentRequest } from './agent-request.ts'
import type { Confirmation } from './confirmation.ts'
import type { Credential } from '../credentials/credentials.ts'
import type { ActivityDraft, Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** Live events for administrators. `notice` is false if a notification would be one too many. */
export type AccessEvent =
  | { readonly kind: 'agent_request'; readonly request: AgentRequest; readonly notice: boolean }
  | {
      readonly kind: 'agent_request_ended'
      readonly request: AgentRequest
      readonly how: 'accepted' | 'denied' | 'expired' | 'collected'
    }
  /** A refresh token or authorization code was used twice, so somebody else has it too. */
  | { readonly kind: 'agent_ended'; readonly credential: Credential; readonly why: 'refresh_reused' | 'code_reused' }
  | { readonly kind: 'confirmation'; readonly confirmation: Confirmation; readonly notice: boolean }
  | {
      readonly kind: 'confirmation_ended'
      readonly confirmation: Confirmation
      readonly how: 'confirmed' | 'declined' | 'expired' | 'used'
    }

/** Retry interval after an expiry could not be stored. */
const STORE_RETRY_MS = 30_000

export interface ExpiringParts {
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly events: Pick<Emitter<AccessEvent>, 'emit'>
}

/** Expiry rules of one kind of stored requests. */
interface ExpiringRules<R> {
  /** All stored requests, oldest first. */
  readonly list: () => readonly R[]
  readonly idOf: (request: R) => string
  /** Steady ms at which a request ends by itself; Infinity once it has ended otherwise. */
  readonly endOf: (request: R) => number
  /** Ends an expired request: removes it or leaves it stored, and emits its event. */
  readonly expire: (request: R, change: RequestChange) => void
}

/** One change of requests, inside its transaction. */
export class RequestChange {
  readonly #parts: ExpiringParts
  /** Writes an activity row in the transaction of this change. */
  readonly record: (draft: ActivityDraft) => void
  /** Events to emit after the commit. */
  readonly events: AccessEvent[] = []

  constructor(parts: ExpiringParts, record: (draft: ActivityDraft) => void) {
    this.#parts = parts
    this.record = record
  }

  /**
   * Steady time in ms for times stored by this change. It is saved in the same transaction, so steady time never falls
   * behind it after a restart.
   */
  steadyNow(): number {
    const now = this.#parts.steady.now()
    this.#parts.steady.save()
    return now
  }

  /** Writes an activity row about access to an integration. */
  recordAccess(integration: string, what: string, cause: Cause): void {
    const subject = { kind: 'integration', id: integration } as const
    this.record({ at: this.#parts.clock.now(), kind: 'access', subject, what, cause })
  }

  emit(event: AccessEvent): void {
    this.events.push(event)
  }
}

/**
 * Stored requests that wait for an administrator and expire in steady time: agents' requests for access, and
 * confirmations of calls. Changes are transactions, events follow the commit, and one timer waits for the next expiry.
 */
export class ExpiringRequests<R> {
  readonly #parts: ExpiringParts
  readonly #rules: ExpiringRules<R>
  /** Ids of requests that expired but are still stored. */
  readonly #ended = new Set<string>()
  #cancel = (): void => {}

  /** Expires the requests whose time ran out while the gateway was stopped, without events. */
  constructor(parts: ExpiringParts, rules: ExpiringRules<R>) {
    this.#parts = parts
    this.#rules = rules
    this.#expireOverdue()
  }

  /** Requests that have not ended, oldest first. */
  current(): readonly R[] {
    const now = this.#parts.steady.now()
    return this.#unended().filter((request) => this.#rules.endOf(request) > now)
  }

  /** Epoch ms at which a request ends by itself. */
  expiresAt(request: R): number {
    return this.#parts.clock.now() + this.#rules.endOf(request) - this.#parts.steady.now()
  }

  /** Expires overdue requests, then changes requests in one transaction. */
  change<T>(run: (change: RequestChange) => T): T {
    this.recheck()
    const { answer, events } = this.#commit(run)
    this.#setTimer()
    this.#emit(events)
    return answer
  }

  /** Expires overdue requests. Called by the timer, and after changes that end requests early. */
  recheck(): void {
    this.#emit(this.#expireOverdue())
  }

  stop(): void {
    this.#cancel()
  }

  /** Expires overdue requests and returns their events. If the disk refuses writes, the expiry is stored later. */
  #expireOverdue(): readonly AccessEvent[] {
    try {
      const events = this.#storeExpiry()
      this.#setTimer()
      return events
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#cancel()
      this.#cancel = this.#parts.clock.after(STORE_RETRY_MS, () => this.recheck())
      return []
    }
  }

  #storeExpiry(): readonly AccessEvent[] {
    const now = this.#parts.steady.now()
    const expired = this.#unended().filter((request) => this.#rules.endOf(request) <= now)
    if (expired.length === 0) return []
    const { events } = this.#commit((change) => {
      for (const request of expired) this.#rules.expire(request, change)
    })
    for (const request of expired) this.#ended.add(this.#rules.idOf(request))
    return events
  }

  #commit<T>(run: (change: RequestChange) => T): { readonly answer: T; readonly events: readonly AccessEvent[] } {
    return this.#parts.work.change((record) => {
      const change = new RequestChange(this.#parts, record)
      return { answer: run(change), events: change.events }
    })
  }

  #emit(events: readonly AccessEvent[]): void {
    for (const event of events) this.#parts.events.emit(event)
  }

  /** Sets the timer for the next expiry, and removes ids of deleted requests from `#ended`. */
  #setTimer(): void {
    this.#cancel()
    const stored = new Set(this.#rules.list().map((request) => this.#rules.idOf(request)))
    for (const id of this.#ended) if (!stored.has(id)) this.#ended.delete(id)
    const next = Math.min(...this.#unended().map((request) => this.#rules.endOf(request)))
    if (next === Infinity) return
    this.#cancel = this.#parts.clock.after(Math.max(0, next - this.#parts.steady.now()), () => this.recheck())
  }

  #unended(): readonly R[] {
    return this.#rules
      .list()
      .filter((request) => !this.#ended.has(this.#rules.idOf(request)) && this.#rules.endOf(request) < Infinity)
  }
}
