import type { Clock } from '../../lib/clock.ts'

/** A stored moment of steady time with the machine's clocks at that moment; whole ms. */
export interface SteadyMark {
  readonly steady: number
  /** Epoch ms. */
  readonly wall: number
  /** Boot id of the machine, or null if it has none; `uptime` is the time since that boot. */
  readonly boot: string | null
  readonly uptime: number
}

/** `write` joins the current transaction, if there is one. */
export interface SteadyStore {
  read(): SteadyMark | null
  write(mark: SteadyMark): void
}

/** Uptime and the monotonic clock differ by the machine's sleep. A smaller difference is only rounding. */
const SLEPT_MS_MIN = 1_000

/**
 * Clock for the age of credentials, requests and confirmations: milliseconds that ignore jumps of the wall clock and
 * continue across restarts (docs/decisions/credentials.md). Within one boot, uptime measures how long the gateway was
 * stopped. After a reboot only the wall clock can; if it went back, no time is counted.
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
   * Stores the current moment. Callers that store steady times call it in the same transaction, so that no restart
   * begins earlier.
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

  /** Adds the machine's sleep, during which uptime advances but the monotonic clock stops. Call it regularly. */
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
