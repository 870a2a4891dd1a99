import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Cause } from '../../model/cause.ts'
import type { Control, ControlItem } from '../../ports/control.ts'
import type { Principal } from '../../ports/opening-policy.ts'
import type { RuleStore, RunOf, RunRecord, StepFailure } from '../../ports/rule-store.ts'
import type { Priority } from '../../ports/unit-bus.ts'
import { KEPT_OVER_MS } from '../model.ts'
import type { OpeningCheck } from './opening-check.ts'
import type { RunReport, StepState } from './run-report.ts'
import { type StepBatch, batchAt, isKept } from './step-batch.ts'

export interface StepRunParts {
  readonly control: Control
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<RuleStore, 'progress' | 'end'>
  /** Runs a scene as a step: resolves when it has ended or waits in a delay; false where there is no such scene. */
  runScene(scene: string, cause: Cause, priority: Priority, principals: readonly Principal[]): Promise<boolean>
  readonly check: Pick<OpeningCheck, 'allows'>
}

/** What could not be stored is tried again after this. */
const STORE_AGAIN_MS = 30_000

/** `halted`: the gateway stops; what is stored of the run stays, for the next start. */
export type RunEnd = 'finished' | 'cancelled' | 'halted'

/**
 * One run of steps. Where it is kept each batch is stored before it is made, so that after a crash no step is made
 * twice; a step that fails is noted and the run goes on (docs/automations.md#steps).
 */
export class StepRun {
  readonly id: string
  readonly of: RunOf
  readonly cause: Cause
  readonly steps: number
  readonly failures: StepFailure[]
  /** Resolves when the run has ended or first waits in a delay. */
  readonly paused: Promise<void>
  readonly #record: RunRecord
  readonly #parts: StepRunParts
  readonly #atPause: () => void
  readonly #kept: boolean
  #stored: { step: number; resumeAt: number | null }
  #end: RunEnd | null = null
  #endedAt: number | null = null
  /** The steps before it have been made. */
  #made: number
  /** The steps from `#made` to before it are being made. */
  #next: number
  #cancelRetry = (): void => {}
  #until: number | null = null
  #interrupted = false
  #wake: (() => void) | null = null

  constructor(record: RunRecord, parts: StepRunParts) {
    this.id = record.id
    this.of = record.of
    this.cause = record.cause
    this.steps = record.steps.length
    this.#record = record
    this.#parts = parts
    this.#kept = isKept(record.steps)
    this.failures = [...record.failures]
    this.#made = Math.max(0, record.step)
    this.#next = this.#made
    this.#stored = { step: record.step, resumeAt: record.resumeAt }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.paused = promise
    this.#atPause = resolve
  }

  /** The step that is being made, counted from 0. */
  get step(): number {
    return Math.max(0, this.#stored.step)
  }

  /** Makes the steps from `from` on, after `afterMs` of waiting that is left from before a restart. Never rejects. */
  async drive(from: number, afterMs = 0): Promise<RunEnd> {
    // What is claimed and begun in one transaction is committed before the first step is made.
    await Promise.resolve()
    if (afterMs > 0) await this.#pass(from, () => this.#wait(afterMs))
    else this.#made = from
    for (
      let batch = batchAt(this.#record.steps, from);
      batch !== null && this.#end === null;
      batch = batchAt(this.#record.steps, batch.next)
    ) {
      this.#remember(batch)
      await this.#pass(batch.next, () => this.#make(batch))
    }
    this.#finish('finished')
    if (this.#kept && this.#end !== 'halted') this.#store('end', () => this.#parts.store.end(this.id))
    this.#atPause()
    return this.#end ?? 'finished'
  }

  /** Ends the run before its next step; a command that was sent already is not recalled. */
  cancel(): void {
    this.#stop('cancelled')
  }

  halt(): void {
    this.#cancelRetry()
    this.#stop('halted')
  }

  /** Ends a run that a stop or crash left where it cannot go on. */
  interrupt(): void {
    this.#interrupted = true
    const lost = batchAt(this.#record.steps, this.#made)
    if (this.#record.step >= 0 && lost !== null && lost.kind !== 'delay') this.#next = lost.next
    this.#stop('cancelled')
  }

  report(): RunReport {
    const reasons = new Map(this.failures.map(({ step, reason }) => [step, reason]))
    return {
      id: this.id,
      of: this.of,
      progress: this.#progress(),
      startedAt: this.#record.startedAt,
      endedAt: this.#endedAt,
      until: this.#end === null ? this.#until : null,
      steps: this.#record.steps.map((step, index) => {
        const reason = reasons.get(index) ?? null
        return { step, state: reason === null ? this.#stateOf(index) : 'failed', reason }
      }),
    }
  }

  #progress(): RunReport['progress'] {
    if (this.#end === 'cancelled') return 'stopped'
    if (this.#end === 'finished') return 'finished'
    if (this.#stored.step < 0) return 'queued'
    return this.#until === null ? 'running' : 'waiting'
  }

  #stateOf(index: number): StepState {
    if (index < this.#made) return 'done'
    if (index < this.#next && this.#interrupted) return 'unknown'
    if (index < this.#next && this.#until === null) return 'running'
    if (this.#end !== null) return 'left_out'
    return index < this.#next ? 'waiting' : 'next'
  }

  #stop(end: RunEnd): void {
    this.#finish(end)
    this.#wake?.()
  }

  #finish(end: RunEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#endedAt = this.#parts.clock.now()
  }

  /** Makes the steps before `next`; a delay that was cut short counts as not made. */
  async #pass(next: number, make: () => Promise<void>): Promise<void> {
    this.#next = next
    await make()
    if (this.#until === null || this.#end === null) this.#made = next
    this.#next = this.#made
    this.#until = null
  }

  async #make(batch: StepBatch): Promise<void> {
    switch (batch.kind) {
      case 'delay':
        return this.#wait(batch.ms)
      case 'scene':
        if (!(await this.#parts.runScene(batch.scene, this.cause, this.#record.priority, this.#record.principals))) {
          this.failures.push({ step: batch.step, scene: batch.scene, reason: 'no_scene' })
        }
        return
      case 'group':
        return this.#move(batch)
    }
  }

  async #move(batch: Extract<StepBatch, { kind: 'group' }>): Promise<void> {
    const steps = batch.items
      .map((item, index) => ({ item, step: batch.step + index }))
      .filter((each) => this.#allows(each))
    if (steps.length === 0) return
    const items = steps.map(({ item }) => item)
    try {
      const answers = await this.#parts.control.performMany(items, this.cause, this.#record.priority)
      for (const [index, { item, step }] of steps.entries()) {
        const answer = answers[index]
        if (answer?.ok !== true)
          this.failures.push({ step, device: item.device, reason: answer?.error.kind ?? 'error' })
      }
    } catch (error) {
      this.#parts.log.error(
        { err: error, run: this.id, of: this.of, step: batch.step },
        'A step could not be made; the run goes on.',
      )
      for (const { item, step } of steps) this.failures.push({ step, device: item.device, reason: 'error' })
    }
  }

  #allows({ item, step }: { readonly item: ControlItem; readonly step: number }): boolean {
    const allowed = this.#parts.check.allows(item, this.#record.principals, this.cause)
    if (!allowed) this.failures.push({ step, device: item.device, reason: 'not_allowed' })
    return allowed
  }

  #wait(ms: number): Promise<void> {
    this.#atPause()
    this.#until = this.#parts.clock.now() + ms
    if (this.#end !== null) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  #remember(batch: StepBatch): void {
    const resumeAt = batch.kind === 'delay' && batch.ms > KEPT_OVER_MS ? this.#parts.clock.now() + batch.ms : null
    if (batch.step === this.#stored.step && resumeAt === this.#stored.resumeAt) return
    this.#stored = { step: batch.step, resumeAt }
    const { failures } = this
    if (this.#kept) this.#store('progress', () => this.#parts.store.progress(this.id, { ...this.#stored, failures }))
  }

  /**
   * Runs `write`. What cannot be stored is logged and the run goes on: a full disk must not stop the home. It is tried
   * again, also after the run has ended, since a restart would make again what is not known to be made.
   */
  #store(what: string, write: () => void): void {
    this.#cancelRetry()
    try {
      write()
    } catch (error) {
      if (this.#end !== 'halted')
        this.#cancelRetry = this.#parts.clock.after(STORE_AGAIN_MS, () => this.#store(what, write))
      this.#parts.log.error(
        { err: error, run: this.id, of: this.of, what },
        'The progress of a run could not be stored.',
      )
    }
  }
}
