import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pathExists, syncFile } from '../../lib/files.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import {
  type Db,
  transactionOf,
  type Transaction,
  openDatabase,
  type MigrationState,
  migrationStateOf,
} from '../database.ts'
import { readThrough } from '../sound-file.ts'
import { type Checkpoint, WriteAheadLog } from '../write-ahead-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

const IN_MEMORY = ':memory:'
/** A file that is damaged again within this time is not replaced: its disk fails. */
export const DAMAGED_AGAIN_MS = 3_600_000
/** Two reports of damage by different connections within this time confirm it. */
const BELIEVED_MS = 60_000

/**
 * The connection to history.db. A damaged file, found at opening or later, is put aside with the time in its name. A
 * new one replaces it, and the failed call is repeated there. History may be lost, the home keeps running.
 */
export class HistoryFile {
  readonly #options: HistoryFileOptions
  readonly #onReset: (() => void)[] = []
  #db: Db
  #immediately: Transaction
  #log: WriteAheadLog | null
  /** Number of files so far. */
  #generation = 0
  #aside: string | null = null
  #mayRenewFrom = -Infinity
  /** Until this time a second report of damage counts as confirmed. */
  #believedUntil = -Infinity
  /** False until all listeners have read again after a rollback or a new file. */
  #isForgotten = true
  #synchronous: 'NORMAL' | 'FULL' = 'NORMAL'

  /** @throws if the file comes from a newer version */
  constructor(options: HistoryFileOptions) {
    this.#options = options
    this.isNew = !pathExists(options.file)
    try {
      this.#db = confirmedOpen(options)
    } catch (error) {
      if (isDamaged(error)) this.#db = this.#replaceFile(error)
      else if (isStorageFailure(error)) this.#db = this.#openInMemory(error)
      else throw error
    }
    this.#immediately = transactionOf(this.#db)
    this.#log = this.#logOf(this.#db)
  }

  /** True for a newly created file. */
  isNew: boolean

  /** Path of the file put aside last, or null. */
  get aside(): string | null {
    return this.#aside
  }

  get inMemory(): boolean {
    return !this.onDisk && this.#options.file !== IN_MEMORY
  }

  get onDisk(): boolean {
    return !this.#db.memory
  }

  get tables(): MigrationState {
    return migrationStateOf(this.#db, MIGRATIONS)
  }

  get isOpen(): boolean {
    return this.#db.open
  }

  /** Runs after a rollback and with a new file, when cached rows and numbers are outdated. */
  onReset(forget: () => void): void {
    this.#onReset.push(forget)
  }

  prepare<P extends Bound = unknown[], R = unknown>(sql: string): HistoryStatement<P, R> {
    return new HistoryStatement(this, sql)
  }

  /** A value about the file itself. */
  meta(key: string): string | undefined {
    return this.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key)
  }

  setMeta(key: string, value: string): void {
    this.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, value)
  }

  pragma(text: string): unknown {
    return this.guarded((db) => db.pragma(text, { simple: true }))
  }

  /** Returns free pages to the file system. */
  giveBack(pages: number): void {
    // As a statement with results it would stop after its first page.
    this.#committed(() => this.guarded((db) => db.exec(`PRAGMA incremental_vacuum(${pages})`)))
  }

  /** Resolves when everything committed so far is on the disk. Rejects too if another file has replaced it. */
  async synced(): Promise<void> {
    const generation = this.#generation
    if (this.#db.memory) return
    await syncFile(`${this.#db.name}-wal`)
    if (generation !== this.#generation) throw new Error('The history was replaced meanwhile.')
  }

  /** `FULL` for rows that are deleted elsewhere once they are here. */
  setSynchronous(mode: 'NORMAL' | 'FULL'): void {
    this.#synchronous = mode
    this.#db.pragma(`synchronous = ${mode}`)
  }

  /** Runs writes in one transaction; repeats it if the file was replaced. @param size `small` for a few rows */
  transaction<T>(run: () => T, size: { readonly small?: boolean } = {}): T {
    this.forget()
    try {
      return this.#committed(() => this.#immediately(run), size)
    } catch (error) {
      if (!this.#renew(error)) {
        this.#reset()
        throw error
      }
    }
    return this.transaction(run, size)
  }

  /** Runs one statement; inside a transaction the transaction handles errors. */
  guarded<T>(run: (db: Db) => T): T {
    this.forget()
    try {
      return run(this.#db)
    } catch (error) {
      if (this.#db.inTransaction || !this.#renew(error)) throw error
    }
    return this.guarded(run)
  }

  /** Notifies listeners once after a rollback or a new file. */
  forget(): void {
    if (this.#isForgotten) return
    // The listeners read through this class too.
    this.#isForgotten = true
    try {
      for (const forget of this.#onReset) forget()
    } catch (error) {
      this.#isForgotten = false
      throw error
    }
  }

  /** Runs several reads of one file; repeats all of them if it was replaced between them. */
  readConsistently<T>(read: () => T): T {
    const before = this.#generation
    try {
      return read()
    } catch (error) {
      if (this.#generation === before) throw error
    }
    return read()
  }

  close(): void {
    this.#db.close()
  }

  #committed<T>(commit: () => T, size?: { readonly small?: boolean }): T {
    const unsynced = !this.#db.inTransaction && this.#synchronous === 'NORMAL' && this.#log?.needsNoSync === true
    if (unsynced) this.#db.pragma('synchronous = OFF')
    try {
      return commit()
    } finally {
      if (unsynced) this.#db.pragma('synchronous = NORMAL')
      this.#log?.afterCommit(size)
    }
  }

  #logOf(db: Db): WriteAheadLog | null {
    const { checkpoint } = this.#options
    return checkpoint === undefined || db.memory ? null : new WriteAheadLog(db, { checkpoint })
  }

  #reset(): void {
    this.#isForgotten = false
    try {
      this.forget()
    } catch {
      // The next call tries again.
    }
  }

  /** Replaces the file if the error proves damage; false if it stays. */
  #renew(error: unknown): boolean {
    const { clock, file } = this.#options
    const now = clock.monotonic()
    if (!isDamaged(error) || now < this.#mayRenewFrom || file === IN_MEMORY) return false
    if (now >= this.#believedUntil) return this.#confirmDamage(now)
    this.#db.close()
    this.#use(this.#replaceFile(error))
    this.#generation += 1
    return true
  }

  /** SQLite reports a failed read as damage, so another connection checks the readable file. */
  #confirmDamage(now: number): boolean {
    let fresh: Db | null = null
    try {
      readThrough(this.#options.file)
      fresh = openFile(this.#options)
    } catch (error) {
      if (!isDamaged(error) && pathExists(this.#options.file)) return false
    }
    this.#believedUntil = now + BELIEVED_MS
    if (fresh === null) return true
    this.#db.close()
    this.#use(fresh)
    return true
  }

  #use(db: Db): void {
    this.#db = db
    this.#immediately = transactionOf(db)
    this.#log = this.#logOf(db)
    if (this.#synchronous === 'FULL') this.setSynchronous('FULL')
    this.#reset()
  }

  /** For a disk without writes, or without a new file. */
  #openInMemory(error: unknown): Db {
    const { file, log } = this.#options
    log.error({ err: error, file }, 'The history is kept in memory until the next start, and begins empty.')
    this.isNew = false
    return openFile({ ...this.#options, file: IN_MEMORY })
  }

  /** Replaces a damaged file; in memory if no file can be created. */
  #replaceFile(error: unknown): Db {
    try {
      return this.#resetCounters(error)
    } catch (failure) {
      return this.#openInMemory(failure)
    }
  }

  #resetCounters(error: unknown): Db {
    const { file, clock, log } = this.#options
    this.#mayRenewFrom = clock.monotonic() + DAMAGED_AGAIN_MS
    const aside = `${file}.corrupt-${new Date(clock.now()).toISOString().replaceAll(':', '-')}`
    renameSync(file, aside)
    log.error({ err: error, aside }, 'The history is damaged: it was put aside and a new one begins.')
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
    this.#aside = aside
    this.isNew = true
    return openFile(this.#options)
  }
}

type Bound = unknown[] | object
type Args<P extends Bound> = P extends unknown[] ? P : [P]

/** A statement that follows the present file. */
export class HistoryStatement<P extends Bound, R> {
  readonly #file: HistoryFile
  readonly #sql: string
  readonly #shape: 'row' | 'pluck' | 'raw'

  constructor(file: HistoryFile, sql: string, shape: 'row' | 'pluck' | 'raw' = 'row') {
    this.#file = file
    this.#sql = sql
    this.#shape = shape
  }

  /** Returns only the first column. */
  pluck(): HistoryStatement<P, R> {
    return new HistoryStatement(this.#file, this.#sql, 'pluck')
  }

  /** Returns rows as arrays. */
  raw(): HistoryStatement<P, R> {
    return new HistoryStatement(this.#file, this.#sql, 'raw')
  }

  get(...args: Args<P>): R | undefined {
    return this.#file.guarded((db) => this.#of(db).get(...args))
  }

  all(...args: Args<P>): R[] {
    return this.#file.guarded((db) => this.#of(db).all(...args))
  }

  run(...args: Args<P>): Database.RunResult {
    return this.#file.guarded((db) => this.#of(db).run(...args))
  }

  /** Reads row by row, only inside a transaction: there is no return to the first row. */
  iterate(...args: Args<P>): IterableIterator<R> {
    return this.#file.guarded((db) => this.#of(db).iterate(...args))
  }

  #of(db: Db): Database.Statement<unknown[], R> {
    const statement = db.prepare<unknown[], R>(this.#sql)
    if (this.#shape === 'row') return statement
    return this.#shape === 'pluck' ? statement.pluck() : statement.raw()
  }
}

export const MIGRATIONS = join(import.meta.dirname, 'migrations')
const AUTO_VACUUM_INCREMENTAL = 2

export interface HistoryFileOptions {
  readonly file: string
  readonly clock: Clock
  readonly log: Log
  readonly bytesMax: number
  /** Checkpoints the log in another thread; by default SQLite does it during commits. */
  readonly checkpoint?: Checkpoint | undefined
}

/** @throws as `openFile`, and reports damage only for a readable file */
export function confirmedOpen(options: HistoryFileOptions): Db {
  try {
    return openFile(options)
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  readThrough(options.file)
  return openFile(options)
}

/** @throws SQLite's own error, or NewerDatabase */
export function openFile({ file, bytesMax }: HistoryFileOptions): Db {
  if (!pathExists(file)) prepareNewFile(file)
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
 * Only a file prepared for it can return space in small steps. The setting must precede its first table and its
 * write-ahead log.
 */
function prepareNewFile(file: string): void {
  const db = new Database(file)
  try {
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
    const got = db.pragma('auto_vacuum', { simple: true })
    if (got !== AUTO_VACUUM_INCREMENTAL) throw new Error(`SQLite uses auto_vacuum=${String(got)}.`)
  } finally {
    db.close()
  }
}
