import type { Clock } from '../../../src/lib/clock.ts'
import { hasten } from './hasten.ts'

interface Timer {
  readonly due: number
  readonly run: () => void
}

/** The longest delay that a system timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1
const DAY_MS = 86_400_000
/** Time of day (UTC) at which each test starts, so that results do not depend on the hour of the run. */
const MORNING_MS = 10 * 3_600_000
/** Wall clock at `performance.now() === 0`, for all clocks that start in the morning. A second start is later. */
const MORNING_ORIGIN = lastMorning(Date.now()) - performance.now()
/** Each clock is a separate run of the machine. */
let made = 0
/** Time that passes per turn of the event loop in haste. */
const HASTE_MS = 2
/** Number of timers between turns of the event loop while a long time passes, so that minutes cost nothing. */
const TURN_EVERY = 60

/**
 * A clock that runs like the system's, and that a test can advance at once. Timers run in order, each exactly at its
 * due time. Requests over real sockets need no pump, and minutes cost nothing. The clock starts in the last morning,
 * `now` (with programs on system time), or at an epoch ms where another clock ended.
 */
export class PassingClock implements Clock {
  /** Wall clock at `performance.now() === 0`. */
  readonly #origin: number
  #ahead = 0
  #slept = 0
  readonly #boot = `passing ${++made}`
  /** During a timer: its due time. While time stands still: the moment of the stop. */
  #at: number | null = null
  #isStill = false
  #timers: Timer[] = []
  #armed: NodeJS.Timeout | null = null

  constructor(begins: 'in the morning' | 'now' | number = 'in the morning') {
    this.#origin = originOf(begins)
  }

  now(): number {
    return Math.floor(this.#origin + this.monotonic() + this.#slept)
  }

  monotonic(): number {
    // Never later than a due timer: on a busy machine no timeout fires before its response arrives.
    return this.#at ?? Math.min(performance.now() + this.#ahead, this.#timers[0]?.due ?? Infinity)
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { due: this.monotonic() + Math.max(0, delayMs), run }
    const index = this.#timers.findLastIndex((other) => other.due <= timer.due) + 1
    this.#timers.splice(index, 0, timer)
    if (index === 0) this.#arm()
    return () => {
      const place = this.#timers.indexOf(timer)
      if (place >= 0) this.#timers.splice(place, 1)
    }
  }

  boot(): ReturnType<Clock['boot']> {
    return { id: this.#boot, uptimeMs: this.monotonic() + this.#slept }
  }

  /** The machine sleeps: only its wall clock and its age advance, and no timer runs. */
  sleep(ms: number): void {
    this.#slept += ms
  }

  /** Lets `ms` pass. After every `turnEvery` timers, pending sockets and promises get a turn. */
  async pass(ms: number, turnEvery = TURN_EVERY): Promise<void> {
    if (this.#isStill) return turn()
    const end = this.monotonic() + ms
    for (let count = 1; this.#runNext(end); count++) if (count % turnEvery === 0) await turn()
    this.#ahead = Math.max(this.#ahead, end - performance.now())
    this.#arm()
    await turn()
  }

  /** Lets time pass faster while `work` waits for timers (radio, commits). */
  hasten<T>(work: Promise<T>): Promise<T> {
    return hasten(work, () => this.pass(HASTE_MS, 1))
  }

  /**
   * Stops time at a whole millisecond until `work` is done. No timer runs and `pass` blocks, so all changes come from
   * `work`, however slow the machine is.
   */
  async still<T>(work: () => Promise<T>): Promise<T> {
    const at = Math.ceil(this.monotonic())
    this.#isStill = true
    this.#at = at
    try {
      return await work()
    } finally {
      this.#isStill = false
      this.#at = null
      this.#ahead = at - performance.now()
      this.#arm()
    }
  }

  #runNext(until: number): boolean {
    const timer = this.#timers[0]
    if (this.#isStill) return false
    if (timer === undefined || timer.due > until) return false
    this.#timers.shift()
    this.#ahead = Math.max(this.#ahead, timer.due - performance.now())
    this.#at = timer.due
    try {
      timer.run()
    } finally {
      this.#at = null
    }
    return true
  }

  /** Runs due timers, and settles the promises of each timer before the next. */
  #catchUp(): void {
    if (this.#runNext(performance.now() + this.#ahead)) setImmediate(() => this.#catchUp())
    else this.#arm()
  }

  #arm(): void {
    if (this.#armed !== null) clearTimeout(this.#armed)
    this.#armed = null
    const next = this.#timers[0]
    if (next === undefined || this.#isStill) return
    this.#armed = setTimeout(
      () => {
        this.#armed = null
        this.#catchUp()
      },
      Math.min(TIMER_MS_MAX, Math.max(0, next.due - this.monotonic())),
    )
    this.#armed.unref()
  }
}

function originOf(begins: 'in the morning' | 'now' | number): number {
  if (begins === 'in the morning') return MORNING_ORIGIN
  return begins === 'now' ? performance.timeOrigin : begins - performance.now()
}

function lastMorning(at: number): number {
  return Math.floor((at - MORNING_MS) / DAY_MS) * DAY_MS + MORNING_MS
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
