import { chmodSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { checkId, type Entry, type Store, StoreUnavailable, type TableName, TABLES, writtenValue } from './store.ts'

/** Hashes of secrets and e-mail addresses: for the relay's own user alone. */
const PRIVATE_MODE = 0o600
/** Everything stands still meanwhile. */
const BUSY_WAIT_MS = 100
const WAL_BYTES_MAX = 16 * 1024 * 1024
/** Beyond it nothing is written, so that strangers who begin sign-ins never fill the disk. */
export const STORE_BYTES_MAX = 1024 * 1024 * 1024
/** Each new row makes so many leave that are over, so that the file does not grow with what was. */
const PRUNED_ROWS_MAX = 10
/** Version 1 kept deleted values readable in free pages. */
const VERSION = 2

/** `revision` is given out once for all times, as AUTOINCREMENT promises; a replaced row is a new one. */
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

/** The store of a relay of one process: a file of SQLite (WAL, synchronous=FULL). Deleted values are overwritten. */
export class SqliteStore implements Store {
  readonly #db: Database.Database
  readonly #clock: Clock
  #version: unknown
  /** Deleted values may still stand in the WAL. */
  #mustErase = false

  /** @throws Error in one sentence, where the file is of a later version or no sound database. */
  constructor(file: string, clock: Clock) {
    this.#db = opened(file)
    this.#clock = clock
    this.#version = this.#db.pragma('data_version', { simple: true })
  }

  /** Whether another process has written since the last call that could be answered. */
  changedElsewhere(): boolean {
    const before = this.#version
    try {
      this.#version = this.#run(() => this.#db.pragma('data_version', { simple: true }))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
    return this.#version !== before
  }

  /** All that the file holds, with what is over and not removed yet, for the operator's eyes and for tests. */
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
    const text = writtenValue(id, value)
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
    const text = writtenValue(id, value)
    return this.#write(() => (this.#remove(table, id, revision) ? this.#insert(table, id, text) : null))
  }

  async delete(table: TableName, id: string, revision?: number): Promise<boolean> {
    checkId(id)
    return this.#write(() => this.#remove(table, id, revision ?? null))
  }

  /** Another process that reads at this moment puts it off until the next write. */
  async erase(): Promise<void> {
    this.#run(() => this.#erase())
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #insert(table: TableName, id: string, text: string): number | null {
    const kept = TABLES[table]
    const { changes, lastInsertRowid } = this.#db
      .prepare('INSERT INTO entries (name, id, value, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(table, id, text, kept === null ? null : this.#clock.now() + kept)
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

function opened(file: string): Database.Database {
  const db = new Database(file)
  try {
    if (file !== ':memory:') chmodSync(file, PRIVATE_MODE)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma(`busy_timeout = ${BUSY_WAIT_MS}`)
    db.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`)
    db.pragma(`max_page_count = ${STORE_BYTES_MAX / Number(db.pragma('page_size', { simple: true }))}`)
    db.pragma('secure_delete = ON')
    bringUpToDate(db)
    emptyWal(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function bringUpToDate(db: Database.Database): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > VERSION) throw new Error(`The relay’s store ${db.name} is of a later version: use a newer program.`)
  if (version === 0)
    db.transaction(() => {
      db.exec(SCHEMA)
      db.pragma(`user_version = ${VERSION}`)
    }).immediate()
  if (version === 1) compact(db)
}

/** Rewrites the file without its free pages. A start that has no room or time for it leaves it to the next one. */
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
