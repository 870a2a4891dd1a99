import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { HistoryUpkeep } from '../ports/history-store.ts'
import type { Energy } from './energy.ts'
import { RetentionTime } from './retention-time.ts'

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
