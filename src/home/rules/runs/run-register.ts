import type { Clock } from '../../../lib/clock.ts'
import type { RunOf } from '../../ports/rule-store.ts'
import { isUnderWay, type RunReport } from './run-report.ts'

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
    const [oldest, ...others] = this.#endedOf.get(keyOf(report.of)) ?? []
    const full = others.length >= RUNS_KEPT_OF_ONE - 1
    if (full && oldest !== undefined) this.#ended.delete(oldest)
    const kept = full || oldest === undefined ? others : [oldest, ...others]
    this.#endedOf.set(keyOf(report.of), [...kept, run.id])
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
    const others = (this.#endedOf.get(keyOf(of)) ?? []).filter((each) => each !== id)
    if (others.length > 0) this.#endedOf.set(keyOf(of), others)
    else this.#endedOf.delete(keyOf(of))
  }
}

function keyOf({ kind, id }: RunOf): string {
  return `${kind}:${id}`
}
