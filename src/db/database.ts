import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'

export type Db = Database.Database

/**
 * `full`: an acknowledged change survives a power cut. `normal`: a power cut may lose the last commits, but the file
 * stays sound.
 */
export type Durability = 'full' | 'normal'

/** Database files contain names, habits and hashes of secrets, so only the gateway's own user may read them. */
const PRIVATE_MODE = 0o600
/** The process blocks meanwhile, so it soon reports a lock of another process instead. */
const BUSY_WAIT_MS = 100
/** The next checkpoint truncates a write-ahead log above this size. */
const WAL_BYTES_MAX = 16 * 1024 * 1024

/** The combined result of a folder's migrations, for new files. */
export const SCHEMA = 'schema.sql'

/** Many more than the stores use: SQL texts that change each time would fill the memory otherwise. */
const STATEMENTS_MAX = 1_000

type Form = 'row' | 'pluck' | 'raw'

/** A connection that compiles each SQL text once for each form of its rows. */
class Connection extends Database {
  /** By text: joining a key for each look-up would cost more than the look-up. */
  readonly #statements: Readonly<Record<Form, Map<string, Database.Statement>>> = {
    row: new Map(),
    pluck: new Map(),
    raw: new Map(),
  }

  override prepare = ((sql: string) => this.#compile(sql, 'row')) as Db['prepare']

  #compile(sql: string, form: Form): Database.Statement {
    const statements = this.#statements[form]
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= STATEMENTS_MAX) statements.clear()
    const made = super.prepare(sql)
    // A form cannot be unset, so each form has its own statement.
    if (form !== 'row') made[form]()
    else Object.assign(made, { pluck: () => this.#compile(sql, 'pluck'), raw: () => this.#compile(sql, 'raw') })
    statements.set(sql, made)
    return made
  }
}

/** Runs writes in one transaction. */
export type Transaction = <T>(run: () => T) => T

/**
 * The transactions of a connection, created once per connection because better-sqlite3 makes several functions for
 * each.
 */
export function transactionOf(db: Db): Transaction {
  const transaction = db.transaction((run: () => unknown) => run())
  return <T>(run: () => T): T => transaction.immediate(run) as T
}

/** The file comes from a later version of the program and stays unchanged. The message says what to do. */
export class NewerDatabase extends Error {}

/**
 * Opens a database file with the settings of every connection and applies the numbered SQL files in `migrations`. A new
 * file gets the tables of `schema.sql`. @throws if the file is damaged, or comes from a newer version
 */
export function openDatabase(file: string, durability: Durability, migrations: string): Db {
  const db = new Connection(file)
  try {
    // The write-ahead log gets the mode of the file.
    if (file !== ':memory:') chmodSync(file, PRIVATE_MODE)
    db.pragma('journal_mode = WAL')
    // better-sqlite3 defaults to NORMAL with WAL, so every connection must request FULL.
    db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    db.pragma('foreign_keys = ON')
    // SQLite's default; better-sqlite3 would keep 16 MiB for each file, beside the cache of the system.
    db.pragma('cache_size = -2000')
    db.pragma(`busy_timeout = ${BUSY_WAIT_MS}`)
    db.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`)
    const got = db.pragma('synchronous', { simple: true })
    if (got !== (durability === 'full' ? 2 : 1))
      throw new Error(`SQLite uses synchronous=${String(got)} instead of ${durability}.`)
    migrate(db, migrations)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function migrate(db: Db, folder: string): void {
  const files = migrationsOf(folder)
  const newest = files.length
  const current = Number(db.pragma('user_version', { simple: true }))
  if (current > newest) {
    throw new NewerDatabase(
      `The database ${db.name} is of version ${current}, but this program knows only ${newest}: use a newer hm-gateway, or run \`bin/hm rollback\`, which restores the backup from before the update.`,
    )
  }
  const schema = join(folder, SCHEMA)
  if (current === 0 && existsSync(schema)) return step(db, schema, newest)
  for (const [index, file] of files.entries()) if (index >= current) step(db, file, index + 1)
}

/** The numbered SQL files of a folder, in order. */
export function migrationsOf(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .toSorted()
  for (const [index, name] of names.entries())
    if (Number(name.slice(0, 3)) !== index + 1) throw new Error(`Migration ${name} is out of order.`)
  return names.map((name) => join(folder, name))
}

/** Migration state of a database. */
export interface MigrationState {
  /** Number of applied migrations. */
  readonly version: number
  /** Name of the last migration. */
  readonly step: string
}

export function migrationStateOf(db: Db, folder: string): MigrationState {
  const version = Number(db.pragma('user_version', { simple: true }))
  const file = migrationsOf(folder)[version - 1] ?? ''
  return { version, step: basename(file, '.sql').replace(/^\d+-/, '') }
}

function step(db: Db, file: string, version: number): void {
  db.transaction(() => {
    db.exec(readFileSync(file, 'utf8'))
    db.pragma(`user_version = ${version}`)
  }).immediate()
}

/** The SQL with the combined result of a folder's migrations: the text of its `schema.sql`. */
export function schemaOf(migrations: string): string {
  const db = new Database(':memory:')
  try {
    for (const file of migrationsOf(migrations)) db.exec(readFileSync(file, 'utf8'))
    const made = db
      .prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'`)
      .pluck()
      .all()
    return `-- Made of the migrations by npm run docs:generate.\n\n${made.map((sql) => `${sql};\n`).join('\n')}`
  } finally {
    db.close()
  }
}

/** Number of migrations of each database in this program. */
export const NEWEST_SCHEMAS: { readonly core: number; readonly history: number } = {
  core: migrationsOf(join(import.meta.dirname, 'core', 'migrations')).length,
  history: migrationsOf(join(import.meta.dirname, 'history', 'migrations')).length,
}

/**
 * Parses a JSON cell that this program wrote; returns `otherwise` if the cell is damaged. The next start finds and
 * reports damage of the configuration (src/db/core/core-rows.ts); until then requests continue.
 */
export function readCell<T>(text: string, otherwise: T, is: (value: unknown) => boolean = () => true): T {
  try {
    const value: unknown = JSON.parse(text)
    return is(value) ? (value as T) : otherwise
  } catch {
    return otherwise
  }
}
