import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The kinds of system calls that can fail, in the order of failing-calls.c. */
export const CALL_KINDS = [
  ...(['read', 'write', 'stat', 'rename', 'open', 'sync', 'mmap', 'unlink', 'mkdir', 'truncate', 'lock'] as const),
  ...(['chmod', 'statfs', 'copy', 'bind'] as const),
]
export type CallKind = (typeof CALL_KINDS)[number]

const ERRORS = { ...constants.errno, ESHUTDOWN: 108, EUCLEAN: 117, EROFS: 30, EDQUOT: 122 }
export type CallError = keyof typeof ERRORS

/** A fault: `count` calls of these kinds fail, starting with the `first`. */
export interface Fault {
  readonly kinds: readonly CallKind[]
  readonly error: CallError
  readonly first: number
  readonly count: number
}

export const FOR_EVER = 0xffff_ffff

/** Layout of the control file, in 32-bit words; the name of the last failed call follows. */
const CONTROL_BYTES = 4096
const [WORD, FAILED_AT, TOTALS_AT, NAME_AT, NAME_BYTES] = [4, 5, 16, 256, 512]

const folder = mkdtempSync(join(tmpdir(), 'hm-failing-calls-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const library = join(folder, 'failing-calls.so')

/** True if the library can be built: on Linux with a C compiler. */
export const canFailCalls = process.platform === 'linux' && isBuilt()

function isBuilt(): boolean {
  const source = join(import.meta.dirname, 'failing-calls.c')
  return spawnSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']).status === 0
}

/** Fails system calls of one process on files below a folder. */
export class FailingCalls implements Disposable {
  static #made = 0
  readonly #control: number
  /** Environment variables for the process. */
  readonly env: Readonly<Record<string, string>>

  constructor(root: string) {
    FailingCalls.#made += 1
    const control = join(folder, `control-${FailingCalls.#made}`)
    writeFileSync(control, Buffer.alloc(CONTROL_BYTES))
    this.#control = openSync(control, 'r+')
    this.env = { LD_PRELOAD: library, FAILING_CALLS_CONTROL: control, FAILING_CALLS_ROOT: root }
  }

  fail({ kinds, error, first, count }: Fault): void {
    const mask = kinds.reduce((sum, kind) => sum | (1 << CALL_KINDS.indexOf(kind)), 0)
    this.heal()
    this.#write([0, ERRORS[error], first, count, 0, 0])
    this.#write([mask])
  }

  /** Lets all calls succeed again. */
  heal(): void {
    this.#write([0])
  }

  /** Number of failed calls since `fail`. */
  get failed(): number {
    return this.#read(FAILED_AT)
  }

  /** The last call that failed, with its file. */
  get last(): string {
    const name = Buffer.alloc(NAME_BYTES)
    readSync(this.#control, name, 0, NAME_BYTES, NAME_AT)
    return name.toString('utf8', 0, name.indexOf(0))
  }

  /** Number of calls of a kind. */
  total(kind: CallKind): number {
    return this.#read(TOTALS_AT + CALL_KINDS.indexOf(kind))
  }

  [Symbol.dispose](): void {
    closeSync(this.#control)
  }

  #write(words: readonly number[]): void {
    writeSync(this.#control, new Uint32Array(words), 0, words.length * WORD, 0)
  }

  #read(at: number): number {
    const word = new Uint32Array(1)
    readSync(this.#control, word, 0, WORD, at * WORD)
    return word[0]!
  }
}
