import { globSync, readFileSync, statfsSync } from 'node:fs'
import { configDefaults, defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { FailedTests } from './test/support/project/failed-tests.ts'

const TESTS = ['{src,relay,console,client,simulate,test}/**/*.test.ts']
const LONG_TESTS = ['src/**/*.long.test.ts', 'test/**/*.long.test.ts', 'relay/**/*.long.test.ts']

/**
 * `npm run test:long`: the files that take long, those that do more of the same then (test/support/long.ts), those with
 * tests that are left to it (test/support/when-long.ts), and those whose requirements are tested over more transports
 * then (test/support/gateway/verifies.ts).
 */
const LONG = process.env['HM_TEST_LONG'] === '1'
/** Once more of that: the tests of requirements from outside the home, through a relay. */
const THROUGH_RELAY = process.env['HM_TEST_RELAY'] === '1'
const OF_A_HOME =
  /\bverifies\w*\b.*'#support\/gateway\/harness\.ts'|\bprovesAlsoRelayed\b.*'#support\/gateway\/verifies\.ts'/s
const DOES_MORE_THEN =
  /'#support\/(?:when-)?long\.ts'|\b(?:verifies|proves)\.long\(|\bverifies\w*\b.*'#support\/gateway\/harness\.ts'/s
const doesMoreThen = (path: string): boolean =>
  path.endsWith('.long.test.ts') || DOES_MORE_THEN.test(readFileSync(path, 'utf8'))

/**
 * Of the long tests those that hold the gateway, the relay, a browser or programs of others to real time or memory:
 * beside tests that take both cores they would measure those. They come last, one at a time.
 */
const ALONE = [
  'test/console/*.long.test.ts',
  'test/network/discovery.long.test.ts',
  'test/mcp/conformance.long.test.ts',
  'test/network/*.long.test.ts',
  'test/start/start.long.test.ts',
  'test/relay/{nodes,oauth-conformance,restarts,slow-body,storm,within-a-second}.long.test.ts',
]

/** What is run now: null for all but the long tests. */
function chosen(): readonly string[] | null {
  if (THROUGH_RELAY) return globSync(TESTS).filter((path) => OF_A_HOME.test(readFileSync(path, 'utf8')))
  return LONG ? globSync(TESTS).filter(doesMoreThen) : null
}
const files = chosen()
/** Where scripts/check.ts wants to read what failed. */
const FAILURES = process.env['HM_FAILURES']

const MEMORY = '/dev/shm'
const ROOM_BYTES = 1_000_000_000

/** Where the tests' data folders lie: in memory where there is room, since every change waits for the disk otherwise. */
function temporaryFolder(): { readonly TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ROOM_BYTES ? { TMPDIR: MEMORY } : {}
  } catch {
    return {}
  }
}

/** The long tests in two groups, one after the other. */
function inTurn(): TestProjectConfiguration[] {
  const alone = globSync(ALONE)
  const beside = (files ?? []).filter((file) => !alone.includes(file))
  return [
    { extends: true, test: { name: 'long', include: beside, exclude: [], sequence: { groupOrder: 1 } } },
    { extends: true, test: { name: 'alone', include: alone, exclude: [], maxWorkers: 1, sequence: { groupOrder: 2 } } },
  ]
}

export default defineConfig({
  test: {
    env: temporaryFolder(),
    reporters: [...configDefaults.reporters, ...(FAILURES === undefined ? [] : [new FailedTests(FAILURES)])],
    setupFiles: ['test/support/gateway/each-file.ts'],
    // Two cores run the project; a third worker uses the time in which a test waits.
    maxWorkers: 3,
    // They find what hangs, not what is slow: a busy machine takes many times as long.
    testTimeout: LONG ? 1_200_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    ...(LONG ? { projects: inTurn() } : { include: [...(files ?? TESTS)], exclude: LONG_TESTS }),
    // A worker keeps the modules it has loaded for its next file: loading them takes longer than most files. So no test
    // replaces a module.
    isolate: false,
    // Node itself reads the modules, as it does where the gateway runs: Vite would transform each first, and each use of
    // what a module imports would ask it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
