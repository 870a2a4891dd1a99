import { type IntervalHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks'
import { type Clock, every } from '../lib/clock.ts'
import { Asked, type Metric, type Sample } from '../lib/exposition.ts'

/** Node measures without waking the program up; what is shorter than this is seen only by chance. */
export const RESOLUTION_MS = 100
const MINUTE_MS = 60_000
const SHARES = [0.5, 0.99, 1]

/** How long the event loop lets what is due wait, minute by minute. */
export class LoopDelay implements Disposable {
  readonly #measured: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #lastMinute: readonly Sample[] | null = null
  readonly #stop: () => void
  readonly metrics: readonly Metric[] = [
    new Asked(
      'gauge',
      'hm_event_loop_delay_seconds',
      'How late the event loop was in the last whole minute: at most so late for this share of its time.',
      () => this.#lastMinute ?? delays(this.#measured),
    ),
    new Asked(
      'counter',
      'hm_event_loop_active_seconds_total',
      'For how long the event loop had something to do since the process began.',
      () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
    ),
  ]

  constructor(clock: Clock) {
    this.#measured.enable()
    this.#stop = every(clock, MINUTE_MS, () => {
      this.#lastMinute = delays(this.#measured)
      this.#measured.reset()
    })
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#measured.disable()
  }
}

/**
 * The delay, in seconds, that was not exceeded for a share of the time. Node writes down the time from one look to the
 * next, of which what is beyond the resolution is the delay: a stall is one look, however long it was, so each counts
 * by its length.
 */
export function delays(measured: Pick<RecordableHistogram, 'count' | 'percentile'>): readonly Sample[] {
  const { count } = measured
  const looks = Array.from({ length: count }, (_, at) => measured.percentile((100 * (at + 1)) / count) / 1e6)
  const whole = looks.reduce((sum, ms) => sum + ms, 0)
  return SHARES.map((share) => {
    let passed = 0
    const ms = looks.find((each) => (passed += each) >= share * whole) ?? looks.at(-1) ?? 0
    return { labels: { share }, value: Math.max(0, ms - RESOLUTION_MS) / 1_000 }
  })
}
