import { SWITCH_MODELS, type DeviceKey, deviceKey } from '../model/device.ts'
import type { Unit } from '../model/house.ts'

/** One thing to read in the background: the registers of a unit or gang, or a unit's own schedules. */
export interface ReadJob {
  readonly kind: 'registers' | 'schedules'
  readonly device: DeviceKey
  readonly unit: Unit
  readonly gang: number | null
}

/** What the plan must know of a job; `lastRead` in epoch ms, null for never. */
export interface JobFacts {
  readonly urgent: boolean
  /**
   * Whether it was read since the link came up: while the link was down the gateway got no report of a change at the
   * unit.
   */
  readonly sinceLink: boolean
  readonly lastRead: number | null
  /** False while the unit is lost or the job has just failed. */
  readonly possible: boolean
}

/** What was read less long ago than this is not read again. Reports keep it true meanwhile. */
export const REFRESH_AFTER_MS = 6 * 60 * 60 * 1000

/** Everything that can be read from the switches of a house. */
export function jobsOf(units: Iterable<Unit>): readonly ReadJob[] {
  const jobs: ReadJob[] = []
  for (const unit of units) {
    if (!SWITCH_MODELS.some((model) => model === unit.model)) continue
    jobs.push({ kind: 'registers', device: unit.id, unit, gang: null })
    for (const { gang } of unit.gangs)
      jobs.push({ kind: 'registers', device: deviceKey({ unit: unit.id, gang }), unit, gang })
    jobs.push({ kind: 'schedules', device: unit.id, unit, gang: null })
  }
  return jobs
}

/**
 * What to read next: first what is urgent (a unit joined, came back, or a write to it ended in doubt), then what was
 * never read, then what was not read since the link came up, then what was read longest ago, if that is long enough;
 * null while nothing needs it.
 */
export function nextJob(jobs: readonly ReadJob[], factsOf: (job: ReadJob) => JobFacts, now: number): ReadJob | null {
  let best: ReadJob | null = null
  let bestRank = REFRESH_AFTER_MS
  for (const job of jobs) {
    const facts = factsOf(job)
    if (!facts.possible) continue
    if (facts.urgent) return job
    // A wall clock that was set back puts old reads into the future, so the distance counts in both directions.
    const age = facts.lastRead === null ? Infinity : Math.abs(now - facts.lastRead)
    const rank = facts.sinceLink ? age : age + REFRESH_AFTER_MS
    if (rank > bestRank || (best === null && rank === bestRank)) [best, bestRank] = [job, rank]
  }
  return best
}
