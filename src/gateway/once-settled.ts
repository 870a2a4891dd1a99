import type { HomeEvent } from '../home/model/events.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Clock } from '../lib/clock.ts'
import type { Emitter } from '../lib/emitter.ts'

/** The rules start after this time even where some units have not reported their state. */
export const SETTLE_MS = 5_000

/**
 * Runs once every unit has reported its state, or after `SETTLE_MS`: a rule that was missed while the gateway was off
 * may depend on states. The returned function keeps it from running.
 */
export function onceSettled(
  live: Pick<LiveHome, 'settled'>,
  events: Emitter<HomeEvent>,
  clock: Clock,
  run: () => void,
): () => void {
  const stop = (): void => {
    cancel()
    unsubscribe()
  }
  const go = (): void => {
    stop()
    run()
  }
  const cancel = clock.after(SETTLE_MS, go)
  const unsubscribe = events.on((each) => {
    // The last unit to report may be a sensor or meter, which has readings alone.
    if ((each.kind === 'state' || each.kind === 'readings') && live.settled) go()
  })
  return stop
}
