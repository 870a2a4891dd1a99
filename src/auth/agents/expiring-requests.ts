import type { AgentRequest } from './agent-request.ts'
import type { Confirmation } from './confirmation.ts'
import type { Credential } from '../credentials/credentials.ts'
import type { ActivityDraft, Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/**
 * What administrators receive as it happens. `notice`: whether it should call for their attention; too many at once
 * would only wear them out.
 */
export type AccessEvent =
  | { readonly kind: 'agent_request'; readonly request: AgentRequest; readonly notice: boolean }
  | {
      readonly kind: 'agent_request_ended'
      readonly request: AgentRequest
      readonly how: 'accepted' | 'denied' | 'expired' | 'collected'
    }
  /** A refresh token or an authorization code came back after it was used, so somebody else has it too. */
  | { readonly kind: 'agent_ended'; readonly credential: Credential; readonly why: 'refresh_reused' | 'code_reused' }
  | { readonly kind: 'confirmation'; readonly confirmation: Confirmation; readonly notice: boolean }
  | {
      readonly kind: 'confirmation_ended'
      readonly confirmation: Confirmation
      readonly how: 'confirmed' | 'declined' | 'expired' | 'used'
    }

/** After an end could not be stored, it is tried again in this time. */
const STORE_AGAIN_MS = 30_000

export interface ExpiringParts {
  readonly work: UnitOfWork
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly events: Pick<Emitter<AccessEvent>, 'emit'>
}

/** How one kind of stored requests ends by itself. */
interface ExpiringRules<R> {
  /** All that are stored, the oldest first. */
  readonly list: () => readonly R[]
  readonly idOf: (request: R) => string
  /** The steady time in ms at which a request ends by itself; Infinity once it has ended otherwise. */
  readonly endOf: (request: R) => number
  /** Ends a request whose time is over: removes it from the store, or leaves it there, and emits what became of it. */
  readonly expire: (request: R, change: RequestChange) => void
}

/** One change of requests, inside its transaction. */
export class RequestChange {
  readonly #parts: ExpiringParts
  /** Writes an activity row in the same transaction. */
  readonly record: (draft: ActivityDraft) => void
  /** What is emitted after the commit. */
  readonly events: AccessEvent[] = []

  constructor(parts: ExpiringParts, record: (draft: ActivityDraft) => void) {
    this.#parts = parts
    this.record = record
  }

  /**
   * The steady time in ms, for what this change stores. It is kept in the same transaction, so that no restart begins
   * before it.
   */
  steadyNow(): number {
    const now = this.#parts.steady.now()
    this.#parts.steady.save()
    return now
  }

  /** Writes an activity row about who may use an integration. */
  recordAccess(integration: string, what: string, cause: Cause): void {
    const subject = { kind: 'integration', id: integration } as const
    this.record({ at: this.#parts.clock.now(), kind: 'access', subject, what, cause })
  }

  emit(event: AccessEvent): void {
    this.events.push(event)
  }
}

/**
 * Stored requests that wait for an administrator and end by themselves in steady time: those of agents for access, and
 * those of calls for a confirmation. Changes are transactions, events follow the commit, and one timer waits for the
 * next end.
 */
export class ExpiringRequests<R> {
  readonly #parts: ExpiringParts
  readonly #rules: ExpiringRules<R>
  /** Ids of those that ended by themselves and are stored still. */
  readonly #ended = new Set<string>()
  #cancel = (): void => {}

  /** What ended while the gateway was away ends here, without events: nobody listens yet. */
  constructor(parts: ExpiringParts, rules: ExpiringRules<R>) {
    this.#parts = parts
    this.#rules = rules
    this.#expireOrWait()
  }

  /** Those that have not ended, the oldest first. */
  current(): readonly R[] {
    const now = this.#parts.steady.now()
    return this.#waiting().filter((each) => this.#rules.endOf(each) > now)
  }

  /** When a request ends by itself, in epoch ms. */
  expiresAt(request: R): number {
    return this.#parts.clock.now() + this.#rules.endOf(request) - this.#parts.steady.now()
  }

  /** Ends first what has ended by itself, then changes requests in one transaction. */
  change<T>(run: (change: RequestChange) => T): T {
    this.recheck()
    const { answer, events } = this.#commit(run)
    this.#wait()
    this.#emit(events)
    return answer
  }

  /** Ends what has ended by itself: after its time, or once something changed that it depends on. */
  recheck(): void {
    this.#emit(this.#expireOrWait())
  }

  stop(): void {
    this.#cancel()
  }

  /** While the disk takes no writes, what has ended is stored later; it counts as ended all the same. */
  #expireOrWait(): readonly AccessEvent[] {
    try {
      const events = this.#expire()
      this.#wait()
      return events
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      this.#cancel()
      this.#cancel = this.#parts.clock.after(STORE_AGAIN_MS, () => this.recheck())
      return []
    }
  }

  #expire(): readonly AccessEvent[] {
    const now = this.#parts.steady.now()
    const over = this.#waiting().filter((each) => this.#rules.endOf(each) <= now)
    if (over.length === 0) return []
    const { events } = this.#commit((change) => {
      for (const each of over) this.#rules.expire(each, change)
    })
    for (const each of over) this.#ended.add(this.#rules.idOf(each))
    return events
  }

  #commit<T>(run: (change: RequestChange) => T): { readonly answer: T; readonly events: readonly AccessEvent[] } {
    return this.#parts.work.change((record) => {
      const change = new RequestChange(this.#parts, record)
      return { answer: run(change), events: change.events }
    })
  }

  #emit(events: readonly AccessEvent[]): void {
    for (const each of events) this.#parts.events.emit(each)
  }

  /** Sets the timer to the next end, and forgets the ids of what is stored no more. */
  #wait(): void {
    this.#cancel()
    const stored = new Set(this.#rules.list().map((each) => this.#rules.idOf(each)))
    for (const id of this.#ended) if (!stored.has(id)) this.#ended.delete(id)
    const next = Math.min(...this.#waiting().map((each) => this.#rules.endOf(each)))
    if (next === Infinity) return
    this.#cancel = this.#parts.clock.after(Math.max(0, next - this.#parts.steady.now()), () => this.recheck())
  }

  #waiting(): readonly R[] {
    return this.#rules
      .list()
      .filter((each) => !this.#ended.has(this.#rules.idOf(each)) && this.#rules.endOf(each) < Infinity)
  }
}
