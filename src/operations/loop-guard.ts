import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { type Clock, every } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** The event loop may stand for so long; the slowest disk and the largest home stay far below. */
export const STANDS_MS_MAX = 60_000
/** How often the loop shows that it turns, and the guard looks. */
const LOOK_EVERY_MS = 1_000

/** What the guard is told. */
export interface LoopGuardSettings {
  /** How often the loop has turned, and how many looks in a row without a turn end the process. */
  readonly shared: Int32Array
  readonly lookEveryMs: number
}

export interface LoopGuard {
  /** From now on the loop may stand for so long. */
  allow(standsMs: number): void
  end(): void
}

/** Where both numbers of `LoopGuardSettings.shared` are. */
const [TURNS, LOOKS_MAX] = [0, 1]

/**
 * Ends the process, with a line in the log, once its event loop has stood for `standsMs`: a hung gateway serves nobody,
 * and whoever runs it starts it anew. The guard is a thread, so that it runs while the loop does not. A process that an
 * inspector is attached to is left alone: a person may hold it there.
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
    // How long it stood until now counts by the bound of then.
    turn()
    Atomics.store(shared, LOOKS_MAX, Math.ceil(ms / lookEveryMs))
  }
  allow(standsMs)
  const stopSigns = every(clock, lookEveryMs, turn)
  const settings: LoopGuardSettings = { shared, lookEveryMs }
  const guard = new Worker(new URL('loop-guard-thread.mjs', import.meta.url), {
    workerData: settings,
    execArgv: [],
    // It keeps one number.
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
