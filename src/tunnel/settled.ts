import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'

/** How long an administrator's request waits for the relay's answer. */
const SETTLE_MS = 15_000

/** Resolves once the relay has answered, by what `isAnswered` sees at a change, or after `SETTLE_MS`. */
export function settled(clock: Clock, changes: Emitter<void>, isAnswered: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (isLate: boolean): void => {
    if (!isLate && !isAnswered()) return
    cancel()
    forget()
    resolve()
  }
  const cancel = clock.after(SETTLE_MS, () => look(true))
  const forget = changes.on(() => look(false))
  look(false)
  return promise
}
