import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'

/** Fields of an error in vitest. */
interface Failure {
  readonly name?: string
  readonly message: string
  /** Only for a failed assertion. */
  readonly diff?: string
  readonly stacks?: readonly { readonly file: string; readonly line: number }[]
  /** Only for an error outside a test: the test that ran meanwhile. */
  readonly VITEST_TEST_PATH?: string
  readonly VITEST_TEST_NAME?: string
}

/** Lines per failure: enough to find the place, few enough that ten failures fit on a page. */
const MESSAGE_LINES_MAX = 6
const DIFF_LINES_MAX = 12
const LINE_LENGTH_MAX = 300

/**
 * Writes the failures to a file, so that scripts/check.ts and .ci/run can print them last, at the visible end of a long
 * output. Includes failures without a test: unreadable files, hooks, and errors outside all tests.
 */
export class FailedTests implements Reporter {
  readonly #file: string

  /** @param file is appended to; untouched if all tests pass */
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
  if (path === undefined) return 'unknown during which'
  return [`during ${relative('', path)}`, ...(test === undefined ? [] : [test])].join(' > ')
}

/** One paragraph per error: test, message, place and difference. */
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
