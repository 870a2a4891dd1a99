import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { RuleStore, RunRecord, StepFailure, NewClaim } from '../../ports/rule-store.ts'
import { isKept, type StepBatch } from './step-batch.ts'

/** What could not be stored is tried again after this. */
const STORE_AGAIN_MS = 30_000
/** A step waits for the disk no longer: one that hangs must not stop the home. */
export const DISK_AWAITED_MS_MAX = 10_000

export interface StoredRunParts {
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<RuleStore, 'progress' | 'end' | 'onDisk'>
}

/**
 * What is stored of one run, where it is kept (docs/automations.md#restarts-crashes-and-clocks). Nothing is thrown:
 * what cannot be stored is logged and tried again, also after the run has ended, since a restart would make again what
 * is not known to be made.
 */
export class StoredRun {
  readonly #record: RunRecord
  readonly #parts: StoredRunParts
  readonly #kept: boolean
  #at: { readonly step: number; readonly resumeAt: number | null }
  /** Whether something was written that the disk may not have yet. */
  #unsynced: boolean
  #halted = false
  #cancelRetry = (): void => {}

  /** @param written whether something was written in this turn of the event loop, so that the run is made only once. */
  constructor(record: RunRecord, parts: StoredRunParts, written: boolean) {
    this.#record = record
    this.#parts = parts
    this.#kept = isKept(record.steps)
    this.#at = record
    this.#unsynced = written
  }

  /** The step that is about to be made or is being made; -1 while the run waits for its turn. */
  get step(): number {
    return this.#at.step
  }

  /** Whether `onDisk` has something to wait for. */
  get isUnsynced(): boolean {
    return this.#unsynced
  }

  /** The run has come to a batch. */
  comesTo(batch: StepBatch, failures: readonly StepFailure[]): void {
    const { clock, store } = this.#parts
    const resumeAt = batch.kind === 'delay' ? clock.now() + batch.ms : null
    if (batch.step === this.#at.step && resumeAt === this.#at.resumeAt) return
    const at = { step: batch.step, resumeAt }
    this.#at = at
    if (this.#kept) this.#store('progress', () => store.progress(this.#record.id, { ...at, failures }))
  }

  end(): void {
    if (this.#kept) this.#store('end', () => this.#parts.store.end(this.#record.id))
  }

  /** Nothing is tried again any more. */
  halt(): void {
    this.#halted = true
    this.#cancelRetry()
  }

  /** Resolves when what was written of the run would survive a power cut, or the disk has had its time. */
  async onDisk(): Promise<void> {
    if (!this.#unsynced) return
    this.#unsynced = false
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const cancel = this.#parts.clock.after(DISK_AWAITED_MS_MAX, resolve)
    try {
      await Promise.race([this.#parts.store.onDisk(), enough])
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
      if (!this.#halted) this.#cancelRetry = this.#parts.clock.after(STORE_AGAIN_MS, () => this.#store(what, write))
      this.#log(error, what)
    }
  }

  #log(error: unknown, what: string): void {
    const { id, of } = this.#record
    this.#parts.log.error({ err: error, run: id, of, what }, 'The progress of a run could not be stored.')
  }
}

/** Claims that the disk did not take are tried again after this. */
/** Claims that wait for the disk; the oldest are given up. */
export const CLAIMS_WAITING_MAX = 1_000

/**
 * Occurrences that ran, or were left out, while the disk took no claim. They are stored as soon as it does, so that no
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
    this.#cancel ??= this.#parts.clock.after(STORE_AGAIN_MS, () => this.#tryAgain())
  }

  /** Tries once more, for the last time. */
  stop(): void {
    this.#cancel?.()
    this.#store()
  }

  #tryAgain(): void {
    this.#cancel = this.#store() ? null : this.#parts.clock.after(STORE_AGAIN_MS, () => this.#tryAgain())
  }

  /** Whether all are stored; why not was said when the first was not. */
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
