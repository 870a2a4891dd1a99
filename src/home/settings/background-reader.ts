import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Unit } from '../model/house.ts'
import type { BusFailure, BusReport, UnitBus } from '../ports/unit-bus.ts'
import { jobsOf, nextJob, type JobFacts, type ReadJob } from './read-plan.ts'

/** The radio's duty budget for reads that nobody waits for: this many a minute, and this many at once after a rest. */
export const READS_A_MINUTE = 30
export const READS_AT_ONCE = 60
/** How long a unit that did not answer, or an adapter at its limit, is left alone. */
export const PAUSE_AFTER_FAILURE_MS = 10 * 60 * 1000
export const PAUSE_AFTER_TROUBLE_MS = 5 * 60 * 1000

const MINUTE_MS = 60_000

/** Does one job; the failure is the bus's. */
export type RunJob = (job: ReadJob) => Promise<BusFailure | null>

/** Reads settings and schedules in the background, one at a time, within the duty budget, what matters most first. */
export class BackgroundReader {
  readonly #bus: UnitBus
  readonly #clock: Clock
  readonly #log: Log
  readonly #units: () => Iterable<Unit>
  readonly #lastRead: (job: ReadJob) => number | null
  readonly #run: RunJob
  readonly #urgent = new Set<string>()
  readonly #notBefore = new Map<string, number>()
  /** When a job last succeeded since the link came up, epoch ms: a device that has no settings at all was read, too. */
  readonly #done = new Map<string, number>()
  #tokens = READS_AT_ONCE
  #pausedUntil = -Infinity
  #reading = false
  #stop: (() => void) | null = null

  constructor(parts: {
    bus: UnitBus
    clock: Clock
    log: Log
    units: () => Iterable<Unit>
    lastRead: (job: ReadJob) => number | null
    run: RunJob
  }) {
    this.#bus = parts.bus
    this.#clock = parts.clock
    this.#log = parts.log
    this.#units = parts.units
    this.#lastRead = parts.lastRead
    this.#run = parts.run
  }

  start(): void {
    this.#stop ??= every(this.#clock, MINUTE_MS / READS_A_MINUTE, () => {
      this.#tokens = Math.min(READS_AT_ONCE, this.#tokens + 1)
      this.#wake()
    })
  }

  stop(): void {
    this.#stop?.()
    this.#stop = null
  }

  /** A unit joined or came back, or nobody knows how a write to it ended: read all of it as soon as the budget allows. */
  urgent(unit: Unit): void {
    for (const job of jobsOf([unit])) {
      this.#urgent.add(idOf(job))
      this.#notBefore.delete(idOf(job))
    }
    this.#wake()
  }

  onBusReport(report: BusReport): void {
    if (report.kind === 'trouble') this.#pausedUntil = this.#clock.monotonic() + PAUSE_AFTER_TROUBLE_MS
    if (report.kind !== 'link') return
    this.#done.clear()
    this.#wake()
  }

  /** Forgets what it noted about devices that the house no longer has. */
  forgetGone(): void {
    const ids = new Set(jobsOf(this.#units()).map(idOf))
    for (const id of this.#urgent) if (!ids.has(id)) this.#urgent.delete(id)
    for (const id of this.#notBefore.keys()) if (!ids.has(id)) this.#notBefore.delete(id)
    for (const id of this.#done.keys()) if (!ids.has(id)) this.#done.delete(id)
  }

  #wake(): void {
    if (this.#reading || this.#stop === null) return
    this.#reading = true
    this.#readOn()
      .catch((error: unknown) =>
        this.#log.error({ error }, 'Reading settings in the background went wrong; it goes on with the next turn.'),
      )
      .finally(() => {
        this.#reading = false
      })
  }

  async #readOn(): Promise<void> {
    while (
      this.#stop !== null &&
      this.#tokens >= 1 &&
      this.#bus.down === null &&
      this.#clock.monotonic() >= this.#pausedUntil
    ) {
      const job = nextJob(jobsOf(this.#units()), (each) => this.#factsOf(each), this.#clock.now())
      if (job === null) return
      this.#tokens -= 1
      // Set before the read, so that a job which throws is not tried again at once.
      this.#notBefore.set(idOf(job), this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS)
      this.#settle(job, await this.#run(job))
    }
  }

  #factsOf(job: ReadJob): JobFacts {
    const rested = this.#clock.monotonic() >= (this.#notBefore.get(idOf(job)) ?? -Infinity)
    const reachable = this.#bus.units.get(job.unit.address)?.reachable === true
    const done = this.#done.get(idOf(job))
    return {
      urgent: this.#urgent.has(idOf(job)),
      sinceLink: done !== undefined,
      lastRead: this.#lastRead(job) ?? done ?? null,
      possible: rested && reachable,
    }
  }

  #settle(job: ReadJob, failure: BusFailure | null): void {
    if (failure === null) {
      this.#urgent.delete(idOf(job))
      this.#notBefore.delete(idOf(job))
      this.#done.set(idOf(job), this.#clock.now())
      return
    }
    // While the link is down every job fails alike: that says nothing about this unit.
    if (failure.kind === 'unavailable') this.#notBefore.delete(idOf(job))
    if (failure.kind === 'busy') this.#notBefore.set(idOf(job), this.#clock.monotonic() + failure.retryMs)
    this.#log.debug({ device: job.device, read: job.kind, failure: failure.kind }, 'A background read failed.')
  }
}

const idOf = (job: ReadJob): string => `${job.kind} ${job.device}`
