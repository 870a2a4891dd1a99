import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

/**
 * Time as an argument, so that a test can simulate a year in a second. `now` is for displayed and stored times.
 * `monotonic` is for intervals, because a wall clock jumps.
 */
export interface Clock {
  /** Wall clock in epoch milliseconds. */
  now(): number
  /** Milliseconds without jumps, from an arbitrary start. */
  monotonic(): number
  /** Runs `run` once after `delayMs`; the returned function cancels it. Timers never keep the process alive. */
  after(delayMs: number, run: () => void): () => void
  /** The current boot's id, or null if unknown, and its uptime, sleep included. */
  boot(): { readonly id: string | null; readonly uptimeMs: number }
}

/** Linux gives every boot a random id; other systems have no reliable one. */
function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || null
  } catch {
    return null
  }
}

const BOOT = bootId()

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    // A past time is due at once.
    const timer = setTimeout(run, Math.max(0, delayMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
  boot: () => ({ id: BOOT, uptimeMs: uptime() * 1000 }),
}

/** Functions of a group; more get another group, so that thousands never run in one turn of the event loop. */
const GROUP_MAX = 250
/** The phases of the groups differ by a tenth of the interval. */
const PHASES = 10

/** Groups by clock and interval. */
const GROUPS = new WeakMap<Clock, Map<number, Group[]>>()

/**
 * Runs `run` every `intervalMs`, first within this time, until the returned function is called. One timer runs all
 * functions of an interval, because waking a resting process costs more than most of them.
 */
export function every(clock: Clock, intervalMs: number, run: () => void): () => void {
  const intervals = GROUPS.get(clock) ?? new Map<number, Group[]>()
  GROUPS.set(clock, intervals)
  const groups = intervals.get(intervalMs) ?? []
  intervals.set(intervalMs, groups)
  const found = groups.find(({ size }) => size < GROUP_MAX)
  const group = found ?? new Group(clock, intervalMs, 1 - (groups.length % PHASES) / PHASES)
  if (!found) groups.push(group)
  return group.add(run)
}

/** Functions that run together. */
class Group {
  readonly #clock: Clock
  readonly #intervalMs: number
  readonly #firstMs: number
  readonly #runs = new Set<{ readonly run: () => void }>()
  #cancel = (): void => {}

  constructor(clock: Clock, intervalMs: number, phase: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
    this.#firstMs = intervalMs * phase
  }

  get size(): number {
    return this.#runs.size
  }

  add(run: () => void): () => void {
    const entry = { run }
    if (this.#runs.size === 0) this.#arm(this.#firstMs)
    this.#runs.add(entry)
    return () => {
      if (this.#runs.delete(entry) && this.#runs.size === 0) this.#cancel()
    }
  }

  #arm(delayMs: number): void {
    this.#cancel = this.#clock.after(delayMs, () => this.#runAll())
  }

  /** Runs each function, also after an error of another one. */
  #runAll(): void {
    this.#arm(this.#intervalMs)
    const failures: unknown[] = []
    for (const entry of [...this.#runs]) {
      try {
        if (this.#runs.has(entry)) entry.run()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
