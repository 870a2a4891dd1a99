import type { Cause } from '../../model/events.ts'
import type { Control, ControlItem, Principal, Priority } from '../../ports/unit-bus.ts'
import type { RunOf, RunRecord, StepFailure } from '../../ports/rule-store.ts'
import type { OpeningCheck } from './opening-check.ts'
import type { RunReport, StepState } from './run-report.ts'
import { type StepBatch, batchAt } from './step-batch.ts'
import { StoredRun, type StoredRunParts } from './stored-run.ts'

export interface StepRunParts extends StoredRunParts {
  readonly control: Control
  /** Runs a scene as a step. Resolves when it has ended or waits in a delay; false if there is no such scene. */
  runScene(scene: string, cause: Cause, priority: Priority, principals: readonly Principal[]): Promise<boolean>
  readonly check: Pick<OpeningCheck, 'allows'>
}

/** `halted`: the gateway stops; the stored state of the run remains for the next start. */
export type RunEnd = 'finished' | 'cancelled' | 'halted'

/**
 * One run of steps. If it needs storage, each batch is on the disk before it is performed, so that no step runs twice
 * after a crash. A failed step is noted and the run continues (docs/automations.md#steps).
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
  readonly #stored: StoredRun
  #end: RunEnd | null = null
  #endedAt: number | null = null
  /** Number of performed steps. */
  #done: number
  /** Steps from `#done` up to this one are in progress. */
  #next: number
  #until: number | null = null
  #interrupted = false
  #wake: (() => void) | null = null

  /** @param written true if the run or its trigger was stored just now, so that it runs only once. */
  constructor(record: RunRecord, parts: StepRunParts, written = false) {
    this.id = record.id
    this.of = record.of
    this.cause = record.cause
    this.steps = record.steps.length
    this.#record = record
    this.#parts = parts
    this.#stored = new StoredRun(record, parts, written)
    this.failures = [...record.failures]
    this.#done = Math.max(0, record.step)
    this.#next = this.#done
    const { promise, resolve } = Promise.withResolvers<void>()
    this.paused = promise
    this.#atPause = resolve
  }

  /** The current step, from 0. */
  get step(): number {
    return Math.max(0, this.#stored.step)
  }

  get isHalted(): boolean {
    return this.#end === 'halted'
  }

  /** Resolves when the first step may run; null if it may run at once or is a delay. */
  beforeFirstStep(): Promise<void> | null {
    const isDelay = batchAt(this.#record.steps, 0)?.kind === 'delay'
    return isDelay || !this.#stored.isUnsynced ? null : this.#stored.onDisk()
  }

  /** Performs the steps from `from` on, after the rest of a delay from before a restart. Never rejects. */
  async drive(from: number, afterMs = 0): Promise<RunEnd> {
    // The transaction of claim and start is committed before the first step.
    await Promise.resolve()
    if (afterMs > 0) await this.#pass(from, () => this.#wait(afterMs))
    else this.#done = from
    for (
      let batch = batchAt(this.#record.steps, from);
      batch !== null && this.#end === null;
      batch = batchAt(this.#record.steps, batch.next)
    ) {
      this.#stored.reach(batch, this.failures)
      if (batch.kind !== 'delay') await this.#stored.onDisk()
      await this.#passUnlessEnded(batch)
    }
    this.#finish('finished')
    if (this.#end !== 'halted') this.#stored.end()
    this.#atPause()
    return this.#end ?? 'finished'
  }

  /** Ends the run before its next step; sent commands are not recalled. */
  cancel(): void {
    this.#stop('cancelled')
  }

  halt(): void {
    this.#stored.halt()
    this.#stop('halted')
  }

  /** Ends a run that cannot continue after a stop or crash. */
  interrupt(): void {
    this.#interrupted = true
    const lost = batchAt(this.#record.steps, this.#done)
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
    if (index < this.#done) return 'done'
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

  /** The run may have ended while it waited for the disk. */
  async #passUnlessEnded(batch: StepBatch): Promise<void> {
    if (this.#end === null) await this.#pass(batch.next, () => this.#perform(batch))
  }

  /** Performs the steps before `next`; a delay that was cut short does not count. */
  async #pass(next: number, perform: () => Promise<void>): Promise<void> {
    this.#next = next
    await perform()
    if (this.#until === null || this.#end === null) this.#done = next
    this.#next = this.#done
    this.#until = null
  }

  async #perform(batch: StepBatch): Promise<void> {
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
      .filter((step) => this.#allows(step))
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
        'A step failed unexpectedly. The run continues.',
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
}
