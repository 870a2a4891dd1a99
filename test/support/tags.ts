/**
 * The tags of tests, which decide what command runs a test. `npm test` runs all tests except `long`, `npm run
 * test:long` runs `long` and `repeated`, `npm run test:relay` runs `relay`. A first line `// @module-tag long` tags all
 * tests of a file.
 */
export const TEST_TAGS = [
  { name: 'long', description: 'Takes long: only npm run test:long runs it.' },
  { name: 'repeated', description: 'Runs more cases in npm run test:long (times and LONG of test/support/long.ts).' },
  { name: 'relay', description: 'npm run test:relay runs it too, from outside the home.' },
] as const

export type TestTag = (typeof TEST_TAGS)[number]['name']

declare module 'vitest' {
  interface TestTags {
    tags: TestTag
  }
}
