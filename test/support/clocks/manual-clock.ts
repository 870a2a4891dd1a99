import type { Clock } from '../../../src/lib/clock.ts'
import { hasten } from './hasten.ts'

interface ManualTimer {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

/** Time that passes per turn of the event loop in haste. */
const HASTE_MS = 10

/** Each clock starts a new run of the machine. */
let boots = 0

/** A clock that stands still until a test advances it. Timers run in order, each exactly at its due time. */
export class ManualClock implements Clock {
  /** Wall clock minus monotonic clock. */
  #ahead: number
  #mono = 0
  #boot = ++boots
  #bootedAt = 0
  #slept = 0
  #order = 0
  #timers: ManualTimer[] = []

  /** @param wall epoch milliseconds at which the clock starts. */
  constructor(wall = Date.UTC(2027, 0, 1)) {
    this.#ahead = wall
  }

  now(): number {
    // Whole milliseconds, as on a real wall clock, even between two timers.
    return Math.floor(this.#ahead + this.#mono)
  }

  monotonic(): number {
    return this.#mono
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { due: this.#mono + Math.max(0, delayMs), order: this.#order++, run }
    let low = 0
    let high = this.#timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#timers[middle]?.due ?? 0) <= timer.due) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
    return () => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
    }
  }

  /** Number of pending timers. */
  get waiting(): number {
    return this.#timers.length
  }

  /** Lets `ms` pass. Runs every timer that becomes due, including timers added meanwhile. */
  advance(ms: number): void {
    const end = this.#mono + ms
    while (this.#runNext(end)) continue
    this.#passTo(end)
  }

  /** Like `advance`, and lets promises settle before, between and after the timers. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#mono + ms
    await settle()
    while (this.#runNext(end)) await settle()
    this.#passTo(end)
  }

  /** Lets time pass without running timers, as in a stopped process. They run late, at the next `advance`. */
  stall(ms: number): void {
    this.#passTo(this.#mono + ms)
  }

  /** Lets time pass until `work`, which waits for timers (radio, commits), is done. */
  hasten<T>(work: Promise<T>): Promise<T> {
    return hasten(work, () => this.advanceAsync(HASTE_MS))
  }

  /** Changes only the wall clock, as an administrator or a time server does. */
  jumpWall(ms: number): void {
    this.#ahead += ms
  }

  boot(): ReturnType<Clock['boot']> {
    return { id: `boot ${this.#boot}`, uptimeMs: this.#mono + this.#slept - this.#bootedAt }
  }

  /** The machine sleeps: only its wall clock and its age advance. */
  sleep(ms: number): void {
    this.#ahead += ms
    this.#slept += ms
  }

  /** The machine restarts; stop everything on it before. Its wall clock goes on. */
  reboot(): void {
    this.#boot = ++boots
    this.#bootedAt = this.#mono + this.#slept
  }

  #runNext(end: number): boolean {
    const timer = this.#timers[0]
    if (timer === undefined || timer.due > end) return false
    this.#timers.shift()
    this.#passTo(timer.due)
    timer.run()
    return true
  }

  #passTo(mono: number): void {
    this.#mono = Math.max(this.#mono, mono)
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
