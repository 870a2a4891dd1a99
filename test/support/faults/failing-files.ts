import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** File functions of Node as the sources import them. */
type FileCall = 'statSync' | 'readSync' | 'openSync' | 'readFileSync'

type Call = (...args: unknown[]) => unknown

const failure = (call: string): Error =>
  Object.assign(new Error(`EIO: i/o error, ${call}`), { code: 'EIO', errno: -5, syscall: call })

/**
 * Fails file functions of Node with EIO until disposed: on paths that start with `folder`, and on handles. SQLite has
 * its own system calls (failing-calls.ts).
 */
export class FailingFiles implements Disposable {
  readonly #before: Partial<Record<FileCall, Call>> = {}
  /** Number of failed calls. */
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
