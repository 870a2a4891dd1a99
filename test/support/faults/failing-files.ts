import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Calls of Node on files, as the sources import them. */
type FileCall = 'statSync' | 'readSync' | 'openSync' | 'readFileSync'

type Call = (...args: unknown[]) => unknown

const failure = (call: string): Error =>
  Object.assign(new Error(`EIO: i/o error, ${call}`), { code: 'EIO', errno: -5, syscall: call })

/**
 * Calls of Node fail with EIO until this is disposed of: those on a path that begins with `folder`, and those on a
 * handle. SQLite has system calls of its own (failing-calls.ts).
 */
export class FailingFiles implements Disposable {
  readonly #before: Partial<Record<FileCall, Call>> = {}
  /** How many calls have failed. */
  failed = 0

  constructor(folder: string, calls: readonly FileCall[]) {
    for (const call of calls) {
      const real = fs[call] as Call
      this.#before[call] = real
      const fails: Call = (first, ...rest) => {
        if (typeof first !== 'number' && !String(first).startsWith(folder)) return real(first, ...rest)
        this.failed += 1
        throw failure(call)
      }
      Object.assign(fs, { [call]: fails })
    }
    syncBuiltinESMExports()
  }

  [Symbol.dispose](): void {
    Object.assign(fs, this.#before)
    syncBuiltinESMExports()
  }
}
