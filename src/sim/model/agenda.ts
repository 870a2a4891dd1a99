import type { Clock } from '../../lib/clock.ts'

/** An entry of the agenda, ordered by time; entries of the same time keep their order of insertion. */
export interface Due {
  due: number
  readonly order: number
}

/** Inserts an entry in order. Removing the first one and moving the others is cheaper than a tree. */
export function place<T extends Due>(sorted: T[], entry: T): void {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(sorted[middle] ?? entry, entry) < 0) low = middle + 1
    else high = middle
  }
  sorted.splice(low, 0, entry)
}

export const compare = (a: Due, b: Due): number => a.due - b.due || a.order - b.order

interface Entry extends Due {
  run: (() => void) | null
}

/** Removes an entry from the agenda; harmless after it has run. */
export type Cancel = () => void

/**
 * All future events of a simulated house, in one list behind one clock timer: thousands of units cost one timer. During
 * an entry `now` is its due time, so that late timers change no behaviour.
 */
export class Agenda {
  readonly #clock: Clock
  readonly #sorted: Entry[] = []
  #order = 0
  #current: number | null = null
  #armedFor = Infinity
  #disarm: Cancel = () => {}
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Monotonic milliseconds. */
  now(): number {
    return this.#current ?? this.#clock.monotonic()
  }

  /** Epoch milliseconds at `now`. */
  wall(): number {
    return this.#current === null ? this.#clock.now() : this.#clock.now() - (this.#clock.monotonic() - this.#current)
  }

  after(delayMs: number, run: () => void): Cancel {
    if (this.#stopped) return () => {}
    const entry: Entry = { due: this.now() + Math.max(0, delayMs), order: this.#order++, run }
    place(this.#sorted, entry)
    this.#arm()
    return () => {
      entry.run = null
    }
  }

  /** Runs `run` every `intervalMs`, first after `firstMs`. */
  every(intervalMs: number, run: () => void, firstMs = intervalMs): Cancel {
    const tick = (): void => {
      cancel = this.after(intervalMs, tick)
      run()
    }
    let cancel = this.after(firstMs, tick)
    return () => cancel()
  }

  /** Drops all entries and accepts no more. */
  stop(): void {
    this.#stopped = true
    this.#sorted.length = 0
    this.#disarm()
  }

  #arm(): void {
    const next = this.#sorted[0]
    if (next === undefined || this.#current !== null || next.due >= this.#armedFor) return
    this.#disarm()
    this.#armedFor = next.due
    this.#disarm = this.#clock.after(next.due - this.#clock.monotonic(), () => this.#runDue())
  }

  #runDue(): void {
    this.#armedFor = Infinity
    // Half a millisecond of tolerance: system timers may fire slightly early.
    const until = this.#clock.monotonic() + 0.5
    try {
      for (let next = this.#sorted[0]; next !== undefined && next.due <= until; next = this.#sorted[0]) {
        this.#sorted.shift()
        if (next.run === null) continue
        this.#current = next.due
        next.run()
      }
    } finally {
      this.#current = null
      this.#arm()
    }
  }
}

/** One deadline that can be postponed often without a new entry in the agenda. */
export class Countdown {
  readonly #agenda: Agenda
  readonly #run: () => void
  #deadline = Infinity
  #armed = Infinity
  #cancel: Cancel = () => {}

  constructor(agenda: Agenda, run: () => void) {
    this.#agenda = agenda
    this.#run = run
  }

  get running(): boolean {
    return this.#deadline !== Infinity
  }

  /** Sets the deadline `delayMs` from now, replacing an earlier one. */
  start(delayMs: number): void {
    this.#deadline = this.#agenda.now() + delayMs
    if (this.#armed > this.#deadline) this.#arm()
  }

  /** Starts only if no deadline is set. */
  startIfIdle(delayMs: number): void {
    if (!this.running) this.start(delayMs)
  }

  stop(): void {
    this.#deadline = Infinity
  }

  #arm(): void {
    this.#cancel()
    this.#armed = this.#deadline
    this.#cancel = this.#agenda.after(this.#deadline - this.#agenda.now(), () => this.#fire())
  }

  #fire(): void {
    this.#armed = Infinity
    if (!this.running) return
    if (this.#deadline > this.#agenda.now()) return this.#arm()
    this.#deadline = Infinity
    this.#run()
  }
}
