/** Whether this is `npm run test:long`: the properties with many runs, and the tests in `*.long.test.ts`. */
export const LONG = process.env['HM_TEST_LONG'] === '1'

/** How often a test does what it does: `few` times in `npm test`, `many` in `npm run test:long`. */
export function times(few: number, many: number): number {
  return LONG ? many : few
}
