import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { RuleStore, RunPlace, RunProgress, RunRecord, StepFailure, NewClaim } from '../../ports/rule-store.ts'
import { needsStorage } from './step-batch.ts'

/** Delay before a failed write is retried. */
const STORE_RETRY_MS = 30_000
/** Longest time that a step waits for the disk: a hanging disk must not stop the home. */
export const DISK_WAIT_MS_MAX = 10_000

export interface StoredRunParts {
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<RuleStore, 'progress' | 'end' | 'onDisk'>
}

/**
 * The stored state of one run, if it needs storage (docs/automations.md#restarts-crashes-and-clocks). It never throws.
 * Failed writes are logged and retried, even after the end of the run, because a restart would repeat steps that are
 * not stored as done.
 */
export class StoredRun {
  readonly #record: RunRecord
  readonly #parts: StoredRunParts
  readonly #isStored: boolean
  #at: Pick<RunProgress, 'step' | 'place' | 'resumeAt'>
  /** True if a write may not be on the disk yet. */
  #unsynced: boolean
  #halted = false
  #cancelRetry = (): void => {}

  /**
   * @param written true if the run or its trigger was stored in this turn of the event loop, so that it runs only once.
   */
  constructor(record: RunRecord, parts: StoredRunParts, written: boolean) {
    this.#record = record
    this.#parts = parts
    this.#isStored = needsStorage(record.steps)
    this.#at = record
    this.#unsynced = written
  }

  /** The current or next step; -1 while the run waits for its turn. */
  get step(): number {
    return this.#at.step
  }

  /** True if `onDisk` must wait. */
  get isUnsynced(): boolean {
    return this.#unsynced
  }

  /** Notes that the run has reached a step, and the end of its pause (epoch ms). */
  reach(place: RunPlace, resumeAt: number | null, failures: readonly StepFailure[]): void {
    const at = { step: Number(place.path[0]), place, resumeAt }
    const before = this.#at
    this.#at = at
    if (before.step === at.step && before.resumeAt === resumeAt && isSamePlace(before.place, place)) return
    const { store } = this.#parts
    if (this.#isStored) this.#store('progress', () => store.progress(this.#record.id, { ...at, failures }))
  }

  end(): void {
    if (this.#isStored) this.#store('end', () => this.#parts.store.end(this.#record.id))
  }

  /** Ends all retries. */
  halt(): void {
    this.#halted = true
    this.#cancelRetry()
  }

  /** Resolves when all writes of the run would survive a power cut, or after a timeout. */
  async onDisk(): Promise<void> {
    if (!this.#unsynced) return
    this.#unsynced = false
    const { promise: timeout, resolve } = Promise.withResolvers<void>()
    const cancel = this.#parts.clock.after(DISK_WAIT_MS_MAX, resolve)
    try {
      await Promise.race([this.#parts.store.onDisk(), timeout])
    } catch (error) {
      this.#log(error, 'disk')
    } finally {
      cancel()
    }
  }

  #store(what: 'progress' | 'end', write: () => void): void {
    this.#cancelRetry()
    try {
      write()
      this.#unsynced = true
    } catch (error) {
      if (!this.#halted) this.#cancelRetry = this.#parts.clock.after(STORE_RETRY_MS, () => this.#store(what, write))
      this.#log(error, what)
    }
  }

  #log(error: unknown, what: string): void {
    const { id, of } = this.#record
    this.#parts.log.error({ err: error, run: id, of, what }, 'The progress of a run could not be stored.')
  }
}

/** A record without a place is at a step of its own list. */
function isSamePlace(before: RunPlace | null, now: RunPlace): boolean {
  if (before === null) return now.path.length === 1
  return before.path.join() === now.path.join() && before.rounds.join() === now.rounds.join()
}

/** Most claims that wait for the disk; the oldest are dropped. */
export const CLAIMS_WAITING_MAX = 1_000

/**
 * Claims that could not be stored because the disk accepted no writes. They are stored as soon as possible, so that no
 * restart runs them again; until then the timetable remembers them.
 */
export class UnstoredClaims {
  readonly #parts: { readonly store: Pick<RuleStore, 'claim'>; readonly clock: Clock }
  readonly #claims = new Map<string, NewClaim>()
  #cancel: (() => void) | null = null

  constructor(parts: { readonly store: Pick<RuleStore, 'claim'>; readonly clock: Clock }) {
    this.#parts = parts
  }

  add(claim: NewClaim): void {
    this.#claims.set(keyOf(claim), claim)
    const [oldest] = this.#claims.keys()
    if (this.#claims.size > CLAIMS_WAITING_MAX && oldest !== undefined) this.#claims.delete(oldest)
    this.#cancel ??= this.#parts.clock.after(STORE_RETRY_MS, () => this.#retry())
  }

  /** Tries a last time. */
  stop(): void {
    this.#cancel?.()
    this.#store()
  }

  #retry(): void {
    this.#cancel = this.#store() ? null : this.#parts.clock.after(STORE_RETRY_MS, () => this.#retry())
  }

  /** True if all are stored; the first failure was already logged. */
  #store(): boolean {
    for (const [key, claim] of this.#claims) {
      try {
        this.#parts.store.claim(claim, null)
      } catch {
        return false
      }
      this.#claims.delete(key)
    }
    return true
  }
}

function keyOf({ owner, slot, date }: NewClaim): string {
  return `${owner} ${slot} ${date}`
}
