import type { TestHome } from './harness.ts'

/** How many requests the gateway has made to units, whether they are under way or waiting. */
export const requestsToUnits = (home: TestHome): number => home.running.gateway.home.bus.counters().requests

/**
 * How many requests to units `work` makes. Time stands still meanwhile, since the gateway reads units in the background
 * as time passes.
 */
export function requestsDuring(home: TestHome, work: () => Promise<void>): Promise<number> {
  return home.running.still(async () => {
    const before = requestsToUnits(home)
    await work()
    return requestsToUnits(home) - before
  })
}
