import { chmodSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { checkId, type Entry, type Store, StoreUnavailable, type TableName, TABLES, toStoredJson } from './store.ts'

/** Only the relay's user may read hashes of secrets and e-mail addresses. */
const PRIVATE_MODE = 0o600
/** Longest wait for another process; it blocks the event loop. */
const BUSY_WAIT_MS = 100
const WAL_BYTES_MAX = 16 * 1024 * 1024
/** A full store accepts no writes, so that sign-ins begun by strangers cannot fill the disk. */
export const STORE_BYTES_MAX = 1024 * 1024 * 1024
/** Expired rows removed with each new row, so that the file does not grow without limit. */
const PRUNED_ROWS_MAX = 10
/** In files of version 1, deleted values may still be readable in free pages. */
const VERSION = 2

/** AUTOINCREMENT never uses a `revision` again. Replacing an entry inserts a new row. */
const SCHEMA = `
  CREATE TABLE entries (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at INTEGER,
    UNIQUE (name, id)
  ) STRICT;
  CREATE INDEX entries_by_end ON entries (expires_at) WHERE expires_at IS NOT NULL;
`

/** The store of a relay of one process: a SQLite file (WAL, synchronous=FULL). Deleted values are overwritten. */
export class SqliteStore implements Store {
  readonly #db: Database.Database
  readonly #clock: Clock
  #version: unknown
  /** True while the WAL may contain deleted values. */
  #mustErase = false

  /** @throws Error if the file is damaged or of a later version. */
  constructor(file: string, clock: Clock) {
    this.#db = openDatabase(file)
    this.#clock = clock
    this.#version = this.#db.pragma('data_version', { simple: true })
  }

  /** True if another process has written since the last successful call. */
  changedElsewhere(): boolean {
    const before = this.#version
    try {
      this.#version = this.#run(() => this.#db.pragma('data_version', { simple: true }))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
    return this.#version !== before
  }

  /** All rows of the file, including expired ones; for tests. */
  everything(): readonly { readonly name: string; readonly id: string; readonly value: string }[] {
    return this.#run(() =>
      this.#db.prepare<[], { name: string; id: string; value: string }>('SELECT name, id, value FROM entries').all(),
    )
  }

  async get(table: TableName, id: string): Promise<Entry | null> {
    checkId(id)
    return this.#run(() => {
      const row = this.#db
        .prepare<[string, string, number], { value: string; revision: number }>(
          'SELECT value, revision FROM entries WHERE name = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)',
        )
        .get(table, id, this.#clock.now())
      return row === undefined ? null : { value: JSON.parse(row.value) as unknown, revision: row.revision }
    })
  }

  async create(table: TableName, id: string, value: unknown): Promise<number | null> {
    const text = toStoredJson(id, value)
    return this.#write(() => {
      const now = this.#clock.now()
      this.#db.prepare('DELETE FROM entries WHERE name = ? AND id = ? AND expires_at <= ?').run(table, id, now)
      this.#db
        .prepare('DELETE FROM entries WHERE revision IN (SELECT revision FROM entries WHERE expires_at <= ? LIMIT ?)')
        .run(now, PRUNED_ROWS_MAX)
      return this.#insert(table, id, text)
    })
  }

  async replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null> {
    const text = toStoredJson(id, value)
    return this.#write(() => (this.#remove(table, id, revision) ? this.#insert(table, id, text) : null))
  }

  async delete(table: TableName, id: string, revision?: number): Promise<boolean> {
    checkId(id)
    return this.#write(() => this.#remove(table, id, revision ?? null))
  }

  /** Waits until the next write if another process is reading at this moment. */
  async erase(): Promise<void> {
    this.#run(() => this.#erase())
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #insert(table: TableName, id: string, text: string): number | null {
    const lifetimeMs = TABLES[table]
    const { changes, lastInsertRowid } = this.#db
      .prepare('INSERT INTO entries (name, id, value, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(table, id, text, lifetimeMs === null ? null : this.#clock.now() + lifetimeMs)
    return changes === 0 ? null : Number(lastInsertRowid)
  }

  #remove(table: TableName, id: string, revision: number | null): boolean {
    const { changes } = this.#db
      .prepare(
        `DELETE FROM entries WHERE name = @table AND id = @id AND revision = coalesce(@revision, revision)
          AND (expires_at IS NULL OR expires_at > @now)`,
      )
      .run({ table, id, revision, now: this.#clock.now() })
    return changes > 0
  }

  #write<T>(work: () => T): T {
    return this.#run(() => {
      const result = this.#db.transaction(work).immediate()
      if (this.#mustErase) this.#erase()
      return result
    })
  }

  #erase(): void {
    this.#mustErase = !emptyWal(this.#db)
  }

  #run<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof Database.SqliteError || !this.#db.open)
        throw new StoreUnavailable('The relay’s store cannot be read or written now.', { cause: error })
      throw error
    }
  }
}

function openDatabase(file: string): Database.Database {
  const db = new Database(file)
  try {
    if (file !== ':memory:') chmodSync(file, PRIVATE_MODE)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma(`busy_timeout = ${BUSY_WAIT_MS}`)
    db.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`)
    db.pragma(`max_page_count = ${STORE_BYTES_MAX / Number(db.pragma('page_size', { simple: true }))}`)
    db.pragma('secure_delete = ON')
    migrate(db)
    emptyWal(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function migrate(db: Database.Database): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > VERSION) throw new Error(`The relay’s store ${db.name} is of a later version: update the relay.`)
  if (version === 0)
    db.transaction(() => {
      db.exec(SCHEMA)
      db.pragma(`user_version = ${VERSION}`)
    }).immediate()
  if (version === 1) compact(db)
}

/**
 * Rewrites the file without its free pages. If disk space is short or the file is busy, the next start tries again.
 */
function compact(db: Database.Database): void {
  try {
    db.exec('VACUUM')
    db.pragma(`user_version = ${VERSION}`)
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
  }
}

/** Moves the WAL into the file and empties it; false if another process reads at this moment. */
function emptyWal(db: Database.Database): boolean {
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }]
  return result.busy === 0
}
