import { statfsSync } from 'node:fs'
import { configDefaults, defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { FailedTests } from './test/support/project/failed-tests.ts'
import { longestFirst } from './test/support/project/longest-first.ts'
import { TEST_TAGS } from './test/support/tags.ts'

const TESTS = '**/*.test.ts'
const LONG_TESTS = '**/*.long.test.ts'
const NO_TESTS = [...configDefaults.exclude, '**/.*/**']

/**
 * The long tests that measure time or memory of the gateway or the relay, or set clocks and networks of a machine. Other
 * tests would disturb the measurement, so these run last, one at a time.
 */
const ALONE = [
  'test/network/{discovery,faketime,slow-readers}.long.test.ts',
  'test/relay/{nodes,restarts,storm,within-a-second}.long.test.ts',
]

/** Files of the long run that take more than a minute, mostly because they wait. */
const LONGEST = [
  'test/backup/drill.long.test.ts',
  'test/client/killed.test.ts',
  'test/console/{pages,swipes}.long.test.ts',
  'test/faults/{every-call,late-house,serial}.long.test.ts',
  'test/network/request-corpus.long.test.ts',
  'test/relay/{parted-networks,three-nats-load,under-attack}.long.test.ts',
  'test/relay/{half-sent,hostile-home}.test.ts',
  'test/service/noninterference.test.ts',
  'simulate/planted-defects.long.test.ts',
  '{simulate/simulate,src/home/explain/last-changes}.test.ts',
  'test/start/two-starts.long.test.ts',
]

const LONG = process.env['HM_TEST_LONG'] === '1'

/** Two cores run the project; more workers use the time in which a test waits. Long tests wait more. */
const WORKERS = LONG ? 4 : 3

/** Without V8's last compiler: few functions of the short tests run long enough to be worth it. */
const FLAGS = LONG ? [] : ['--max-opt=2']

/** The file in which scripts/check.ts reads the failed tests. */
const FAILURES = process.env['HM_FAILURES']

const MEMORY = '/dev/shm'
const ROOM_BYTES = 1_000_000_000

/** Puts the data folders of tests into memory if there is room: otherwise every change waits for the disk. */
function temporaryFolder(): { readonly TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ROOM_BYTES ? { TMPDIR: MEMORY } : {}
  } catch {
    return {}
  }
}

interface Project {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  readonly maxWorkers?: number
  readonly env?: Readonly<Record<string, string>>
}

/** A project. Projects with a lower `groupOrder` run first. */
function project(
  name: string,
  groupOrder: number,
  { include, exclude = [], ...more }: Project,
): TestProjectConfiguration {
  const test = { name, include: [...include], exclude: [...NO_TESTS, ...exclude], sequence: { groupOrder }, ...more }
  return { extends: true, test }
}

/** The service once more without its fast path, for the long run: fastify routes all requests there. */
const ROUTES = { include: ['test/{service,network}/**/*.test.ts'], exclude: [LONG_TESTS], env: { HM_FAST_PATH: 'off' } }

// Each file belongs to one project; files of `routes` belong to two. scripts/check.ts selects projects by name and tests by tag.
export default defineConfig({
  test: {
    projects: [
      project('tests', 1, { include: [TESTS], exclude: [LONG_TESTS] }),
      project('long', 1, { include: [LONG_TESTS], exclude: ALONE }),
      project('alone', 2, { include: ALONE, maxWorkers: 1 }),
      project('routes', 3, ROUTES),
    ],
    tags: [...TEST_TAGS],
    env: temporaryFolder(),
    reporters: [...configDefaults.reporters, ...(FAILURES === undefined ? [] : [new FailedTests(FAILURES)])],
    setupFiles: ['test/support/gateway/test-file-setup.ts'],
    maxWorkers: WORKERS,
    execArgv: FLAGS,
    sequence: { sequencer: longestFirst(LONGEST) },
    // Timeouts find hangs, not slowness: a busy machine takes many times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    // A worker keeps the modules it has loaded for its next file: loading them takes longer than most files. So no test
    // replaces a module.
    isolate: false,
    // Node itself reads the modules, as it does where the gateway runs: Vite would transform each first, and each use of
    // what a module imports would ask it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
