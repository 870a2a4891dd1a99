import type { TestGatewayOptions } from '#support/gateway/test-gateway.ts'
import { INTENT_PLAN, intentHouse } from './intent-house.ts'

/** A home of one unit, for tests that do not use the house: time passes at little cost. */
export const ONE_UNIT: Pick<TestGatewayOptions, 'sim' | 'firstHouse'> = {
  sim: { plan: { ...INTENT_PLAN, units: INTENT_PLAN.units.slice(0, 1) } },
  firstHouse: { ...intentHouse(), units: intentHouse().units.slice(0, 1) },
}
