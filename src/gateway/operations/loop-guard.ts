import { url as inspectorUrl } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { type Clock, every } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

/** The event loop may stand for so long; the slowest disk and the largest home stay far below. */
export const STANDS_MS_MAX = 60_000
/** How often the loop shows that it turns, and the guard looks. */
const LOOK_EVERY_MS = 1_000

/** What the guard is told: `turns` grows by one with each sign of life. */
export interface LoopGuardSettings {
  readonly turns: Int32Array
  readonly lookEveryMs: number
  /** So many looks in a row without a sign of life end the process. */
  readonly looksMax: number
}

/**
 * Ends the process, with a line in the log, once its event loop has stood for `standsMs`: a hung gateway serves nobody,
 * and whoever runs it starts it anew. The guard is a thread, so that it runs while the loop does not. A process that an
 * inspector is attached to is left alone: a person may hold it there. The returned function ends the guard.
 */
export function guardLoop(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  standsMs = STANDS_MS_MAX,
  lookEveryMs = LOOK_EVERY_MS,
): () => void {
  if (inspectorUrl() !== undefined) return () => {}
  const turns = new Int32Array(new SharedArrayBuffer(4))
  const stopSigns = every(clock, lookEveryMs, () => void Atomics.add(turns, 0, 1))
  const settings: LoopGuardSettings = { turns, lookEveryMs, looksMax: Math.ceil(standsMs / lookEveryMs) }
  const guard = new Worker(new URL('loop-guard-thread.mjs', import.meta.url), {
    workerData: settings,
    execArgv: [],
    // It keeps one number.
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1, stackSizeMb: 1 },
  })
  guard.on('error', (error) => log.warn({ err: error }, 'The guard of the event loop does not run.'))
  guard.unref()
  return () => {
    stopSigns()
    void guard.terminate()
  }
}
