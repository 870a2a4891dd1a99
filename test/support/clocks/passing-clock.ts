import type { Clock } from '../../../src/lib/clock.ts'
import { hasten } from './hasten.ts'

interface Timer {
  readonly due: number
  readonly run: () => void
}

/** The longest delay that a timer of the system takes. */
const TIMER_MS_MAX = 2 ** 31 - 1
const DAY_MS = 86_400_000
/** So late a test's day begins (UTC): what it sees does not hang on the hour at which it is run. */
const MORNING_MS = 10 * 3_600_000
/** The wall clock where `performance.now()` is zero, for all that begin in the morning: a second start is later. */
const MORNING_ORIGIN = lastMorning(Date.now()) - performance.now()
/** Each clock is a run of the machine of its own. */
let made = 0
/** How much passes with each turn of the event loop when in haste. */
const HASTE_MS = 2
/** After so many timers of a long time: minutes cost nothing then. */
const TURN_EVERY = 60

/**
 * A time that goes on like the system's, and which a test can let pass at once: timers that are due meanwhile run in
 * their order, each at exactly its time. So requests over real sockets need no pump, and minutes cost nothing. It begins
 * in the last morning; `now` beside programs that go by the system's time; or at an epoch ms, as where another ended.
 */
export class PassingClock implements Clock {
  /** The wall clock where `performance.now()` is zero. */
  readonly #origin: number
  #ahead = 0
  #slept = 0
  readonly #boot = `passing ${++made}`
  /** While a timer runs: the moment it was due. While time stands still: when it came to a stop. */
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
    // Never beyond a timer that is due: a machine that is busy for a while lets nobody's wait end before its answer
    // comes.
    return this.#at ?? Math.min(performance.now() + this.#ahead, this.#timers[0]?.due ?? Infinity)
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { due: this.monotonic() + Math.max(0, delayMs), run }
    const index = this.#timers.findLastIndex((each) => each.due <= timer.due) + 1
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

  /** The machine sleeps: only its wall clock and its age go on, and no timer runs. */
  sleep(ms: number): void {
    this.#slept += ms
  }

  /** Lets `ms` pass; after `turnEvery` timers what is on its way over sockets and promises gets a turn. */
  async pass(ms: number, turnEvery = TURN_EVERY): Promise<void> {
    if (this.#isStill) return turn()
    const end = this.monotonic() + ms
    for (let count = 1; this.#runNext(end); count++) if (count % turnEvery === 0) await turn()
    this.#ahead = Math.max(this.#ahead, end - performance.now())
    this.#arm()
    await turn()
  }

  /** Lets time pass faster than it does while something is under way that waits for timers: radio, commits. */
  hasten<T>(work: Promise<T>): Promise<T> {
    return hasten(work, () => this.pass(HASTE_MS, 1))
  }

  /**
   * Time stands still, at a whole millisecond, until `work` is done: no timer runs, and whoever lets time pass waits in
   * vain. So what happens meanwhile is the work's own doing, however long the machine takes.
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

  /** Runs the timers that are due; what each sets going over promises comes before the next. */
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
