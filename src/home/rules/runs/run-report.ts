import type { Step } from '../../model/rules.ts'
import { runKey, type RunOf, type StepFailure } from '../../ports/rule-store.ts'
import type { Clock } from '../../../lib/clock.ts'

/**
 * `next`: not started; `waiting`: inside its delay; `left_out`: the run ended before it; `unknown`: the gateway stopped
 * during it.
 */
export const STEP_STATES = ['next', 'running', 'waiting', 'done', 'failed', 'left_out', 'unknown'] as const
export type StepState = (typeof STEP_STATES)[number]

export interface StepReport {
  readonly step: Step
  readonly state: StepState
  /** Reason of the failure. */
  readonly reason: StepFailure['reason'] | null
  /** Place of the failed step inside it, a JSON Pointer. */
  readonly failedAt: string | null
}

/** `queued`: waits for its turn; `waiting`: is inside a pause; `stopped`: ended before its last step. */
type RunProgress = 'queued' | 'running' | 'waiting' | 'finished' | 'stopped'

/** A complete report of a run; a reader may see only some of its steps. Times are epoch ms. */
export interface RunReport {
  readonly id: string
  readonly of: RunOf
  readonly progress: RunProgress
  /** Time of its start, or of its entry into the queue. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** Planned end of the current pause. */
  readonly until: number | null
  /** Place of the present or next step, a JSON Pointer; null before the start and after the end. */
  readonly at: string | null
  readonly steps: readonly StepReport[]
}

export function isUnderWay({ progress }: Pick<RunReport, 'progress'>): boolean {
  return progress !== 'finished' && progress !== 'stopped'
}

/** Time that a run can be queried after its end. */
export const ENDED_RUN_MS = 10 * 60_000
/** Most ended runs stored for one scene, automation or schedule, so that frequent runs push out only their own. */
export const ENDED_RUNS_MAX = 5

/** A source of run reports. */
interface ReportingRun {
  readonly id: string
  report(): RunReport
}

interface EndedRun {
  readonly report: RunReport
  /** By the monotonic clock. */
  readonly at: number
}

/** Every run that can be queried: current runs and recently ended ones. */
export class RunRegister {
  readonly #clock: Clock
  readonly #open = new Map<string, ReportingRun>()
  /** In the order of their end. */
  readonly #ended = new Map<string, EndedRun>()
  /** Ids of ended runs by subject, oldest first. */
  readonly #endedOf = new Map<string, readonly string[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  put(run: ReportingRun): void {
    this.#open.set(run.id, run)
  }

  /** Stores the last report of a run for a while. */
  end(run: ReportingRun): void {
    this.#open.delete(run.id)
    for (const { report, at } of this.#ended.values()) {
      if (!this.#isOver(at)) break
      this.#forget(report)
    }
    const report = run.report()
    const [oldest, ...newer] = this.#endedOf.get(runKey(report.of)) ?? []
    const full = newer.length >= ENDED_RUNS_MAX - 1
    if (full && oldest !== undefined) this.#ended.delete(oldest)
    const recent = full || oldest === undefined ? newer : [oldest, ...newer]
    this.#endedOf.set(runKey(report.of), [...recent, run.id])
    this.#ended.set(run.id, { report, at: this.#clock.monotonic() })
  }

  get(id: string): RunReport | undefined {
    const open = this.#open.get(id)
    if (open) return open.report()
    const ended = this.#ended.get(id)
    return ended && !this.#isOver(ended.at) ? ended.report : undefined
  }

  underWay(): readonly RunReport[] {
    return [...this.#open.values()].map((run) => run.report()).filter((report) => isUnderWay(report))
  }

  #isOver(at: number): boolean {
    return this.#clock.monotonic() - at >= ENDED_RUN_MS
  }

  #forget({ id, of }: RunReport): void {
    this.#ended.delete(id)
    const remaining = (this.#endedOf.get(runKey(of)) ?? []).filter((ended) => ended !== id)
    if (remaining.length > 0) this.#endedOf.set(runKey(of), remaining)
    else this.#endedOf.delete(runKey(of))
  }
}
