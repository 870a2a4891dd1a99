import type { TestHome } from './harness.ts'

/** Number of requests from the gateway to units, both pending and sent. */
export const requestsToUnits = (home: TestHome): number => home.running.gateway.home.bus.counters().requests

/**
 * Number of requests to units that `work` makes. The clock stands still meanwhile, because the gateway reads units in
 * the background.
 */
export function requestsDuring(home: TestHome, work: () => Promise<void>): Promise<number> {
  return home.running.still(async () => {
    const before = requestsToUnits(home)
    await work()
    return requestsToUnits(home) - before
  })
}
