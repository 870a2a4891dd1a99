import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Whether this is `npm run test:long`: the properties with many runs, and the tests in `*.long.test.ts`. */
export const LONG = process.env['HM_TEST_LONG'] === '1'

/** How often a test does what it does: `few` times in `npm test`, `many` in `npm run test:long`. */
export function times(few: number, many: number): number {
  return LONG ? many : few
}

const DOES_MORE = /'#support\/long\.ts'/

/** Whether a test file does more of the same in `npm run test:long`; what does not has run in `npm test`. */
export function doesMoreWhenLong(file = expect.getState().testPath ?? ''): boolean {
  return file.endsWith('.long.test.ts') || DOES_MORE.test(readFileSync(file, 'utf8'))
}

/** Whether each bit of the configuration is flipped by itself, which takes hours. */
export const EVERY_BIT = process.env['HM_TEST_EVERY_BIT'] === '1'
