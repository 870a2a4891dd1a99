import type { Clock } from '../../lib/clock.ts'

/** A moment of steady time as it is kept, with what the machine's own clocks showed then. All in ms, whole. */
export interface SteadyMark {
  readonly steady: number
  /** Epoch ms. */
  readonly wall: number
  /** The run of the machine, or null where it has no id; `uptime` is its age. */
  readonly boot: string | null
  readonly uptime: number
}

/** `write` joins the transaction that is under way, if there is one. */
export interface SteadyStore {
  read(): SteadyMark | null
  write(mark: SteadyMark): void
}

/**
 * The monotonic clock and the machine's age differ by the time that it slept; a smaller difference comes of their
 * coarseness.
 */
const SLEPT_MS_MIN = 1_000

/**
 * The time by which credentials, requests and confirmations age: milliseconds that do not jump with the wall clock and
 * go on across restarts (docs/decisions/credentials.md). While the same run of the machine lasts, its own age says how
 * long the gateway was away; after a reboot only the wall clock does, and one that went back counts as no time at all.
 */
export class SteadyTime {
  readonly #clock: Clock
  readonly #store: SteadyStore
  /** Steady time at `#mono` and at the machine's age `#uptime`. */
  #base: number
  #mono: number
  #uptime: number

  constructor(parts: { clock: Clock; store: SteadyStore }) {
    this.#clock = parts.clock
    this.#store = parts.store
    const mark = parts.store.read()
    this.#base = mark ? mark.steady + sinceMark(mark, parts.clock) : parts.clock.now()
    this.#mono = parts.clock.monotonic()
    this.#uptime = parts.clock.boot().uptimeMs
  }

  /** Steady time in whole ms; it began as the wall clock's time. */
  now(): number {
    return Math.floor(this.#base + this.#clock.monotonic() - this.#mono)
  }

  /**
   * Stores the moment. Whoever stores steady times calls it in the same transaction, so that no restart begins before
   * one of them.
   */
  save(): void {
    this.noticeSleep()
    const { id, uptimeMs } = this.#clock.boot()
    this.#store.write({
      steady: this.now(),
      wall: Math.floor(this.#clock.now()),
      boot: id,
      uptime: Math.floor(uptimeMs),
    })
  }

  stop(): void {
    this.save()
  }

  /** The monotonic clock stands still while the machine sleeps; its age goes on. To be called now and then. */
  noticeSleep(): void {
    const [mono, uptime] = [this.#clock.monotonic(), this.#clock.boot().uptimeMs]
    const slept = uptime - this.#uptime - (mono - this.#mono)
    this.#base += mono - this.#mono + (slept > SLEPT_MS_MIN ? slept : 0)
    this.#mono = mono
    // A difference too small to count is measured again at the next call.
    this.#uptime = slept > SLEPT_MS_MIN ? uptime : uptime - slept
  }
}

function sinceMark(mark: SteadyMark, clock: Clock): number {
  const { id, uptimeMs } = clock.boot()
  const sameRun = id !== null && id === mark.boot && uptimeMs >= mark.uptime
  return Math.max(0, sameRun ? uptimeMs - mark.uptime : clock.now() - mark.wall)
}
