import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { type Clock, every } from '../../lib/clock.ts'
import { errorCode } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../storage-failure.ts'
import { CoreDb } from './core-db.ts'

/** A store that must not be served: the message says what is wrong and what to do. */
export class CoreDamaged extends Error {}

export interface CoreFiles {
  readonly file: string
  readonly backups: string
  /** The serial that the data folder says it belongs to, or null for a folder that is new. */
  readonly home: string | null
  readonly clock: Clock
  readonly log: Log
}

/**
 * Offset of the file format's write version, and the versions that SQLite can write: 1 is a rollback
 * journal, 2 a write-ahead log.
 */
const WRITE_FORMAT_AT = 18
const FORMATS: readonly number[] = [1, 2]

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm'

/** Copies of the configuration kept beside it, one a day. */
const BACKUPS_KEPT = 3
const BACKUP_EVERY_MS = 24 * 60 * 60_000

/**
 * Opens core.db. A database that is damaged, missing or empty where a home is known is never taken for a new home: the
 * newest good copy takes its place, and where there is none the gateway does not start (CoreDamaged).
 */
export function openCore(files: CoreFiles): CoreDb {
  try {
    return openWritable(files)
  } catch (error) {
    if (files.home === null || !isStorageFailure(error)) throw error
    return openUnwritable(files, error)
  }
}

/** Where the disk takes no writes, a copy elsewhere is served, which takes no changes. */
function openUnwritable({ file, log }: CoreFiles, error: unknown): CoreDb {
  const folder = copiedElsewhere(file)
  if (folder === null)
    throw new CoreDamaged(
      `The disk takes no writes, and there is no room in memory or for temporary files to serve ${file} from: make room, or mend the disk.`,
    )
  const core = new CoreDb(join(folder, basename(file)), {
    takesNoChanges: error,
    closed: () => rmSync(folder, { recursive: true, force: true }),
  })
  log.error(
    { err: error, file },
    'The disk takes no writes: this home is served as it is, and changes are refused until a start with a disk that does.',
  )
  return core
}

/** Copies the configuration to where there is room; null where there is none. */
function copiedElsewhere(file: string): string | null {
  for (const place of [tmpdir(), IN_MEMORY]) {
    let folder: string | null = null
    try {
      folder = mkdtempSync(join(place, 'hm-gateway-'))
      for (const part of [file, `${file}-wal`]) if (existsSync(part)) copyFileSync(part, join(folder, basename(part)))
      return folder
    } catch (error) {
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
      if (!isStorageFailure(error) && errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error
    }
  }
  return null
}

function openWritable(files: CoreFiles): CoreDb {
  const opened = whatIsWrong(files.file, files.home) ?? openSound(files.file)
  if (opened instanceof CoreDb) return opened
  const wrong = opened
  const copy = newestGoodCopy(files)
  if (!copy) {
    throw new CoreDamaged(
      `The configuration ${files.file} is not usable (${wrong}) and there is no good copy in ${files.backups}. Put a backup in its place (bin/hm backup made it), or remove the data folder to begin anew.`,
    )
  }
  const aside = putAside(files.file, files.clock.now())
  copyFileSync(copy, files.file)
  files.log.error({ wrong, copy, aside }, 'The configuration was not usable: the newest good copy took its place.')
  return new CoreDb(files.file)
}

/** The opened database, or, where its tables are not those of the version that it names, a sentence that says so. */
function openSound(file: string): CoreDb | string {
  try {
    return new CoreDb(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!/^SQLITE_(?:ERROR|CORRUPT|NOTADB)/.test(code)) throw error
    return `its tables are not those of its version: ${error instanceof Error ? error.message : code}`
  }
}

/** Keeps the last days' copies of the configuration; the returned function stops that. */
export function keepCopies(core: CoreDb, files: CoreFiles): () => void {
  const copy = (): void => {
    makeCopy(core, files).catch((error: unknown) =>
      files.log.error({ err: error }, 'The daily copy of the configuration could not be made.'),
    )
  }
  const newest = copiesOf(files.backups)[0]
  if (newest === undefined || files.clock.now() - statSync(newest).mtimeMs > BACKUP_EVERY_MS) copy()
  return every(files.clock, BACKUP_EVERY_MS, copy)
}

async function makeCopy(core: CoreDb, files: CoreFiles): Promise<void> {
  mkdirSync(files.backups, { recursive: true, mode: 0o700 })
  const name = `core-${new Date(files.clock.now()).toISOString().replaceAll(':', '-')}.db`
  const fresh = join(files.backups, `${name}.new`)
  rmSync(fresh, { force: true })
  await core.backup(fresh)
  if (!isHealthy(fresh)) throw new Error('the copy is not healthy')
  renameSync(fresh, join(files.backups, name))
  for (const old of copiesOf(files.backups).slice(BACKUPS_KEPT)) rmSync(old, { force: true })
}

/** Newest first: the name carries the time. */
function copiesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^core-.+\.db$/.test(name))
    .toSorted()
    .toReversed()
    .map((name) => join(folder, name))
}

function newestGoodCopy(files: CoreFiles): string | undefined {
  return copiesOf(files.backups).find((copy) => whatIsWrong(copy, files.home) === null)
}

function whatIsWrong(file: string, home: string | null): string | null {
  const empty = !existsSync(file) || statSync(file).size === 0
  if (empty) return home === null ? null : 'it is missing or empty, though this data folder belongs to a home'
  if (!isHealthy(file)) return 'it is damaged'
  const serial = serialIn(file)
  if (home !== null && serial === null) return 'it holds no home, though this data folder belongs to one'
  if (home !== null && serial !== home) return `it belongs to the home ${String(serial)}, the data folder to ${home}`
  return null
}

function isHealthy(file: string): boolean {
  return (
    FORMATS.includes(writeFormat(file)) &&
    looked(file, (db) => db.pragma('quick_check', { simple: true }) === 'ok') === true
  )
}

/** SQLite opens a file of an unknown format read-only and reports no error, so the format bytes are checked here. */
function writeFormat(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const byte = Buffer.alloc(1)
    readSync(descriptor, byte, 0, 1, WRITE_FORMAT_AT)
    return byte.readUInt8()
  } finally {
    closeSync(descriptor)
  }
}

function serialIn(file: string): string | null {
  return looked(file, (db) => db.prepare<[], string>('SELECT serial FROM home').pluck().get() ?? null) ?? null
}

/** Null where the file cannot be read as a database. */
function looked<T>(file: string, look: (db: Database.Database) => T): T | null {
  let db: Database.Database | undefined
  try {
    db = new Database(file)
    return look(db)
  } catch (error) {
    if (isStorageFailure(error)) throw error
    return null
  } finally {
    db?.close()
  }
}

function putAside(file: string, at: number): string | null {
  if (!existsSync(file)) return null
  const aside = `${file}.unusable-${new Date(at).toISOString().replaceAll(':', '-')}`
  renameSync(file, aside)
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
  return aside
}
