// `npm test` runs the tests, and in parallel the checks that read the code, which use the time in which tests wait.
// All checks run, even after a failure, with a line for each. The failures follow at the end. They are also appended to
// the file HM_FAILURES, which .ci/run names.
//
//   npm test                              everything
//   npm test -- --only types,lint         only these checks; types include the console's
//   npm test -- src/hmhc -t 'garbage'     the matching tests, with arguments of vitest
//   npm run test:long                     the long tests, and more runs of the others (test/support/tags.ts)
//   npm run test:relay                    the tests of requirements through a relay

import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Failures } from './failures.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

interface Check {
  readonly name: string
  readonly about: string
  /** The tool's script inside the checkout, and its arguments. */
  readonly command: readonly string[]
  /** True to print the output immediately; otherwise only after a failure. */
  readonly live?: boolean
}

const VITEST = 'node_modules/vitest/vitest.mjs'
/** The tests of each run, by project (vitest.config.ts) and tag (test/support/tags.ts). */
const SHORT_TESTS = ['--project', 'tests', '--tags-filter', '!long']
const RELAY_TESTS = ['--project', 'tests', '--tags-filter', 'relay']
const LONG_TESTS = [
  '--project',
  'tests',
  '--project',
  'long',
  '--project',
  'alone',
  '--tags-filter',
  'long || repeated',
  '--test-timeout',
  '1200000',
]
const ROUTE_TESTS = ['--project', 'routes', '--test-timeout', '1200000']
/**
 * Types and lint run without garbage collection, which would take a third of their time. Above the limit they collect.
 */
const GO_MEMORY = { GOGC: 'off', GOMEMLIMIT: '2GiB' }
/** One thread for checks that run with the tests. Several threads would repeat each other's work. */
const GO_ONE_THREAD = { GOMAXPROCS: '1' }
/** Number of parallel checks on two cores, without and with the tests. */
const AT_A_TIME = { alone: 2, besideTests: 1 }

const CHECKS: readonly Check[] = [
  {
    name: 'types',
    about: 'tsc --noEmit',
    // Incremental: it rereads only changed files and their dependants.
    command: [
      'node_modules/typescript/bin/tsc',
      '--noEmit',
      '--incremental',
      '--tsBuildInfoFile',
      'node_modules/.cache/types.tsbuildinfo',
      // Several checkers would repeat half of the work while the tests need the cores.
      '--checkers',
      '1',
    ],
  },
  {
    name: 'types of the console',
    about: 'tsc -p console',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console'],
  },
  { name: 'format', about: 'oxfmt --check', command: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'] },
  {
    name: 'lint',
    about: 'oxlint, with types',
    command: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  },
  {
    name: 'dead code',
    about: 'knip',
    command: ['node_modules/knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'],
  },
  { name: 'figures', about: 'sizes, floors, cycles within bounds', command: ['test/structure/figures.ts', '--bounds'] },
  {
    name: 'documents',
    about: 'openapi/ and asyncapi/ match the code',
    command: ['scripts/generate-documents.ts', '--check'],
  },
  { name: 'tests', about: 'vitest run', command: [VITEST, 'run', ...SHORT_TESTS], live: true },
]

interface Outcome {
  readonly check: Check
  readonly code: number
  readonly ms: number
  /** Output that was not printed immediately. */
  readonly output: string
}

interface Run {
  readonly failures: Failures
  readonly besideTests: boolean
}

const { values } = parseArgs({ options: { only: { type: 'string' } }, strict: false })

async function main(): Promise<number> {
  const chosen = chooseChecks()
  if (chosen === null) return 2
  const started = performance.now()
  using failures = new Failures(process.env['HM_FAILURES'])
  const outcomes: Outcome[] = []
  const waiting = chosen.filter((check) => check.live !== true)
  const live = chosen.filter((check) => check.live === true)
  const besideTests = live.length > 0
  const run = async (check: Check): Promise<void> =>
    void outcomes.push(await runCheck(check, { failures, besideTests }))
  const worker = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await run(check)
  }
  const inTurn = async (): Promise<void> => {
    for (const check of live) await run(check)
  }
  const workers = besideTests ? AT_A_TIME.besideTests : AT_A_TIME.alone
  await Promise.all([inTurn(), ...Array.from({ length: workers }, worker)])
  return summarise(outcomes, failures, performance.now() - started)
}

/** The named checks, or the default ones. Prints the reason and returns null for an unknown name. */
function chooseChecks(): readonly Check[] | null {
  if (values.only === undefined) return checksOfRun(process.argv.slice(2))
  const names = String(values.only)
    .split(',')
    .map((name) => name.trim())
  const chosenBy = (name: string): readonly Check[] =>
    CHECKS.filter((check) => check.name === name || check.name.startsWith(`${name} of `))
  const unknown = names.find((name) => chosenBy(name).length === 0)
  if (unknown !== undefined) {
    console.error(`There is no check "${unknown}". The checks are: ${CHECKS.map((check) => check.name).join(', ')}.`)
    return null
  }
  return names.flatMap(chosenBy)
}

/** All checks, or only tests for a filter of vitest and for the other runs. */
function checksOfRun(filter: readonly string[]): readonly Check[] {
  const tests = (name: string, about: string, options: readonly string[]): Check => ({
    name,
    about,
    command: [VITEST, 'run', ...options, ...filter],
    live: true,
  })
  const long = tests('long tests', 'vitest run', LONG_TESTS)
  const routes = tests('routes', 'service and network without the fast path', ROUTE_TESTS)
  // A filter selects long tests, and the routes project may have none of them.
  if (process.env['HM_TEST_LONG'] === '1') return filter.length > 0 ? [long] : [long, routes]
  if (process.env['HM_TEST_RELAY'] === '1') return [tests('relay', 'the requirements through a relay', RELAY_TESTS)]
  return filter.length > 0 ? [tests('tests', `vitest run ${filter.join(' ')}`, SHORT_TESTS)] : CHECKS
}

async function runCheck(check: Check, run: Run): Promise<Outcome> {
  const started = performance.now()
  if (check.live) console.log(`\n${check.name} (${check.about})`)
  const { code, output } = await execute(check, run)
  const outcome = { check, code, output, ms: performance.now() - started }
  if (!check.live) console.log(line(outcome))
  return outcome
}

function execute(
  { command, live = false }: Check,
  { failures, besideTests }: Run,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, {
      cwd: root,
      env: { ...GO_MEMORY, ...(besideTests ? GO_ONE_THREAD : {}), ...process.env, HM_FAILURES: failures.file },
      stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    })
    const chunks: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}

function line({ check, code, ms }: Outcome): string {
  return `${code === 0 ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(10)} ${`${(ms / 1000).toFixed(1)} s`.padStart(7)}  ${check.about}`
}

function summarise(outcomes: readonly Outcome[], failures: Failures, ms: number): number {
  const failed = outcomes.filter((outcome) => outcome.code !== 0)
  for (const { check, output } of failed) if (output !== '') console.log(`\n${check.name}\n${output.trimEnd()}`)
  if (outcomes.length > 1) console.log(`\n${outcomes.map(line).join('\n')}`)
  const named = failures.read()
  if (named !== '') console.log(`\n${named.trimEnd()}`)
  for (const { check, output } of failed) if (output !== '') failures.add(check.name, output)
  const verdict =
    failed.length === 0
      ? 'All checks passed'
      : `${failed.length} of ${outcomes.length} checks failed: ${failed.map((outcome) => outcome.check.name).join(', ')}`
  console.log(
    `\n${verdict} (${(ms / 1000).toFixed(1)} s, Node ${process.versions.node}, ${availableParallelism()} cores).`,
  )
  return failed.length === 0 ? 0 : 1
}

process.exitCode = await main()
