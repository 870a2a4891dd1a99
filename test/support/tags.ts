/**
 * The tags of tests, which say what command runs a test. `npm test` runs all tests but those of `long`, `npm run
 * test:long` those of `long` and `repeated`, `npm run test:relay` those of `relay`. A first line `// @module-tag long`
 * gives a tag to all tests of a file.
 */
export const TEST_TAGS = [
  { name: 'long', description: 'Takes long: only npm run test:long runs it.' },
  { name: 'repeated', description: 'Does more in npm run test:long (times and LONG of test/support/long.ts).' },
  { name: 'relay', description: 'npm run test:relay also runs it, from outside the home.' },
] as const

export type TestTag = (typeof TEST_TAGS)[number]['name']

declare module 'vitest' {
  interface TestTags {
    tags: TestTag
  }
}
