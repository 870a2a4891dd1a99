import type { Clock } from '../../../src/lib/clock.ts'
import { hasten } from './hasten.ts'

interface ManualTimer {
  readonly due: number
  readonly order: number
  readonly run: () => void
}

/** How much passes with each turn of the event loop when in haste. */
const HASTE_MS = 10

/** Each clock begins a run of the machine of its own. */
let boots = 0

/** A clock that stands still until told: timers run in the order they are due, at exactly their time. */
export class ManualClock implements Clock {
  /** The wall clock less the monotonic one. */
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
    // Whole milliseconds, as a wall clock has them, also between two timers.
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

  /** Number of timers that wait. */
  get waiting(): number {
    return this.#timers.length
  }

  /** Lets `ms` pass; every timer due in it runs, also those that the run ones add. */
  advance(ms: number): void {
    const end = this.#mono + ms
    while (this.#runNext(end)) continue
    this.#passTo(end)
  }

  /** As `advance`, and lets promises settle before, between and after the timers. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#mono + ms
    await settle()
    while (this.#runNext(end)) await settle()
    this.#passTo(end)
  }

  /** Time passes in which no timer runs, as in a process that stands still: they run late, with the next `advance`. */
  stall(ms: number): void {
    this.#passTo(this.#mono + ms)
  }

  /** Lets time pass until something has happened that waits for timers: radio, commits. */
  hasten<T>(work: Promise<T>): Promise<T> {
    return hasten(work, () => this.advanceAsync(HASTE_MS))
  }

  /** Moves the wall clock alone, as an administrator or a time server does; timers are not touched. */
  jumpWall(ms: number): void {
    this.#ahead += ms
  }

  boot(): ReturnType<Clock['boot']> {
    return { id: `boot ${this.#boot}`, uptimeMs: this.#mono + this.#slept - this.#bootedAt }
  }

  /** The machine sleeps: only its wall clock and its age go on. */
  sleep(ms: number): void {
    this.#ahead += ms
    this.#slept += ms
  }

  /** The machine starts again: what ran on it must have been stopped. Its wall clock goes on. */
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
