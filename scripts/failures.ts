import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Of what a check said, so many lines tell what is wrong. */
const LINES_MAX = 12

/** What failed in one run of the checks, in a file: the tests write to it from their process (test/support/project/failed-tests.ts). */
export class Failures implements Disposable {
  readonly file: string
  readonly #isOurs: boolean

  /** @param file where somebody else wants to read it; else it is gone with this. */
  constructor(file: string | undefined) {
    this.#isOurs = file === undefined
    this.file = file ?? join(mkdtempSync(join(tmpdir(), 'hm-failures-')), 'failures')
  }

  /** What is noted until now; nothing where nothing failed. */
  read(): string {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : ''
  }

  /** Notes that a check failed, with the beginning of what it said. */
  add(name: string, output: string): void {
    const lines = stripVTControlCharacters(output).split('\n')
    const said = lines.filter((line) => line.trim() !== '').slice(0, LINES_MAX)
    appendFileSync(this.file, [`FAILED: ${name}:`, ...said.map((line) => `    ${line}`), ''].join('\n'))
  }

  [Symbol.dispose](): void {
    if (this.#isOurs) rmSync(dirname(this.file), { recursive: true, force: true })
  }
}
