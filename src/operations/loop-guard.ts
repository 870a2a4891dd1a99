import { spawn } from 'node:child_process'
import { url as inspectorUrl } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { type Clock, every } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Longest allowed stall of the event loop; the slowest disk and the largest home stay far below. */
export const STANDS_MS_MAX = 60_000
/** Interval of the loop's signs of life and of the guard's checks. */
const LOOK_EVERY_MS = 20_000
const GUARD = fileURLToPath(new URL('loop-guard.sh', import.meta.url))

export interface LoopGuard {
  /** Sets the longest allowed stall from now on. */
  allow(standsMs: number): void
}

/**
 * Ends the process, with a line in the log, after its event loop has stalled for `standsMs`: a hung gateway serves
 * nobody, and its supervisor restarts it. The guard is a shell, which runs during the stall
 * (docs/administration.md#why). A process with an attached inspector is left alone, because a person may hold it there.
 */
export function guardLoop(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  standsMs = STANDS_MS_MAX,
  lookEveryMs = LOOK_EVERY_MS,
): LoopGuard {
  if (process.platform !== 'linux' || inspectorUrl() !== undefined) return { allow: () => {} }
  const guard = spawn('bash', [GUARD, `${process.pid}`, `${lookEveryMs / 1_000}`], {
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  guard.unref()
  const failed = (error: Error): void => log.warn({ err: error }, 'The guard of the event loop does not run.')
  guard.on('error', failed)
  guard.stdin.on('error', failed)
  let allowedMs = standsMs
  // The first check may follow immediately, so that only the ones after it count in full.
  const sign = (): void =>
    void guard.stdin.write(`allow ${Math.ceil(allowedMs / lookEveryMs) + 1} ${Math.round(allowedMs / 1_000)}\n`)
  every(clock, lookEveryMs, sign)
  const allow = (ms: number): void => {
    allowedMs = ms
    sign()
  }
  allow(standsMs)
  return { allow }
}
