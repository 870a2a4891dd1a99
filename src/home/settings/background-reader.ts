import { SWITCH_MODELS, type DeviceKey, deviceKey } from '../model/device.ts'
import type { Unit } from '../model/house.ts'
import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { BusFailure, BusReport, UnitBus } from '../ports/unit-bus.ts'

/** One thing to read in the background: the registers of a unit or gang, or a unit's own schedules. */
export interface ReadJob {
  readonly kind: 'registers' | 'schedules'
  readonly device: DeviceKey
  readonly unit: Unit
  readonly gang: number | null
}

/** What the plan must know of a job; `lastRead` in epoch ms, null for never. */
interface JobFacts {
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
function jobsOf(units: Iterable<Unit>): readonly ReadJob[] {
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
function nextJob(jobs: readonly ReadJob[], factsOf: (job: ReadJob) => JobFacts, now: number): ReadJob | null {
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

/** How soon the reader looks again, where nothing was to be read or the bus could not take a read. */
export const LOOK_AGAIN_MS = 2_000
/** How long a unit that did not answer is left alone. */
export const PAUSE_AFTER_FAILURE_MS = 10 * 60 * 1000

interface BackgroundReaderParts {
  readonly bus: UnitBus
  readonly clock: Clock
  readonly log: Log
  readonly units: () => Iterable<Unit>
  /** Epoch ms of the last confirmed read or report, or null for never. */
  readonly lastRead: (job: ReadJob) => number | null
  /** Does one job; the failure is the bus's. */
  readonly run: (job: ReadJob) => Promise<BusFailure | null>
}

/**
 * Reads settings and schedules in the background, one at a time, what matters most first. How much air time that may
 * take is the bus's to say: a read of background priority waits there.
 */
export class BackgroundReader {
  readonly #parts: BackgroundReaderParts
  readonly #urgent = new Set<string>()
  readonly #notBefore = new Map<string, number>()
  /** When a job last succeeded since the link came up, epoch ms: a device that has no settings at all was read, too. */
  readonly #done = new Map<string, number>()
  #reading = false
  #stop: (() => void) | null = null

  constructor(parts: BackgroundReaderParts) {
    this.#parts = parts
  }

  start(): void {
    this.#stop ??= every(this.#parts.clock, LOOK_AGAIN_MS, () => this.#wake())
  }

  stop(): void {
    this.#stop?.()
    this.#stop = null
  }

  /** A unit joined or came back, or nobody knows how a write to it ended: read all of it next. */
  urgent(unit: Unit): void {
    for (const job of jobsOf([unit])) {
      this.#urgent.add(idOf(job))
      this.#notBefore.delete(idOf(job))
    }
    this.#wake()
  }

  onBusReport(report: BusReport): void {
    if (report.kind !== 'link') return
    this.#done.clear()
    this.#wake()
  }

  /** Forgets what it noted about devices that the house no longer has. */
  forgetGone(): void {
    const ids = new Set(jobsOf(this.#parts.units()).map(idOf))
    for (const id of this.#urgent) if (!ids.has(id)) this.#urgent.delete(id)
    for (const id of this.#notBefore.keys()) if (!ids.has(id)) this.#notBefore.delete(id)
    for (const id of this.#done.keys()) if (!ids.has(id)) this.#done.delete(id)
  }

  #wake(): void {
    if (this.#reading || this.#stop === null) return
    this.#reading = true
    this.#readOn()
      .catch((error: unknown) =>
        this.#parts.log.error(
          { err: error },
          'Reading settings in the background went wrong; it goes on with the next turn.',
        ),
      )
      .finally(() => {
        this.#reading = false
      })
  }

  async #readOn(): Promise<void> {
    while (this.#stop !== null && this.#parts.bus.down === null) {
      const job = nextJob(jobsOf(this.#parts.units()), (each) => this.#factsOf(each), this.#parts.clock.now())
      if (job === null) return
      // Set before the read, so that a job which throws is not tried again at once.
      this.#notBefore.set(idOf(job), this.#parts.clock.monotonic() + PAUSE_AFTER_FAILURE_MS)
      const failure = await this.#parts.run(job)
      this.#settle(job, failure)
      // Mostly it is the bus as a whole that takes no read now: another one would fail as well.
      if (failure?.kind === 'busy' || failure?.kind === 'unavailable') return
    }
  }

  #factsOf(job: ReadJob): JobFacts {
    const id = idOf(job)
    const rested = this.#parts.clock.monotonic() >= (this.#notBefore.get(id) ?? -Infinity)
    const reachable = this.#parts.bus.units.get(job.unit.address)?.reachable === true
    const done = this.#done.get(id)
    return {
      urgent: this.#urgent.has(id),
      sinceLink: done !== undefined,
      lastRead: this.#parts.lastRead(job) ?? done ?? null,
      possible: rested && reachable,
    }
  }

  #settle(job: ReadJob, failure: BusFailure | null): void {
    if (failure === null) {
      this.#urgent.delete(idOf(job))
      this.#notBefore.delete(idOf(job))
      this.#done.set(idOf(job), this.#parts.clock.now())
      return
    }
    // While the link is down every job fails alike: that says nothing about this unit.
    if (failure.kind === 'unavailable') this.#notBefore.delete(idOf(job))
    if (failure.kind === 'busy') this.#notBefore.set(idOf(job), this.#parts.clock.monotonic() + failure.retryMs)
    this.#parts.log.debug({ device: job.device, read: job.kind, failure: failure.kind }, 'A background read failed.')
  }
}

const idOf = (job: ReadJob): string => `${job.kind} ${job.device}`
