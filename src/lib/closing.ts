import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** A part that takes longer to close is passed over; where many hang, the stop's own bound (main.ts) cuts it off. */
const CLOSER_MS = 1_500

/**
 * Closes a part when the stack is, and waits for it no longer than `CLOSER_MS`: one that hangs is named in the log and
 * keeps no other from closing.
 */
export function closesInTime(
  stack: AsyncDisposableStack,
  part: string,
  close: () => Promise<unknown>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): void {
  stack.defer(async () => {
    const late = Promise.withResolvers<void>()
    const cancel = clock.after(CLOSER_MS, () => {
      log.warn({ part }, 'A part did not close in time and is passed over.')
      late.resolve()
    })
    try {
      await Promise.race([close(), late.promise])
    } finally {
      cancel()
    }
  })
}
