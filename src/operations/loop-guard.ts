import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { type Clock, every } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Longest allowed stall of the event loop; the slowest disk and the largest home stay far below. */
export const STANDS_MS_MAX = 60_000
/** Interval of the loop's sign of life and of the guard's check. */
const LOOK_EVERY_MS = 1_000

/** Settings of the guard. */
export interface LoopGuardSettings {
  /** Count of the loop's turns, and the number of checks without a turn that end the process. */
  readonly shared: Int32Array
  readonly lookEveryMs: number
}

export interface LoopGuard {
  /** Sets the longest allowed stall from now on. */
  allow(standsMs: number): void
  end(): void
}

/** Positions of both numbers in `LoopGuardSettings.shared`. */
const [TURNS, LOOKS_MAX] = [0, 1]

/**
 * Ends the process, with a line in the log, after its event loop has stalled for `standsMs`: a hung gateway serves
 * nobody, and its supervisor restarts it. The guard is a thread, so that it runs during the stall. A process with an
 * attached inspector is left alone, because a person may hold it there.
 */
export function guardLoop(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  standsMs = STANDS_MS_MAX,
  lookEveryMs = LOOK_EVERY_MS,
): LoopGuard {
  if (inspectorUrl() !== undefined) return { allow: () => {}, end: () => {} }
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const turn = (): void => void Atomics.add(shared, TURNS, 1)
  const allow = (ms: number): void => {
    // A present stall counts by the previous limit.
    turn()
    Atomics.store(shared, LOOKS_MAX, Math.ceil(ms / lookEveryMs))
  }
  allow(standsMs)
  const stopSigns = every(clock, lookEveryMs, turn)
  const settings: LoopGuardSettings = { shared, lookEveryMs }
  const guard = new Worker(new URL('loop-guard-thread.mjs', import.meta.url), {
    workerData: settings,
    execArgv: [],
    // The thread needs one number.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1, stackSizeMb: 1 },
  })
  guard.on('error', (error) => log.warn({ err: error }, 'The guard of the event loop does not run.'))
  guard.unref()
  const end = (): void => {
    stopSigns()
    void guard.terminate()
  }
  return { allow, end }
}
