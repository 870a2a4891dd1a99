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

/** Runs `run` every `intervalMs` until the returned function is called. */
export function every(clock: Clock, intervalMs: number, run: () => void): () => void {
  let cancel = clock.after(intervalMs, tick)
  function tick(): void {
    cancel = clock.after(intervalMs, tick)
    run()
  }
  return () => cancel()
}
