import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../../lib/clock.ts'
import { isThere } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isDamaged } from '../../lib/storage-failure.ts'
import { type Db, openDatabase } from '../database.ts'
import { readThrough } from '../sound-file.ts'
import type { Checkpoint } from '../write-ahead-log.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')
const AUTO_VACUUM_INCREMENTAL = 2

export interface HistoryFileOptions {
  readonly file: string
  readonly clock: Clock
  readonly log: Log
  readonly bytesMax: number
  /** Keeps its log short elsewhere; SQLite does it in the midst of a commit unless given. */
  readonly checkpoint?: Checkpoint | undefined
}

/** @throws as `openFile`; that the file is damaged only if it can be read. */
export function confirmedOpen(options: HistoryFileOptions): Db {
  try {
    return openFile(options)
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  readThrough(options.file)
  return openFile(options)
}

/** @throws SQLite's own error, or NewerDatabase. */
export function openFile({ file, bytesMax }: HistoryFileOptions): Db {
  if (!isThere(file)) prepareNewFile(file)
  const db = openDatabase(file, 'normal', MIGRATIONS)
  try {
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    db.pragma(`max_page_count = ${Math.floor(bytesMax / pageBytes)}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Space can be given back in small steps only if a file is made for it, before its first table and before its write-
 * ahead log.
 */
function prepareNewFile(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
    const got = db.pragma('auto_vacuum', { simple: true })
    if (got !== AUTO_VACUUM_INCREMENTAL) throw new Error(`SQLite took auto_vacuum=${String(got)}.`)
  } finally {
    db.close()
  }
}
