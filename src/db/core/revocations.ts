import { readFileSync, writeFileSync } from 'node:fs'
import { pathExists, PRIVATE_FILE_MODE, replaceFileNow } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Number of stored ids; the oldest are deleted first. */
export const REVOCATIONS_KEPT = 10_000
const LINK = /^(?:[a-z0-9]{10}|[0-9a-f]{8}-[0-9a-f-]{27})$/

/**
 * Ids of everything revoked: credential links, integrations, operators, persons, passkeys, console sessions and push
 * subscriptions, one per line in a file next to the configuration. A restored configuration must not revive a revoked
 * key or a removed person.
 */
export class Revocations {
  readonly #file: string
  readonly #log: Log
  /** Ids in the file. */
  #links: Set<string>
  /** Ids that the disk has not accepted yet. */
  #waiting: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    // A truncated line is not a valid id.
    const lines = pathExists(file) ? readFileSync(file, 'utf8').split('\n') : []
    this.#links = new Set(lines.filter((line) => LINK.test(line)))
  }

  /** Applies the revocations to the configuration; returns the number of newly ended ones. */
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
    return removed.reduce((sum, count) => sum + count, changes)
  }

  /** True if the id is revoked. */
  has(link: string): boolean {
    return this.#links.has(link) || this.#waiting.includes(link)
  }

  /** Adds these ids, and those that the disk refused before. Callers repeat ids that may be missing. */
  add(ended: readonly string[]): void {
    const fresh = [...new Set([...this.#waiting, ...ended])].filter((link) => !this.#links.has(link))
    if (fresh.length === 0) return
    const isTold = this.#waiting.length > 0
    try {
      const all = [...this.#links, ...fresh]
      if (all.length > REVOCATIONS_KEPT) this.#replace(all.slice(-REVOCATIONS_KEPT / 2))
      else if (pathExists(this.#file)) this.#append(fresh)
      else this.#replace(all)
      this.#waiting = []
    } catch (error) {
      this.#waiting = fresh.slice(-REVOCATIONS_KEPT)
      if (isTold) return
      this.#log.error({ err: error }, 'A revocation could not be stored next to the configuration.')
    }
  }

  #append(links: readonly string[]): void {
    // The newline ends a truncated line.
    writeFileSync(this.#file, `\n${textOf(links)}`, { flag: 'a', flush: true, mode: PRIVATE_FILE_MODE })
    for (const link of links) this.#links.add(link)
  }

  #replace(links: readonly string[]): void {
    replaceFileNow(this.#file, textOf(links))
    this.#links = new Set(links)
  }
}

const textOf = (links: readonly string[]): string => `${links.join('\n')}\n`
