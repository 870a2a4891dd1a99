import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'

/** What vitest tells of an error. */
interface Failure {
  readonly name?: string
  readonly message: string
  /** Of a failed assertion. */
  readonly diff?: string
  readonly stacks?: readonly { readonly file: string; readonly line: number }[]
  /** Of an error that no test threw: during which test it came. */
  readonly VITEST_TEST_PATH?: string
  readonly VITEST_TEST_NAME?: string
}

/** Of one failure so much is told: enough to know where to look, few enough that ten of them fit on a page. */
const MESSAGE_LINES_MAX = 6
const DIFF_LINES_MAX = 12
const LINE_LENGTH_MAX = 300

/**
 * Notes in a file what failed, so that scripts/check.ts and .ci/run can say it last of all, where those who see only
 * the end of a long output see it. Also what no test is charged with: files that could not be read, hooks, and errors
 * outside of all tests.
 */
export class FailedTests implements Reporter {
  readonly #file: string

  /** @param file lines are added to it; where nothing failed it is left alone. */
  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Failure[]): void {
    const outside = unhandled.flatMap((error) => paragraphs(`outside of all tests, ${during(error)}`, [error]))
    const lines = [...modules.flatMap(failuresOf), ...outside]
    if (lines.length > 0) appendFileSync(this.#file, `${lines.join('\n')}\n`)
  }
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId
  return [
    ...paragraphs(file, module.errors()),
    ...[...module.children.allSuites()].flatMap((suite) => paragraphs(`${file} > ${suite.fullName}`, suite.errors())),
    ...[...module.children.allTests('failed')].flatMap((test) =>
      paragraphs(`${file} > ${test.fullName}`, test.result().errors ?? []),
    ),
  ]
}

function during({ VITEST_TEST_PATH: path, VITEST_TEST_NAME: test }: Failure): string {
  if (path === undefined) return 'not known during which'
  return [`during ${relative('', path)}`, ...(test === undefined ? [] : [test])].join(' > ')
}

/** One for each error: what failed, by what, where, and how what was there differs from what was wanted. */
function paragraphs(what: string, errors: readonly Failure[]): string[] {
  return errors.flatMap(({ name = 'Error', message, diff = '', stacks = [] }) => {
    const [first = '', ...more] = linesOf(message, MESSAGE_LINES_MAX)
    const at = stacks.slice(0, 1).map(({ file, line }) => `at ${relative('', file)}:${line}`)
    const details = [...more, ...at, ...linesOf(diff, DIFF_LINES_MAX)]
    return [`FAILED: ${what}: ${name}: ${first}`, ...details.map((line) => `    ${line}`)]
  })
}

function linesOf(text: string, max: number): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, max)
    .map((line) => line.slice(0, LINE_LENGTH_MAX))
}
