import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { PRIVATE_FILE_MODE } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Links of credentials that are remembered as ended; the oldest go first. */
export const REVOCATIONS_KEPT = 10_000
const LINK = /^[a-z0-9]{10}$/

/**
 * The links of credentials that have ended, one a line in a file of its own: a configuration that is put back from a
 * copy must not bring a revoked key back.
 */
export class Revocations {
  readonly #file: string
  readonly #log: Log
  readonly #links: Set<string>

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    // What a crash cut off is no link.
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    this.#links = new Set(lines.filter((line) => LINK.test(line)))
  }

  /** Ends in the configuration what has ended; answers how many had not. */
  apply(db: Db, at: number): number {
    return db
      .prepare(
        'UPDATE credentials SET revoked_at = ? WHERE revoked_at IS NULL AND link IN (SELECT value FROM json_each(?))',
      )
      .run(at, JSON.stringify([...this.#links])).changes
  }

  /** Remembers these too. Where the disk does not take them they are in the configuration all the same. */
  add(ended: readonly string[]): void {
    const fresh = ended.filter((link) => !this.#links.has(link))
    if (fresh.length === 0) return
    try {
      const full = this.#links.size + fresh.length > REVOCATIONS_KEPT
      if (full) this.#write('w', [...this.#links, ...fresh].slice(-REVOCATIONS_KEPT / 2))
      else this.#write('a', fresh)
      for (const link of fresh) this.#links.add(link)
    } catch (error) {
      this.#log.error({ err: error }, 'That a credential ended could not be stored beside the configuration.')
    }
  }

  #write(flags: 'a' | 'w', links: readonly string[]): void {
    const file = openSync(this.#file, flags, PRIVATE_FILE_MODE)
    try {
      // A line that a crash cut off ends here.
      writeSync(file, `\n${links.join('\n')}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (flags === 'w') for (const link of [...this.#links].slice(0, -links.length)) this.#links.delete(link)
  }
}
