import { readFileSync, writeFileSync } from 'node:fs'
import { isThere, PRIVATE_FILE_MODE, replaceFileNow } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Ids that are remembered as ended; the oldest go first. */
export const REVOCATIONS_KEPT = 10_000
const LINK = /^(?:[a-z0-9]{10}|[0-9a-f]{8}-[0-9a-f-]{27})$/

/**
 * The links of credentials that have ended, and the ids of integrations, operators, persons, passkeys and sessions of
 * the console, one a line in a file of its own: a configuration that is put back from a copy must not bring a revoked
 * key back, nor let a person in who was removed.
 */
export class Revocations {
  readonly #file: string
  readonly #log: Log
  /** Those of the file. */
  #links: Set<string>
  /** Those that the disk has not taken yet. */
  #waiting: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    // What a crash cut off is no link.
    const lines = isThere(file) ? readFileSync(file, 'utf8').split('\n') : []
    this.#links = new Set(lines.filter((line) => LINK.test(line)))
  }

  /** Ends in the configuration what has ended; answers how many had not. */
  apply(db: Db, at: number): number {
    const ended = JSON.stringify([...this.#links])
    const removed = ['console_sessions', 'persons', 'passkeys', 'operators', 'integrations'].map(
      (table) => db.prepare(`DELETE FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`).run(ended).changes,
    )
    const { changes } = db
      .prepare(
        'UPDATE credentials SET revoked_at = ? WHERE revoked_at IS NULL AND link IN (SELECT value FROM json_each(?))',
      )
      .run(at, ended)
    return removed.reduce((sum, each) => sum + each, changes)
  }

  /** Whether it is remembered as ended. */
  has(link: string): boolean {
    return this.#links.has(link) || this.#waiting.includes(link)
  }

  /** Remembers these too, with those that the disk did not take before; each time it is asked for what it lacks. */
  add(ended: readonly string[]): void {
    const fresh = [...new Set([...this.#waiting, ...ended])].filter((link) => !this.#links.has(link))
    if (fresh.length === 0) return
    const isTold = this.#waiting.length > 0
    try {
      const all = [...this.#links, ...fresh]
      if (all.length > REVOCATIONS_KEPT) this.#replace(all.slice(-REVOCATIONS_KEPT / 2))
      else if (isThere(this.#file)) this.#append(fresh)
      else this.#replace(all)
      this.#waiting = []
    } catch (error) {
      this.#waiting = fresh.slice(-REVOCATIONS_KEPT)
      if (isTold) return
      this.#log.error({ err: error }, 'That a credential ended could not be stored beside the configuration.')
    }
  }

  #append(links: readonly string[]): void {
    // A line that a crash cut off ends here.
    writeFileSync(this.#file, `\n${textOf(links)}`, { flag: 'a', flush: true, mode: PRIVATE_FILE_MODE })
    for (const link of links) this.#links.add(link)
  }

  #replace(links: readonly string[]): void {
    replaceFileNow(this.#file, textOf(links))
    this.#links = new Set(links)
  }
}

const textOf = (links: readonly string[]): string => `${links.join('\n')}\n`
