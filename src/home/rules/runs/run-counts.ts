import { Asked, Buckets, Histogram, type Metric } from '../../../lib/exposition.ts'
import type { RunOf } from '../../ports/rule-store.ts'

/** Seconds: one that is later than some of these waited for a busy gateway, one that is minutes late for a start. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

type Kind = RunOf['kind']
const KINDS: readonly Kind[] = ['scene', 'automation', 'schedule']
/** Each kind from the start, so that a rate sees the first one too. */
const zeros = (): Map<Kind, number> => new Map(KINDS.map((kind) => [kind, 0]))

/** What ran by itself since the start (docs/operations.md#metrics). */
export class RunCounts {
  readonly #started = zeros()
  readonly #failed = zeros()
  readonly #missed = zeros()
  readonly #late = new Buckets(SECONDS)
  readonly metrics: readonly Metric[] = [
    counter('hm_runs_total', 'Runs that began, by what they are of.', this.#started),
    counter('hm_runs_failed_total', 'Runs of which a step was not carried out, by what they are of.', this.#failed),
    counter('hm_runs_missed_total', 'Times that came round while the gateway could not run them.', this.#missed),
    new Histogram('hm_run_lateness_seconds', 'How long after its time what the clock sets off began.', () => [
      [{}, this.#late],
    ]),
  ]

  started(kind: Kind): void {
    add(this.#started, kind, 1)
  }

  failed(kind: Kind): void {
    add(this.#failed, kind, 1)
  }

  missed(kind: Kind, count: number): void {
    add(this.#missed, kind, count)
  }

  /** What the clock sets off begins so many milliseconds after its time. */
  late(ms: number): void {
    this.#late.observe(Math.max(0, ms) / 1_000)
  }
}

function add(to: Map<Kind, number>, kind: Kind, count: number): void {
  to.set(kind, (to.get(kind) ?? 0) + count)
}

const counter = (name: string, help: string, counts: ReadonlyMap<Kind, number>): Metric =>
  new Asked('counter', name, help, () => [...counts].map(([of, value]) => ({ labels: { of }, value })))
