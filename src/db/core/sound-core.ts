import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isThere } from '../../lib/files.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import { confirmed } from '../readable.ts'
import { type Db, NewerDatabase, SCHEMA } from '../database.ts'
import type { CopyFiles } from './core-copies.ts'
import { CoreDb, type CoreDbOptions, MIGRATIONS } from './core-db.ts'
import { openSeal } from './flipped-bit.ts'
import { refusedRow } from './core-rows.ts'
import type { NarrowedAccess } from './narrowed-access.ts'
import type { RevisionMark } from './revision-mark.ts'
import type { Revocations } from './revocations.ts'
import { isHealthy, looked } from './sound-file.ts'

export interface CoreFiles extends CopyFiles, Omit<CoreDbOptions, 'isRestored'> {
  /** core.db itself. */
  readonly file: string
  /** The serial that the data folder says it belongs to, or null for a folder that is new. */
  readonly home: string | null
  readonly revocations: Revocations
  readonly revisions: RevisionMark
  readonly narrowed: NarrowedAccess
  /** What is known to be wrong with the file, in words that follow its name. */
  readonly wrong?: string | null
}

/** The opened database, with its tables brought up to date; or why it is not sound, in words that follow its name. */
export function openSound(file: string, options: CoreDbOptions & Pick<CoreFiles, 'home' | 'forms'>): CoreDb | string {
  return (
    whatIsWrong(file, options.home) ??
    confirmed(
      file,
      () => opened(file, options),
      (found) => typeof found === 'string',
    )
  )
}

function opened(file: string, options: CoreDbOptions & Pick<CoreFiles, 'forms'>): CoreDb | string {
  let core: CoreDb | null = null
  try {
    if (options.checkpoint !== undefined) openSeal(file)
    core = new CoreDb(file, options)
    prepareWrites(core.db)
    const refused = refusedRow(core.db, options.forms)
    if (refused === null) return core
    core.close()
    return refused
  } catch (error) {
    core?.db.close()
    if (error instanceof NewerDatabase || (isStorageFailure(error) && !isDamaged(error))) throw error
    return `its tables are not those of its version: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Compiles every kind of write to every column that the tables of this version have, and the triggers with it, without
 * a change. Throws where the text of a table or trigger is damaged: no read compiles a trigger.
 */
function prepareWrites(db: Db): void {
  const own = new Database(':memory:')
  try {
    own.exec(readFileSync(join(MIGRATIONS, SCHEMA), 'utf8'))
    const tables = own
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`)
      .pluck()
    const columns = own.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
    for (const table of tables.all()) {
      const names = columns.all(table).map((name) => `"${name}"`)
      db.exec(`EXPLAIN INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => 'NULL').join()})`)
      db.exec(`EXPLAIN UPDATE "${table}" SET ${names.map((name) => `${name} = NULL`).join()}`)
      db.exec(`EXPLAIN DELETE FROM "${table}"`)
    }
  } finally {
    own.close()
  }
}

/** Why a file is not the configuration of this home, in words that follow its name; null where it is. */
export function whatIsWrong(file: string, home: string | null): string | null {
  return confirmed(
    file,
    () => judged(file, home),
    (wrong) => wrong !== null,
  )
}

function judged(file: string, home: string | null): string | null {
  const empty = !isThere(file) || statSync(file).size === 0
  if (empty) return home === null ? null : 'it is missing or empty, though this data folder belongs to a home'
  if (!isHealthy(file)) return 'it is damaged'
  const serial = serialIn(file)
  if (home !== null && serial === null) return 'it holds no home, though this data folder belongs to one'
  if (home !== null && serial !== home) return `it belongs to the home ${String(serial)}, the data folder to ${home}`
  return null
}

function serialIn(file: string): string | null {
  return looked(file, (db) => db.prepare<[], string>('SELECT serial FROM home').pluck().get() ?? null) ?? null
}
