import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** First lines of a failed check's output that are noted. */
const LINES_MAX = 12

/** The failures of one run in a file, which the tests' process also writes (test/support/project/failed-tests.ts). */
export class Failures implements Disposable {
  readonly file: string
  readonly #isOurs: boolean

  /** @param file file for the caller, or undefined for a temporary one */
  constructor(file: string | undefined) {
    this.#isOurs = file === undefined
    this.file = file ?? join(mkdtempSync(join(tmpdir(), 'hm-failures-')), 'failures')
  }

  /** All failures so far as text, empty without failures. */
  read(): string {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : ''
  }

  /** Notes a failed check with the beginning of its output. */
  add(name: string, output: string): void {
    const lines = stripVTControlCharacters(output).split('\n')
    const noted = lines.filter((line) => line.trim() !== '').slice(0, LINES_MAX)
    appendFileSync(this.file, [`FAILED: ${name}:`, ...noted.map((line) => `    ${line}`), ''].join('\n'))
  }

  [Symbol.dispose](): void {
    if (this.#isOurs) rmSync(dirname(this.file), { recursive: true, force: true })
  }
}
