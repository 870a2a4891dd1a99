import { type Clock, every } from '../../lib/clock.ts'
import { ClockWatch } from '../../lib/clock-watch.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'
import type { Log } from '../../lib/log.ts'
import type { HistoryUpkeep } from '../ports/history-store.ts'
import type { Energy } from './energy.ts'

/** How much faster than time passes the time to forget by may move on: a day an hour. */
const CATCH_UP = 24

/**
 * The time by which the history is thinned and forgotten. What is forgotten is gone for good, so a clock that is wrong
 * for a while must not decide it: this time stands still until the clock has run for an hour without being set, and
 * then moves on by a day an hour at most until it has reached the clock (docs/decisions/storage.md). It never is before
 * the release: from 1970, where a machine without a battery begins, it would take years.
 */
class RetentionTime {
  readonly #clock: Clock
  readonly #watch: ClockWatch
  #time: number
  #monotonic: number

  /**
   * @param stored the time of the last run of the gateway in epoch ms; null where there was none: a new history begins
   *   with this start, so that a clock that is set ahead soon after it ages nothing either.
   */
  constructor(clock: Clock, stored: number | null) {
    this.#clock = clock
    this.#watch = new ClockWatch(clock)
    this.#time = Math.max(stored ?? clock.now(), RELEASED_AT)
    this.#monotonic = clock.monotonic()
  }

  /** To be called every minute or so. Epoch ms, or null while nothing may be forgotten. */
  now(): number | null {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    const passed = monotonic - this.#monotonic
    this.#monotonic = monotonic
    if (!this.#watch.steady() || wall < RELEASED_AT) return null
    this.#time = Math.max(this.#time, Math.min(wall, this.#time + passed * CATCH_UP))
    return Math.min(this.#time, wall)
  }
}

const ROUND_MS = 60_000
/** Pause between two steps of a round, so that requests are answered in between. */
const STEP_PAUSE_MS = 20
/** A round that finds more than this goes on in the next one. */
const STEPS_PER_ROUND_MAX = 1_000

/**
 * Runs the upkeep of the history in small steps, every minute, by a time that a wrong clock cannot move far; the
 * returned function stops it.
 */
export function keepHistory(parts: {
  upkeep: HistoryUpkeep
  energy: Pick<Energy, 'forgetOld'>
  clock: Clock
  log: Log
}): () => void {
  const { upkeep, energy, clock } = parts
  const retention = new RetentionTime(clock, upkeep.time())
  let cancelStep = (): void => {}
  let failing = false
  const step = (time: number | null, left: number): void => {
    try {
      const worked = upkeep.step(time) || (time !== null && !energy.forgetOld(time))
      failing = false
      if (worked && left > 0) cancelStep = clock.after(STEP_PAUSE_MS, () => step(time, left - 1))
    } catch (error) {
      // Deleting also fails on a full disk: it is tried again in the next round and logged once.
      if (!failing)
        parts.log.warn({ err: error }, 'The history could not be tidied up; it is tried again every minute.')
      failing = true
    }
  }
  const stopRounds = every(clock, ROUND_MS, () => {
    cancelStep()
    step(retention.now(), STEPS_PER_ROUND_MAX)
  })
  return () => {
    stopRounds()
    cancelStep()
  }
}
