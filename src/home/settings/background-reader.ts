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

/** Facts about a job for the choice of the next one; `lastRead` in epoch ms, null for never. */
interface JobFacts {
  readonly urgent: boolean
  /** True if it was read since the link came up: without a link, the gateway gets no reports of changes at the unit. */
  readonly sinceLink: boolean
  readonly lastRead: number | null
  /** False while the unit is lost or the job has just failed. */
  readonly possible: boolean
}

/** Age from which settings are read again. Until then, reports keep them current. */
export const REFRESH_AFTER_MS = 6 * 60 * 60 * 1000

/** All background reads that the switches of a house allow. */
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
 * The next job, or null if none is due. Order:
 * 1. urgent jobs: a unit joined, came back, or a write to it has an unknown result;
 * 2. jobs that never ran;
 * 3. jobs that did not run since the link came up;
 * 4. the oldest read, if it is old enough.
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

/** Interval between checks while no read is due or the bus cannot take one. */
export const LOOK_AGAIN_MS = 10_000
/** Pause after a unit did not answer. */
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
 * Reads settings and schedules in the background, one at a time, the most important first. The bus limits their air
 * time: a read of background priority waits there.
 */
export class BackgroundReader {
  readonly #parts: BackgroundReaderParts
  readonly #urgent = new Set<string>()
  readonly #notBefore = new Map<string, number>()
  /** Time of a job's last success since the link came up, epoch ms; also set for a device without any settings. */
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

  /** Reads all of a unit next: it joined or came back, or a write to it has an unknown result. */
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

  /** Deletes the notes about devices that the house no longer has. */
  forgetRemoved(): void {
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
        this.#parts.log.error({ err: error }, 'A background read of settings failed. The next one follows shortly.'),
      )
      .finally(() => {
        this.#reading = false
      })
  }

  async #readOn(): Promise<void> {
    while (this.#stop !== null && this.#parts.bus.down === null) {
      const job = nextJob(jobsOf(this.#parts.units()), (candidate) => this.#factsOf(candidate), this.#parts.clock.now())
      if (job === null) return
      // Set before the read, so that a job which throws is not retried at once.
      this.#notBefore.set(idOf(job), this.#parts.clock.monotonic() + PAUSE_AFTER_FAILURE_MS)
      const failure = await this.#parts.run(job)
      this.#settle(job, failure)
      // Usually the bus as a whole accepts no reads now, so another one would fail too.
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
    // While the link is down every job fails, which says nothing about this unit.
    if (failure.kind === 'unavailable') this.#notBefore.delete(idOf(job))
    if (failure.kind === 'busy') this.#notBefore.set(idOf(job), this.#parts.clock.monotonic() + failure.retryMs)
    this.#parts.log.debug({ device: job.device, read: job.kind, failure: failure.kind }, 'A background read failed.')
  }
}

const idOf = (job: ReadJob): string => `${job.kind} ${job.device}`
