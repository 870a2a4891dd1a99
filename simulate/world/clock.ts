import type { Clock } from '../../src/lib/clock.ts'
import { compare, type Due, place } from '../../src/sim/model/agenda.ts'

/** The pulse of an idle gateway: the timers that recur while it has nothing to do. */
class Pulse {
  /** Waiting timers minus the timers of the pulse, by delay, without zeros. */
  readonly #others = new Map<number, number>()
  readonly #waiting = new Map<number, number>()

  /** True if only timers of the pulse wait. */
  get alone(): boolean {
    return this.#others.size === 0
  }

  /** Counts a timer of this delay that was set (1) or has ended (-1). */
  count(delayMs: number, by: number): void {
    add(this.#waiting, delayMs, by)
    add(this.#others, delayMs, by)
  }

  /** Declares the waiting timers to be the pulse. */
  take(): void {
    this.#others.clear()
  }

  /** Removes all waiting timers. The pulse is then missing. */
  stop(): void {
    for (const [delayMs, count] of this.#waiting) add(this.#others, delayMs, -count)
    this.#waiting.clear()
  }
}

function add(counts: Map<number, number>, delayMs: number, by: number): void {
  const left = (counts.get(delayMs) ?? 0) + by
  if (left === 0) counts.delete(delayMs)
  else counts.set(delayMs, left)
}

/** Effect of a rest on a timer: it is postponed, it runs late, or it ends the rest. */
type Reach = 'moved' | 'late' | 'ends'

interface Timer extends Due {
  readonly reach: Reach
  run: () => void
  /** True until it has run or is cancelled. */
  waits: boolean
}

/** Timers by due time, then by creation. */
class Timers {
  #order = 0
  readonly #sorted: Timer[] = []

  get size(): number {
    return this.#sorted.length
  }

  add(due: number, reach: Reach, run: () => void): Timer {
    const timer: Timer = { due, order: this.#order++, reach, run, waits: true }
    place(this.#sorted, timer)
    return timer
  }

  /** Returns false if the timer has run or was cancelled before. */
  cancel(timer: Timer): boolean {
    if (!timer.waits) return false
    timer.waits = false
    this.#sorted.splice(this.#sorted.indexOf(timer), 1)
    return true
  }

  first(): Timer | undefined {
    return this.#sorted[0]
  }

  takeFirst(): void {
    const timer = this.#sorted.shift()
    if (timer !== undefined) timer.waits = false
  }

  /** Due time of the first timer that ends a rest, or Infinity. */
  endOfRest(): number {
    return this.#sorted.find(({ reach }) => reach === 'ends')?.due ?? Infinity
  }

  /** Postpones the timers that a rest postpones. */
  moveOn(ms: number): void {
    for (const timer of this.#sorted) if (timer.reach === 'moved') timer.due += ms
    this.#sorted.sort(compare)
  }
}

/**
 * Replaces the turns of the event loop. Callbacks of `setImmediate` wait here and run in their order. A run of the
 * simulator therefore never yields to the machine and is deterministic.
 */
export class Turns {
  #waiting: (() => void)[] = []

  /** Replaces `setImmediate` until disposed. */
  install(): Disposable {
    const original = globalThis.setImmediate
    const replaced = (run: (...args: unknown[]) => void, ...args: unknown[]): object => {
      this.#waiting.push(() => run(...args))
      return {}
    }
    globalThis.setImmediate = replaced as unknown as typeof setImmediate
    return {
      [Symbol.dispose]: () => {
        globalThis.setImmediate = original
      },
    }
  }

  /** Resolves once no promise and no turn is pending. */
  async settle(): Promise<void> {
    await drained()
    while (this.#waiting.length > 0) {
      for (const run of this.#waiting.splice(0)) {
        run()
        await drained()
      }
    }
  }
}

/** Resolves after all settled promises: a tick that a promise requests comes after them. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve)
  })
}

/** Longest delay of the pulse: the link's keep-alive, and checks that run about once a minute. */
const PULSE_MS_MAX = 60_000
/** A rest postpones timers up to this delay. Longer ones run late, as on a suspended machine. */
const QUICK_MS_MAX = 10_000
/** Shortest rest. */
const REST_MS_MIN = 3_000
/** Longest rest; then the checks of every minute run. */
const REST_MS_MAX = 30 * 60_000

/**
 * Time that jumps from one timer to the next. The home rests while only the pulse of the gateway waits. Time then skips
 * the pulse, and the clock of the house stands still.
 */
export class SimulatedClock {
  readonly #turns: Turns
  readonly #timers = new Timers()
  readonly #pulse = new Pulse()
  #mono = 0
  /** The wall clock minus the monotonic clock. */
  #ahead: number
  /** Total time of all rests. */
  #rested = 0
  #boots = 1
  #bootedAt = 0
  #awakeUntil = 0
  #ended = false

  /** @param wall epoch milliseconds at which the run begins. */
  constructor(wall: number, turns: Turns) {
    this.#ahead = wall
    this.#turns = turns
  }

  now(): number {
    return Math.floor(this.#ahead + this.#mono)
  }

  monotonic(): number {
    return this.#mono
  }

  /** Number of waiting timers. */
  get waiting(): number {
    return this.#timers.size
  }

  /** The clock of one life of the gateway. `kill` cancels its timers. */
  forGateway(): { readonly clock: Clock; readonly kill: () => void } {
    let alive = true
    const own = new Set<Timer>()
    const after = (delayMs: number, run: () => void): (() => void) => {
      if (!alive) return () => {}
      const timer = this.#add(delayMs, reachOf(delayMs), () => {
        this.#over(timer, delayMs, own)
        run()
      })
      own.add(timer)
      if (delayMs <= PULSE_MS_MAX) this.#pulse.count(delayMs, 1)
      return () => {
        if (this.#timers.cancel(timer)) this.#over(timer, delayMs, own)
      }
    }
    const kill = (): void => {
      alive = false
      for (const timer of own) this.#timers.cancel(timer)
      own.clear()
      this.#pulse.stop()
    }
    return { clock: { ...this.#hands(() => this.#mono), after }, kill }
  }

  /** The clock of the house, which stands still while the home rests. */
  forHouse(): Clock {
    const after = (delayMs: number, run: () => void): (() => void) => {
      const timer = this.#add(delayMs, 'moved', run)
      return () => void this.#timers.cancel(timer)
    }
    return { ...this.#hands(() => this.#mono - this.#rested), after }
  }

  /** Sets a timer of the simulator itself. */
  after(delayMs: number, run: () => void): () => void {
    const timer = this.#add(delayMs, 'ends', run)
    return () => void this.#timers.cancel(timer)
  }

  /** Moves only the wall clock, as a person or a time server does. */
  jump(ms: number): void {
    this.#ahead += ms
  }

  /** Counts a reboot of the machine. */
  reboot(): void {
    this.#boots += 1
    this.#bootedAt = this.#mono
  }

  /** Prevents rests for `ms`. */
  stayAwake(ms: number): void {
    this.#awakeUntil = Math.max(this.#awakeUntil, this.#mono + ms)
  }

  /** Stops the time. */
  end(): void {
    this.#ended = true
  }

  /** Declares the waiting timers of the gateway to be its pulse. */
  takePulse(): void {
    this.#pulse.take()
  }

  /**
   * Advances time to `end` (monotonic). Runs each timer, and its effects before the next timer.
   *
   * @param restsFor returns how long the home may rest, in milliseconds.
   */
  async passTo(end: number, restsFor: () => number): Promise<void> {
    await this.#turns.settle()
    while (!this.#ended) {
      if (this.#mono >= this.#awakeUntil && this.#pulse.alone) this.#rest(end, restsFor)
      const next = this.#timers.first()
      if (next === undefined || next.due > end) break
      this.#timers.takeFirst()
      this.#mono = Math.max(this.#mono, next.due)
      next.run()
      await this.#turns.settle()
    }
    this.#mono = Math.max(this.#mono, end)
  }

  #rest(end: number, restsFor: () => number): void {
    const most = Math.min(end, this.#timers.endOfRest(), this.#mono + REST_MS_MAX)
    if (most - this.#mono < REST_MS_MIN) return
    const until = Math.min(most, this.#mono + restsFor())
    const ms = until - this.#mono
    if (ms < REST_MS_MIN) return
    this.#timers.moveOn(ms)
    this.#rested += ms
    this.#mono = until
  }

  #add(delayMs: number, reach: Reach, run: () => void): Timer {
    return this.#timers.add(this.#mono + Math.max(0, delayMs), reach, run)
  }

  #over(timer: Timer, delayMs: number, own: Set<Timer>): void {
    if (own.delete(timer) && delayMs <= PULSE_MS_MAX) this.#pulse.count(delayMs, -1)
  }

  #hands(monotonic: () => number): Pick<Clock, 'now' | 'monotonic' | 'boot'> {
    return {
      now: () => this.now(),
      monotonic,
      boot: () => ({ id: `boot ${this.#boots}`, uptimeMs: this.#mono - this.#bootedAt }),
    }
  }
}

function reachOf(delayMs: number): Reach {
  if (delayMs > PULSE_MS_MAX) return 'ends'
  return delayMs > QUICK_MS_MAX ? 'late' : 'moved'
}
