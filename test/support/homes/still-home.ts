import type { TestHome } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'

const STEP_MS = 10
const TURNS = 20

/** A gateway whose time stands still unless told. Its wall clock starts at the machine's, since clients that have that one check certificates. */
export function stillGateway(): TestGatewayOptions {
  return { clock: new ManualClock(Date.now()), settled: false }
}

/** Lets time pass until something has happened. */
export async function passUntil<T>(home: TestHome, happening: Promise<T>): Promise<T> {
  const { clock } = home.running
  if (!(clock instanceof ManualClock)) throw new Error('This gateway goes with the time.')
  const over = { yet: false }
  const watched = happening.finally(() => {
    over.yet = true
  })
  while (!over.yet) await clock.advanceAsync(STEP_MS)
  return watched
}

/** Lets what is under way in this process come through, without time passing. */
export async function breathe(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}
