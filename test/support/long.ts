import { THROUGH_RELAY } from './relay/mode.ts'

/** True in `npm run test:long`. A file that uses this has the tag `repeated` or `long` (test/support/tags.ts). */
export const LONG = process.env['HM_TEST_LONG'] === '1'

/** Repetitions of a test: `few` in `npm test`, `many` in `npm run test:long`. */
export function times(few: number, many: number): number {
  return LONG ? many : few
}

/** All cases of a test in `npm run test:long` and `npm run test:relay`, every `step`-th in `npm test`. */
export function casesOf<T>(all: readonly T[], step: number, first = 0): readonly T[] {
  return LONG || THROUGH_RELAY ? all : all.filter((_, index) => index % step === first)
}

/** True if each bit of the configuration is flipped by itself, which takes hours. */
export const EVERY_BIT = process.env['HM_TEST_EVERY_BIT'] === '1'
