import { test } from 'vitest'
import { LONG } from './long.ts'

/**
 * A test that `npm test` leaves to `npm run test:long`: it takes long, and another shows the same rule sooner. Of tests
 * that cite requirements `verifies.long` and `proves.long` do the same.
 */
export const longTest = LONG ? test : test.skip

/** The same where it can be run at all. */
export const longTestIf = (isPossible: boolean): typeof longTest => (isPossible ? longTest : test.skip)
