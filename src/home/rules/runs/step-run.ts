import { pointerOf } from '../../../lib/checked.ts'
import type { Cause } from '../../model/events.ts'
import type { PartPath } from '../../model/rule-parts.ts'
import {
  type BranchStep,
  type Condition,
  type GroupStep,
  type RepeatStep,
  RUN_MS_MAX,
  type Step,
  STEPS_RUN_MAX,
  type WaitStep,
} from '../../model/rules.ts'
import type { DeviceStep } from '../../model/steps.ts'
import type { RunOf, RunRecord, StepFailure } from '../../ports/rule-store.ts'
import { answerableFor } from './cause-chain.ts'
import { authorOf } from './opening-check.ts'
import { Pause } from './pause.ts'
import type { RunReport, StepState } from './run-report.ts'
import { restores, RunChanges } from './run-changes.ts'
import { ACTING, batchAt, isPausing, secondsOf, type SingleStep, type StepBatch } from './step-batch.ts'
import { performGroup, type StepRunParts, stepsOfGroup } from './step-performer.ts'
import { StoredRun } from './stored-run.ts'

/** `given_up`: a wait ended the run; `halted`: the gateway stops, and the stored state remains for the next start. */
export type RunEnd = 'finished' | 'cancelled' | 'given_up' | 'halted'

/**
 * One run of steps. If it needs storage, each batch is on the disk before it is performed, so that no step runs twice
 * after a crash. A failed step is noted and the run continues (docs/automations.md#steps).
 */
export class StepRun {
  readonly id: string
  readonly of: RunOf
  readonly steps: number
  readonly failures: StepFailure[]
  /** Resolves when the run has ended or first pauses. */
  readonly paused: Promise<void>
  readonly #record: RunRecord
  readonly #parts: StepRunParts
  readonly #atPause: () => void
  readonly #stored: StoredRun
  #cause: Cause
  #end: RunEnd | null = null
  #endedAt: number | null = null
  /** Number of performed steps of the outermost list. */
  #done: number
  /** Steps from `#done` up to this one are in progress. */
  #next: number
  /** Place of the present or next step. */
  #path: PartPath
  /** Finished rounds of the repeats around it, the outermost first. */
  readonly #rounds: number[]
  #performed: number
  /** Monotonic ms at which the run would have started without interruption by a restart. */
  #since: number
  #pause: Pause | null = null
  /** After a restart: the rest of the pause in ms, until the run comes to it. */
  #remainingMs: number | null = null
  /** Only of a run that restores earlier states. */
  readonly #changes: RunChanges | null
  /** True if the end came before the present step was over. */
  #isCut = false
  #interrupted = false

  /** @param written true if the run or its trigger was stored just now, so that it runs only once. */
  constructor(record: RunRecord, parts: StepRunParts, written = false) {
    this.id = record.id
    this.of = record.of
    this.steps = record.steps.length
    this.#record = record
    this.#parts = parts
    const answerable = record.place?.answerable
    this.#cause = answerable === undefined ? record.cause : { ...record.cause, answerable }
    this.#stored = new StoredRun(record, parts, written)
    this.failures = [...record.failures]
    this.#done = Math.max(0, record.step)
    this.#next = this.#done
    this.#path = record.place?.path ?? [this.#done]
    this.#rounds = [...(record.place?.rounds ?? [])]
    this.#performed = record.place?.performed ?? 0
    this.#since = parts.clock.monotonic() - (record.place?.lastedMs ?? 0)
    this.#changes = restores(record.steps) ? new RunChanges(record.cause, record.place?.changed) : null
    const { promise, resolve } = Promise.withResolvers<void>()
    this.paused = promise
    this.#atPause = resolve
  }

  get cause(): Cause {
    return this.#cause
  }

  /** The current step of the outermost list, from 0. */
  get step(): number {
    return Math.max(0, this.#stored.step)
  }

  get isHalted(): boolean {
    return this.#end === 'halted'
  }

  /** Resolves when the first step may run; null if it may run at once or sends nothing itself. */
  beforeFirstStep(): Promise<void> | null {
    const [first] = this.#record.steps
    const sends = first !== undefined && ACTING.some((field) => field in first)
    return sends && this.#stored.isUnsynced ? this.#stored.onDisk() : null
  }

  /**
   * Performs the steps. Never rejects.
   *
   * @param remainingMs after a restart: the rest of the pause at the place of the record
   */
  async drive(remainingMs: number | null = null): Promise<RunEnd> {
    // The transaction of claim and start is committed before the first step.
    await Promise.resolve()
    this.#remainingMs = remainingMs
    const unsubscribe = this.#changes && this.#parts.onEvent((event) => this.#changes?.onHomeEvent(event))
    if (remainingMs !== null) {
      this.#since += remainingMs
      this.#changes?.compare(this.#parts.states)
    }
    await this.#list(this.#record.steps, [], remainingMs === null ? null : this.#path)
    unsubscribe?.()
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
    const { step, resumeAt, steps } = this.#record
    if (step >= 0 && resumeAt === null) this.#next = batchAt(steps, this.#done)?.next ?? this.#done
    this.#stop('cancelled')
  }

  report(): RunReport {
    return {
      id: this.id,
      of: this.of,
      progress: this.#progress(),
      startedAt: this.#record.startedAt,
      endedAt: this.#endedAt,
      until: this.#end === null ? (this.#pause?.until ?? null) : null,
      at: this.#end === null && this.#stored.step >= 0 ? this.#pointer(this.#path) : null,
      steps: this.#record.steps.map((step, index) => {
        const failure = this.failures.find((one) => one.step === index)
        const state = failure === undefined ? this.#stateOf(index) : 'failed'
        return { step, state, reason: failure?.reason ?? null, failedAt: failure?.at ?? null }
      }),
    }
  }

  #progress(): RunReport['progress'] {
    if (this.#end === 'cancelled' || this.#end === 'given_up') return 'stopped'
    if (this.#end === 'finished') return 'finished'
    if (this.#stored.step < 0) return 'queued'
    return this.#pause === null ? 'running' : 'waiting'
  }

  #stateOf(index: number): StepState {
    if (index < this.#done) return 'done'
    if (index < this.#next && this.#interrupted) return 'unknown'
    if (index < this.#next && this.#pause === null) return 'running'
    if (this.#end !== null) return 'left_out'
    return index < this.#next ? 'waiting' : 'next'
  }

  #stop(end: RunEnd): void {
    this.#finish(end)
    this.#pause?.end()
  }

  #finish(end: RunEnd): void {
    if (this.#end !== null) return
    this.#end = end
    this.#endedAt = this.#parts.clock.now()
  }

  /** Performs a list of steps; after a restart from the place `resumed` inside it. */
  async #list(steps: readonly Step[], at: PartPath, resumed: PartPath | null): Promise<void> {
    let inner = resumed?.slice(1) ?? null
    let batch = batchAt(steps, Number(resumed?.[0] ?? 0))
    for (; batch !== null && this.#end === null; batch = batchAt(steps, batch.next)) {
      await this.#perform(batch, at, inner)
      inner = null
      if (at.length === 0) {
        if (!this.#isCut) this.#done = batch.next
        this.#next = this.#done
      }
    }
    if (batch !== null && at.length > 0 && this.#end === 'cancelled') this.#isCut = true
  }

  /** Performs the next steps of a list. The run may end while it waits for the disk. */
  async #perform(batch: StepBatch, at: PartPath, inner: PartPath | null): Promise<void> {
    const path = [...at, batch.step]
    if (inner === null && !this.#count(batch.next - batch.step, path)) return
    if (at.length === 0 && isPausing(batch)) this.#next = batch.next
    if (batch.kind === 'single') return this.#single(batch.one, path, inner)
    if (await this.#reach(path, at.length === 0 ? batch.next : null)) await this.#group(batch.items, path)
  }

  async #single(one: SingleStep, path: PartPath, inner: PartPath | null): Promise<void> {
    if ('delay' in one) {
      await this.#rest(secondsOf(one, this.#parts.random) * 1_000, path)
      return
    }
    if ('if' in one) return this.#branch(one, path, inner)
    if ('wait' in one) return this.#wait(one, path)
    if ('repeat' in one) return this.#repeat(one, path, inner)
    if (!(await this.#reach(path, path.length === 1 ? Number(path[0]) + 1 : null))) return
    if ('mode' in one) return this.#noteFailure(this.#parts.setMode(one.mode, this.#cause), path)
    if ('tell' in one) return this.#noteFailure(this.#parts.teller.tell(one, this.#record), path)
    if ('rule' in one) return this.#noteFailure(this.#parts.switchRule(one, this.#performing()), path)
    if ('group' in one) return this.#ofGroup(one, path)
    return 'restore' in one ? this.#restore(path) : this.#scene(one.scene, path)
  }

  #group(items: readonly DeviceStep[], path: PartPath): Promise<void> {
    return this.#command(items, (index) => [...path.slice(0, -1), Number(path.at(-1)) + index])
  }

  /** Each device counts as a step of the run. */
  async #ofGroup(step: GroupStep, path: PartPath): Promise<void> {
    const items = stepsOfGroup(step, authorOf(this.#record.principals), this.#parts)
    if (items === null) this.#fail(path, { reason: 'no_group' })
    else if (this.#count(Math.max(0, items.length - 1), path)) await this.#command(items, () => path)
  }

  /** Sends commands with the permissions of everybody who answers for them now. */
  async #command(items: readonly DeviceStep[], placeOf: (index: number) => PartPath): Promise<void> {
    const reasons = await performGroup(items, this.#performing(), this.#parts)
    for (const [index, { device }] of items.entries()) {
      const reason = reasons[index] ?? null
      if (reason !== null) this.#fail(placeOf(index), { device, reason })
    }
  }

  async #scene(scene: string, path: PartPath): Promise<void> {
    const { priority, principals } = this.#record
    const ran = await this.#parts.runScene(scene, this.#cause, priority, principals)
    if (!ran) this.#fail(path, { scene, reason: 'no_scene' })
  }

  /** The run with its present cause, and the credentials that must be allowed to open what it opens now. */
  #performing(): RunRecord {
    const principals = [...this.#record.principals, ...answerableFor(this.#cause)]
    return { ...this.#record, cause: this.#cause, principals }
  }

  #noteFailure(reason: StepFailure['reason'] | null, path: PartPath): void {
    if (reason !== null) this.#fail(path, { reason })
  }

  /** True if the conditions hold. They decide: the credentials behind facts that they read answer for what follows. */
  #decides(conditions: readonly Condition[]): boolean {
    const holds = this.#parts.holds(conditions, this.#record)
    this.#read(conditions)
    return holds
  }

  /** True if the conditions of a wait hold. Before that they decide nothing. */
  #isMet(conditions: readonly Condition[]): boolean {
    return this.#parts.holds(conditions, this.#record) && this.#decides(conditions)
  }

  #read(conditions: readonly Condition[]): void {
    this.#cause = this.#parts.afterReading(conditions, this.#cause)
  }

  async #restore(path: PartPath): Promise<void> {
    for (const items of this.#changes?.rounds() ?? []) await this.#command(items, () => path)
    this.#changes?.clear()
  }

  async #branch(step: BranchStep, path: PartPath, inner: PartPath | null): Promise<void> {
    const taken = inner === null ? this.#decides(step.if) : inner[0] === 'then'
    const key = taken ? 'then' : 'else'
    await this.#list(step[key] ?? [], [...path, key], inner?.slice(1) ?? null)
  }

  async #wait({ wait, timeout, else: otherwise }: WaitStep, path: PartPath): Promise<void> {
    if (this.#remainingMs === null && this.#isMet(wait)) return
    const met = await this.#rest(timeout * 1_000, path, wait)
    if (!met && otherwise === 'stop') this.#finish('given_up')
  }

  /** `until` is tested before each round, and once more after the last pause. */
  async #repeat(step: RepeatStep, path: PartPath, inner: PartPath | null): Promise<void> {
    const own = path.filter((key) => key === 'repeat').length
    if (inner === null) this.#rounds.splice(own, Infinity, 0)
    if (inner?.length === 0) await this.#rest(step.every * 1_000, path)
    else if (inner !== null) await this.#round(step, path, inner.slice(1))
    let isMet = false
    while (this.#end === null) {
      isMet = step.until !== undefined && this.#decides(step.until)
      if (isMet || (this.#rounds[own] ?? 0) >= step.times) break
      await this.#round(step, path, null)
    }
    this.#rounds.splice(own)
    if (!isMet && step.until !== undefined && this.#end === null) this.#fail(path, { reason: 'unmet' })
  }

  async #round({ repeat, until, every, times }: RepeatStep, path: PartPath, inner: PartPath | null): Promise<void> {
    await this.#list(repeat, [...path, 'repeat'], inner)
    if (this.#end !== null) return
    const finished = (this.#rounds.pop() ?? 0) + 1
    this.#rounds.push(finished)
    if (until !== undefined || finished < times) await this.#rest(every * 1_000, path)
  }

  /** Pauses for `ms`, or for the rest of the pause after a restart. True if the conditions hold at its end. */
  async #rest(ms: number, path: PartPath, conditions: readonly Condition[] | null = null): Promise<boolean> {
    const remaining = this.#remainingMs
    this.#remainingMs = null
    const leftMs = Math.max(0, RUN_MS_MAX - this.#lastedMs())
    const pauseMs = Math.min(remaining ?? ms, leftMs)
    if (remaining === null) this.#note(path, pauseMs)
    this.#atPause()
    if (this.#end !== null) return false
    const { clock, onEvent } = this.#parts
    this.#pause = new Pause(pauseMs, conditions, { clock, onEvent, holds: (these) => this.#isMet(these) })
    const met = await this.#pause.over
    if (conditions !== null && !met) this.#read(conditions)
    if (this.#end === 'cancelled' && !met) this.#isCut = true
    this.#pause = null
    if (this.#end === null && !met && this.#lastedMs() >= RUN_MS_MAX) this.#exceed(path, 'too_long')
    return met
  }

  /** Notes the place on the disk before a step acts. False if the run ended meanwhile. */
  async #reach(path: PartPath, next: number | null): Promise<boolean> {
    this.#note(path, null)
    await this.#stored.onDisk()
    if (this.#end === 'cancelled') this.#isCut = true
    if (this.#end === null && next !== null) this.#next = next
    return this.#end === null
  }

  #note(path: PartPath, pauseMs: number | null): void {
    this.#path = path
    const resumeAt = pauseMs === null ? null : this.#parts.clock.now() + pauseMs
    const lastedMs = Math.round(this.#lastedMs() + (pauseMs ?? 0))
    const changed = this.#changes === null ? {} : { changed: this.#changes.list }
    const { answerable } = this.#cause
    const place = {
      ...{ path, rounds: [...this.#rounds], performed: this.#performed, lastedMs, ...changed },
      ...(answerable !== this.#record.cause.answerable && { answerable }),
      ...(pauseMs !== null && { steadyEnd: this.#parts.steady() + pauseMs }),
    }
    this.#stored.reach(place, resumeAt, this.failures)
  }

  #lastedMs(): number {
    return this.#parts.clock.monotonic() - this.#since
  }

  /** Counts steps that the run is about to perform. False beyond the bounds of a run: it ends there. */
  #count(steps: number, path: PartPath): boolean {
    this.#performed += steps
    if (this.#performed > STEPS_RUN_MAX) this.#exceed(path, 'too_many_steps')
    else if (this.#lastedMs() >= RUN_MS_MAX) this.#exceed(path, 'too_long')
    return this.#end === null
  }

  #exceed(path: PartPath, reason: 'too_many_steps' | 'too_long'): void {
    this.#fail(path, { reason })
    this.#finish('finished')
  }

  #fail(path: PartPath, failure: Pick<StepFailure, 'device' | 'scene' | 'reason'>): void {
    this.failures.push({ step: Number(path[0]), ...(path.length > 1 && { at: this.#pointer(path) }), ...failure })
  }

  /** A place as a JSON Pointer into the rule or scene: `/then/3/else/0`. */
  #pointer(path: PartPath): string {
    return pointerOf([this.of.kind === 'scene' ? 'steps' : 'then', ...path])
  }
}
