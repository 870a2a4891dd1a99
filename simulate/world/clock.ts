import type { Clock } from '../../src/lib/clock.ts'
import { compare, type Due, place } from '../../src/sim/model/agenda.ts'

/** Which timers are those of a gateway that has nothing to do, and whether any other waits. */
class Pulse {
  /** Timers that wait less those of the pulse, by delay; zero is left out. */
  readonly #others = new Map<number, number>()
  readonly #waiting = new Map<number, number>()

  /** Whether the timers that wait are the pulse and nothing else. */
  get alone(): boolean {
    return this.#others.size === 0
  }

  /** A timer of this delay was set (1) or is over (-1). */
  count(delayMs: number, by: number): void {
    add(this.#waiting, delayMs, by)
    add(this.#others, delayMs, by)
  }

  /** What waits now is the pulse. */
  take(): void {
    this.#others.clear()
  }

  /** None waits any more: the pulse is missing. */
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

/** What becomes of a timer while the home rests: it is moved on, it runs late, or the rest ends with it. */
type Reach = 'moved' | 'late' | 'ends'

interface Timer extends Due {
  readonly reach: Reach
  run: () => void
  /** Whether it still waits. */
  waits: boolean
}

/** Timers by the time they are due; those of the same time in the order in which they were set. */
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

  /** False where it has run, or was cancelled before. */
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

  /** When the first one is due that ends a rest; Infinity where there is none. */
  endOfRest(): number {
    return this.#sorted.find((each) => each.reach === 'ends')?.due ?? Infinity
  }

  /** Moves on those that are moved. */
  moveOn(ms: number): void {
    for (const timer of this.#sorted) if (timer.reach === 'moved') timer.due += ms
    this.#sorted.sort(compare)
  }
}

/**
 * The turns of the event loop, taken by hand: while installed, what asks for the next turn (`setImmediate`) waits here
 * and runs in the order it asked. So a run of the simulator never yields to the machine, and is the same each time.
 */
export class Turns {
  #waiting: (() => void)[] = []

  /** Takes the place of `setImmediate` until disposed. */
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

  /** Resolves once no promise and no turn is left to come. */
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

/** A tick that is asked for by a promise comes after all promises that are settled by then. */
function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve)
  })
}

/** Timers of the gateway up to this delay are its pulse: the link's watch and what looks again every minute or so. */
const PULSE_MS_MAX = 60_000
/** Of these the quick ones are moved on while the home rests; the others come late, as on a machine that stood still. */
const QUICK_MS_MAX = 10_000
/** A shorter rest is lived through. */
const REST_MS_MIN = 3_000
/** After this long what comes every minute has its turn. */
const REST_MS_MAX = 30 * 60_000

/**
 * Time that jumps from one timer to the next. While the home rests, which means that nothing but the pulse of the
 * gateway is under way, time passes over the pulse and over the house, where nothing happens meanwhile.
 */
export class SimulatedClock {
  readonly #turns: Turns
  readonly #timers = new Timers()
  readonly #pulse = new Pulse()
  #mono = 0
  /** The wall clock less the monotonic one. */
  #ahead: number
  /** What the house did not live through. */
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

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.size
  }

  /** The clock of one life of the gateway; after `kill` no timer of it runs. */
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

  /** The clock of the house: it stands still while the home rests. */
  forHouse(): Clock {
    const after = (delayMs: number, run: () => void): (() => void) => {
      const timer = this.#add(delayMs, 'moved', run)
      return () => void this.#timers.cancel(timer)
    }
    return { ...this.#hands(() => this.#mono - this.#rested), after }
  }

  /** Runs something of the simulator itself. */
  after(delayMs: number, run: () => void): () => void {
    const timer = this.#add(delayMs, 'ends', run)
    return () => void this.#timers.cancel(timer)
  }

  /** Sets the wall clock alone, as a person or a time server does. */
  jump(ms: number): void {
    this.#ahead += ms
  }

  /** The machine starts again. */
  reboot(): void {
    this.#boots += 1
    this.#bootedAt = this.#mono
  }

  /** The home does not rest for so long. */
  stayAwake(ms: number): void {
    this.#awakeUntil = Math.max(this.#awakeUntil, this.#mono + ms)
  }

  /** No more time passes. */
  end(): void {
    this.#ended = true
  }

  /** What the gateway waits for now is its pulse. */
  takePulse(): void {
    this.#pulse.take()
  }

  /**
   * Lets time pass up to `end` (monotonic): each timer in its order, and what follows from it before the next.
   *
   * @param restsFor how long the home may rest, in milliseconds.
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
