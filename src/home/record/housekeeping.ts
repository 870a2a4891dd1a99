import { type Clock, every } from '../../lib/clock.ts'
import { ClockWatch } from '../../lib/clock-watch.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'
import type { Log } from '../../lib/log.ts'
import type { HistoryUpkeep } from '../ports/history-store.ts'
import type { Energy } from './energy.ts'

/** Factor by which retention time may run faster than real time: a day an hour. */
const CATCH_UP = 24

/**
 * Time for the retention of the history. Deletion is final, so a temporarily wrong clock must not decide it
 * (docs/decisions/storage.md). This time stands still until the clock has run for an hour without being set. Then it
 * moves on by at most a day an hour until it reaches the clock. It starts no earlier than the release: a machine
 * without a battery begins in 1970, and catching up would take years.
 */
class RetentionTime {
  readonly #clock: Clock
  readonly #watch: ClockWatch
  #time: number
  #monotonic: number

  /**
   * @param stored the time of the gateway's last run in epoch ms; null for a new history, which starts at the present
   * clock, so that a later clock jump ages nothing.
   */
  constructor(clock: Clock, stored: number | null) {
    this.#clock = clock
    this.#watch = new ClockWatch(clock)
    this.#time = Math.max(stored ?? clock.now(), RELEASED_AT)
    this.#monotonic = clock.monotonic()
  }

  /** Called about every minute. Epoch ms, or null while nothing may be deleted. */
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
/** Pause between two steps of a round, for other requests. */
const STEP_PAUSE_MS = 20
/** Most steps of a round; the next one continues. */
const STEPS_PER_ROUND_MAX = 1_000

/**
 * Runs the upkeep of the history every minute in small steps. It uses a time that a wrong clock cannot move far. The
 * returned function stops it.
 */
export function maintainHistory(parts: {
  upkeep: HistoryUpkeep
  energy: Pick<Energy, 'forgetOld'>
  clock: Clock
  log: Log
}): () => void {
  const { upkeep, energy, clock } = parts
  const retention = new RetentionTime(clock, upkeep.time())
  let cancelStep = (): void => {}
  let failing = false
  const step = (time: number | null, stepsLeft: number): void => {
    try {
      const worked = upkeep.step(time) || (time !== null && !energy.forgetOld(time))
      failing = false
      if (worked && stepsLeft > 0) cancelStep = clock.after(STEP_PAUSE_MS, () => step(time, stepsLeft - 1))
    } catch (error) {
      // Deleting also fails on a full disk: the next round retries, and the failure is logged once.
      if (!failing)
        parts.log.warn({ err: error }, 'The history could not be cleaned up. The gateway retries every minute.')
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
