import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { looked } from './core/sound-file.ts'

/** What a copy of the configuration holds, in numbers, and whose it is. */
export interface CoreFacts {
  readonly serial: string
  readonly home: string
  readonly persons: number
  readonly integrations: number
  /** Keys, agents and sessions that are not revoked. */
  readonly keys: number
}

/**
 * Copies a database that is in use to a file that is not there yet, as it is at one moment, in a thread of its own:
 * nobody waits for it. Rejects with SQLite's reason.
 */
export function copyDatabase(file: string, to: string): Promise<void> {
  return inThread(file, to)
}

/** Resolves where SQLite finds nothing wrong with any page and index of the file; rejects with what it found. */
export function checkDatabase(file: string): Promise<void> {
  return inThread(file, null)
}

async function inThread(file: string, to: string | null): Promise<void> {
  const thread = new Worker(new URL('copy-thread.mjs', import.meta.url), { execArgv: [], workerData: { file, to } })
  const [code] = (await once(thread, 'exit')) as [number]
  if (code !== 0) throw new Error('The thread of the copies has ended before its time.')
}

/** How many migrations made the tables of a file; null where it is no database. */
export function schemaVersionOf(file: string): number | null {
  return looked(file, (db) => Number(db.pragma('user_version', { simple: true })))
}

/** Null where the file holds no home. */
export function coreFacts(file: string): CoreFacts | null {
  return looked(file, (db) => {
    const home = db.prepare<[], { serial: string; name: string }>('SELECT serial, name FROM home').get()
    if (home === undefined) return null
    return {
      serial: home.serial,
      home: home.name,
      persons: countOf(db, 'persons'),
      integrations: countOf(db, 'integrations'),
      keys: countOf(db, 'credentials', 'revoked_at IS NULL'),
    }
  })
}

/** 0 where the file is of a version that has no such table. */
function countOf(db: Database.Database, table: string, where = 'true'): number {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table)
  if (isThere === undefined) return 0
  return db.prepare<[], number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() ?? 0
}
