import { Buckets, Counter, Histogram, type Metric } from '../../../lib/exposition.ts'
import { runKey, type RunOf, type RunRecord, type NewClaim, type RuleStore } from '../../ports/rule-store.ts'
import type { ActivityDraft, Subject, Cause } from '../../model/events.ts'
import { type RunReport, RunRegister, isUnderWay } from './run-report.ts'
import type { Random } from '../../../lib/random.ts'
import type { ActivityLog } from '../../ports/activity-log.ts'
import { LATE_RUN_MS, type RunMode } from '../../model/rules.ts'
import { needsStorage, pauseSecondsMax, stepAt } from './step-batch.ts'
import type { StepRunParts } from './step-performer.ts'
import { StepRun } from './step-run.ts'
import { UnstoredClaims } from './stored-run.ts'

/** Seconds. The lower ones measure a busy gateway, the minutes a late start. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

const KINDS: readonly RunOf['kind'][] = ['scene', 'automation', 'schedule']

/** Every kind has a value from the start, so that a rate includes the first run. */
function counterOf(name: string, help: string): Counter {
  const counter = new Counter(name, help)
  for (const of of KINDS) counter.add({ of }, 0)
  return counter
}

/** Counts of runs since the start (docs/operations.md#metrics). */
class RunCounts {
  readonly started = counterOf('hm_runs_total', 'Started runs.')
  readonly failed = counterOf('hm_runs_failed_total', 'Runs with a failed step.')
  readonly missed = counterOf('hm_runs_missed_total', 'Missed runs.')
  readonly #late = new Buckets(SECONDS)
  readonly metrics: readonly Metric[] = [
    this.started,
    this.failed,
    this.missed,
    new Histogram('hm_run_lateness_seconds', 'Delay of timed runs.', () => [[{}, this.#late]]),
  ]

  /** Notes the delay of a timed run in milliseconds. */
  late(ms: number): void {
    this.#late.observe(Math.max(0, ms) / 1_000)
  }
}

/** Activity entries about failed, stopped and interrupted runs (docs/automations.md#in-the-activity-log). */
type Entry = Omit<ActivityDraft, 'at'>

function failedEntry(run: StepRun): Entry {
  return {
    kind: 'failed',
    subject: failedPart(run),
    what: 'ran, but not every step succeeded',
    cause: run.cause,
    data: { run: run.id, failures: run.failures },
  }
}

/** Entry of a stopped run. `report` shows it before the stop; `cause` caused the stop. */
function stoppedEntry(report: RunReport, cause: Cause): Entry {
  const step = report.steps.findIndex(({ state }) => state !== 'done' && state !== 'failed')
  return {
    kind: 'skipped',
    subject: report.of,
    what: 'was stopped before its end',
    cause,
    data: { run: report.id, step, steps: report.steps.length, stopped: true },
  }
}

/** Entry of a run that its own wait ended. */
function givenUpEntry({ id, of: subject, cause, step, steps }: StepRun): Entry {
  return {
    kind: 'skipped',
    subject,
    what: 'did not go on: a wait ended without its condition',
    cause,
    data: { run: id, step, steps },
  }
}

/** Entry of a run that was interrupted by a stop or crash of the gateway and does not continue. */
function interruptedEntry({ id, of: subject, cause, step, steps, resumeAt }: RunRecord): Entry {
  const data = { run: id, step: Math.max(0, step), steps: steps.length }
  if (step < 0)
    return {
      kind: 'skipped',
      subject,
      what: 'did not run: the gateway stopped before its turn',
      cause,
      data,
    }
  if (resumeAt !== null)
    return {
      kind: 'skipped',
      subject,
      what: 'did not continue: the gateway was off when its delay ended',
      cause,
      data,
    }
  return { kind: 'failed', subject, what: 'interrupted by a restart', cause, data }
}

/**
 * For a scene, only the failed steps: an integration may see a scene without all of its steps, but sees a rule
 * completely or not at all.
 */
function failedPart({ of, failures }: StepRun): Subject {
  const devices = [...new Set(failures.flatMap(({ device }) => device ?? []))]
  return of.kind === 'scene' && devices.length > 0 ? { kind: 'steps', id: of.id, devices } : of
}

/** Most runs of one automation that wait for their turn. */
export const QUEUE_MAX = 10

interface RunOrder extends Pick<RunRecord, 'of' | 'steps' | 'cause' | 'priority' | 'principals'> {
  /** Missing for a scene, which sends no messages. */
  readonly trigger?: RunRecord['trigger']
  readonly mode: RunMode
  /** The occurrence of this run, claimed in the transaction that starts the run. */
  readonly claim?: NewClaim
  /** True if its trigger was stored just now, so that it cannot start the run twice. */
  readonly triggerStored?: boolean
  /** Facts for the activity entry of the run. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** `busy`: it is running in mode single; `full`: too many are waiting; `claimed`: the occurrence ran before. */
type RunResult =
  | { readonly kind: 'started' | 'queued'; readonly id: string; readonly paused: Promise<void> }
  | { readonly kind: 'busy' | 'full' | 'claimed' }

interface Waiting {
  readonly record: RunRecord
  readonly order: RunOrder
  /** Reports the wait; the run itself is built from the record when its turn comes. */
  readonly run: StepRun
}

interface RunManagerParts extends StepRunParts {
  readonly store: RuleStore
  readonly activity: ActivityLog
  readonly random: Random
  /** Called at each start, and at the end when no run is left. */
  readonly running: (of: RunOf, running: boolean, cause: Cause) => void
  /** Called at the end of each run that was not stopped. */
  readonly ended: (of: RunOf, failed: boolean) => void
}

/** All current runs: at most one of each automation, schedule and scene, and a few that wait for their turn. */
export class RunManager {
  readonly counts = new RunCounts()
  readonly #parts: RunManagerParts
  readonly #active = new Map<string, StepRun>()
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #register: RunRegister
  readonly #unstored: UnstoredClaims

  constructor(parts: RunManagerParts) {
    this.#parts = parts
    this.#register = new RunRegister(parts.clock)
    this.#unstored = new UnstoredClaims(parts)
  }

  active(of: RunOf): StepRun | undefined {
    return this.#active.get(runKey(of))
  }

  /** The result that `take` would have, without side effects. */
  outcomeOf(of: RunOf, mode: RunMode): 'started' | 'queued' | 'busy' | 'full' {
    if (!this.#active.has(runKey(of)) || mode === 'restart') return 'started'
    if (mode === 'single') return 'busy'
    return (this.#waiting.get(runKey(of))?.length ?? 0) < QUEUE_MAX ? 'queued' : 'full'
  }

  /** Starts, queues or refuses a run, depending on its mode. */
  take(order: RunOrder): RunResult {
    const answer = this.outcomeOf(order.of, order.mode)
    const accepted = answer === 'started' || answer === 'queued'
    const record = accepted ? this.#record(order, answer === 'queued' ? -1 : 0) : null
    if (!this.#begin(order, record)) return { kind: 'claimed' }
    if (record === null) return { kind: answer as 'busy' | 'full' }
    if (answer === 'queued') {
      const key = runKey(order.of)
      const run = new StepRun(record, this.#parts)
      this.#register.put(run)
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), { record, order, run }])
      return { kind: 'queued', id: record.id, paused: Promise.resolve() }
    }
    this.#active.get(runKey(order.of))?.cancel()
    const run = this.#start(record, order)
    return { kind: 'started', id: run.id, paused: run.paused }
  }

  /** A current run, or one that ended recently. */
  find(id: string): RunReport | undefined {
    return this.#register.get(id)
  }

  underWay(): readonly RunReport[] {
    return this.#register.underWay()
  }

  /** Stops a run before its next step, with an activity row and the cause of the stop; an ended run stays as it is. */
  stop(id: string, cause: Cause): RunReport | undefined {
    const before = this.#register.get(id)
    if (before === undefined || !isUnderWay(before)) return before
    const active = this.#active.get(runKey(before.of))
    if (active?.id === id) active.cancel()
    else this.#forget(before.of, id)
    this.#recordActivity(stoppedEntry(before, cause))
    return this.#register.get(id)
  }

  /** Claims an occurrence without running it. */
  claimWithoutRun(claim: NewClaim): void {
    try {
      this.#parts.store.claim(claim, null)
    } catch (error) {
      this.#unstored.add(claim)
      this.#parts.log.error(
        { err: error, of: claim.owner },
        'The time of a run could not be stored. The gateway retries.',
      )
    }
  }

  /** Cancels the active run and the waiting ones; `onlyWaiting` lets the active one go on. */
  cancel(of: RunOf, onlyWaiting = false): void {
    for (const { run } of this.#waiting.get(runKey(of)) ?? []) this.#forget(of, run.id)
    if (!onlyWaiting) this.#active.get(runKey(of))?.cancel()
  }

  /** Continues runs from before a stop or crash: pauses continue, all others are recorded as interrupted. */
  resume(): void {
    for (const record of this.#parts.store.runs()) {
      const remainingMs = this.#remainingMs(record)
      if (remainingMs !== null) {
        void this.#follow(new StepRun(record, this.#parts), remainingMs)
        continue
      }
      this.#recordActivity(interruptedEntry(record))
      const run = new StepRun(record, this.#parts)
      run.interrupt()
      this.#register.end(run)
      this.#guard(record, () => this.#parts.store.end(record.id))
    }
  }

  /** Rest of the pause of a run from before a restart; null if the run cannot go on. */
  #remainingMs({ steps, step, place, resumeAt }: RunRecord): number | null {
    const paused = resumeAt === null ? undefined : stepAt(steps, place?.path ?? [step])
    const longest = paused === undefined ? null : pauseSecondsMax(paused)
    const { steady, clock } = this.#parts
    const late = place?.steadyEnd === undefined ? clock.now() - (resumeAt ?? 0) : steady() - place.steadyEnd
    if (longest === null || late > LATE_RUN_MS) return null
    return Math.min(Math.max(0, -late), longest * 1_000)
  }

  /** Halts all runs because the gateway stops. Their stored state remains for the next start. */
  halt(): void {
    for (const run of this.#active.values()) run.halt()
    this.#waiting.clear()
    this.#unstored.stop()
  }

  /** Removes a waiting run. */
  #forget(of: RunOf, id: string): void {
    const waiting = this.#waiting.get(runKey(of)) ?? []
    const rest = waiting.filter(({ run }) => run.id !== id)
    if (rest.length > 0) this.#waiting.set(runKey(of), rest)
    else this.#waiting.delete(runKey(of))
    for (const { record, run } of waiting) {
      if (run.id !== id) continue
      run.cancel()
      this.#register.end(run)
      if (needsStorage(record.steps)) this.#guard(record, () => this.#parts.store.end(record.id))
    }
  }

  #record(order: RunOrder, step: number): RunRecord {
    const { of, steps, cause, priority, principals, trigger = null } = order
    return {
      id: this.#parts.random.uuid(),
      of,
      steps,
      cause,
      priority,
      principals,
      startedAt: this.#parts.clock.now(),
      step,
      place: null,
      trigger,
      resumeAt: null,
      failures: [],
    }
  }

  /**
   * Stores the run before it starts, if it needs storage. A run that cannot be stored starts anyway: a full disk must
   * not stop the home.
   */
  #begin(order: RunOrder, record: RunRecord | null): boolean {
    const stored = record !== null && needsStorage(record.steps) ? record : null
    try {
      if (order.claim) return this.#parts.store.claim(order.claim, stored)
      if (stored) this.#parts.store.begin(stored)
    } catch (error) {
      if (order.claim) this.#unstored.add(order.claim)
      this.#parts.log.error(
        { err: error, of: order.of },
        'A run could not be stored. It starts, but a restart would end it.',
      )
    }
    return true
  }

  #start(
    record: RunRecord,
    { data, claim, triggerStored }: Pick<RunOrder, 'data' | 'claim' | 'triggerStored'>,
  ): StepRun {
    this.counts.started.add({ of: record.of.kind })
    this.#recordActivity({
      kind: 'run',
      subject: record.of,
      what: 'ran',
      cause: record.cause,
      data: { ...data, run: record.id },
    })
    const written = needsStorage(record.steps) || claim !== undefined || triggerStored === true
    const run = new StepRun(record, this.#parts, written)
    void this.#follow(run, null)
    return run
  }

  async #follow(run: StepRun, remainingMs: number | null): Promise<void> {
    const key = runKey(run.of)
    this.#active.set(key, run)
    this.#register.put(run)
    const stored = remainingMs === null ? run.beforeFirstStep() : null
    if (stored !== null) await stored
    const driving = run.drive(remainingMs)
    // Emitted after the start of the run, so that its consequences come after its own first steps.
    if (!run.isHalted) this.#parts.running(run.of, true, run.cause)
    const end = await driving
    if (end === 'finished') this.#parts.ended(run.of, run.failures.length > 0)
    if (end === 'given_up') this.#recordActivity(givenUpEntry(run))
    if (end !== 'halted') this.#ended(key, run)
  }

  #ended(key: string, run: StepRun): void {
    this.#register.end(run)
    if (run.failures.length > 0) {
      this.counts.failed.add({ of: run.of.kind })
      this.#recordActivity(failedEntry(run))
    }
    if (this.#active.get(key) !== run) return // A newer run of itself has taken its place.
    this.#active.delete(key)
    const [next, ...rest] = this.#waiting.get(key) ?? []
    if (next === undefined) return this.#parts.running(run.of, false, run.cause)
    if (rest.length > 0) this.#waiting.set(key, rest)
    else this.#waiting.delete(key)
    const record = { ...next.record, step: 0 }
    if (needsStorage(record.steps)) this.#guard(record, () => this.#parts.store.progress(record.id, record))
    this.#start(record, next.order)
  }

  #recordActivity(draft: Omit<ActivityDraft, 'at'>): void {
    this.#parts.activity.record({ at: this.#parts.clock.now(), ...draft })
  }

  #guard(record: RunRecord, write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#parts.log.error({ err: error, run: record.id, of: record.of }, 'The state of a run could not be stored.')
    }
  }
}
