import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** Timeout for closing one part; if many hang, the stop's own timeout (main.ts) ends them. */
const CLOSER_MS = 1_500

/**
 * Closes a part with the stack, with the timeout `CLOSER_MS`: a part that hangs is logged and does not block the
 * others.
 */
export function closeWithTimeout(
  stack: AsyncDisposableStack,
  part: string,
  close: () => Promise<unknown>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): void {
  stack.defer(async () => {
    const late = Promise.withResolvers<void>()
    const cancel = clock.after(CLOSER_MS, () => {
      log.warn({ part }, 'A part did not close in time and is skipped.')
      late.resolve()
    })
    try {
      await Promise.race([close(), late.promise])
    } finally {
      cancel()
    }
  })
}
