import type { Step } from '../../model/house.ts'
import { runKey, type RunOf, type StepFailure } from '../../ports/rule-store.ts'
import type { Clock } from '../../../lib/clock.ts'

/**
 * `next`: not begun yet; `waiting`: a delay that is being waited out; `left_out`: the run ended before it; `unknown`:
 * the gateway stopped while it was being made.
 */
export const STEP_STATES = ['next', 'running', 'waiting', 'done', 'failed', 'left_out', 'unknown'] as const
export type StepState = (typeof STEP_STATES)[number]

export interface StepReport {
  readonly step: Step
  readonly state: StepState
  /** Why it failed. */
  readonly reason: StepFailure['reason'] | null
}

/** `queued`: waits for its turn; `waiting`: is inside a delay; `stopped`: ended before its last step. */
type RunProgress = 'queued' | 'running' | 'waiting' | 'finished' | 'stopped'

/** A run as it stands, whole: who is told of it may see only some of its steps. Times are epoch ms. */
export interface RunReport {
  readonly id: string
  readonly of: RunOf
  readonly progress: RunProgress
  /** When it began, or began to wait for its turn. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** The end of the delay that it is in. */
  readonly until: number | null
  readonly steps: readonly StepReport[]
}

export function isUnderWay({ progress }: Pick<RunReport, 'progress'>): boolean {
  return progress !== 'finished' && progress !== 'stopped'
}

/** How long a run can be asked about after its end. */
export const RUN_KEPT_MS = 10 * 60_000
/** Ended runs kept of one scene, automation or schedule: what others do takes no room of it. */
export const RUNS_KEPT_OF_ONE = 5

/** What can tell how it stands. */
interface Reporting {
  readonly id: string
  report(): RunReport
}

interface Ended {
  readonly report: RunReport
  /** By the monotonic clock. */
  readonly at: number
}

/** Every run that can be asked about: those under way, and those that ended a short while ago. */
export class RunRegister {
  readonly #clock: Clock
  readonly #open = new Map<string, Reporting>()
  /** In the order in which they ended. */
  readonly #ended = new Map<string, Ended>()
  /** Ids of ended runs by what ran, oldest first. */
  readonly #endedOf = new Map<string, readonly string[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  put(run: Reporting): void {
    this.#open.set(run.id, run)
  }

  /** Keeps what became of a run, and forgets it a while later. */
  end(run: Reporting): void {
    this.#open.delete(run.id)
    for (const { report, at } of this.#ended.values()) {
      if (!this.#isOver(at)) break
      this.#forget(report)
    }
    const report = run.report()
    const [oldest, ...others] = this.#endedOf.get(runKey(report.of)) ?? []
    const full = others.length >= RUNS_KEPT_OF_ONE - 1
    if (full && oldest !== undefined) this.#ended.delete(oldest)
    const kept = full || oldest === undefined ? others : [oldest, ...others]
    this.#endedOf.set(runKey(report.of), [...kept, run.id])
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
    return this.#clock.monotonic() - at >= RUN_KEPT_MS
  }

  #forget({ id, of }: RunReport): void {
    this.#ended.delete(id)
    const others = (this.#endedOf.get(runKey(of)) ?? []).filter((each) => each !== id)
    if (others.length > 0) this.#endedOf.set(runKey(of), others)
    else this.#endedOf.delete(runKey(of))
  }
}
