import { closeSync, openSync, readSync } from 'node:fs'
import Database from 'better-sqlite3'
import { pathExists } from '../lib/files.ts'
import { isDamaged, isStorageFailure } from '../lib/storage-failure.ts'

/**
 * Offset of the file format's write version, and the versions that SQLite can write: 1 is a rollback journal, 2 a
 * write-ahead log.
 */
const WRITE_FORMAT_AT = 18
const FORMATS: readonly number[] = [1, 2]

/** True if SQLite and `also` find the database sound. */
export function isHealthy(file: string, also: (db: Database.Database) => boolean = () => true): boolean {
  return (
    FORMATS.includes(writeFormat(file)) &&
    readDatabase(file, (db) => db.pragma('integrity_check', { simple: true }) === 'ok' && also(db)) === true
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

/** Returns the result of `look`; null if the file cannot be read as a database. */
export function readDatabase<T>(file: string, look: (db: Database.Database) => T): T | null {
  let db: Database.Database | undefined
  try {
    db = new Database(file)
    return look(db)
  } catch (error) {
    if (isStorageFailure(error) && !isDamaged(error)) throw error
    return null
  } finally {
    db?.close()
  }
}

const CHUNK_BYTES = 1024 * 1024
/** Reading blocks the event loop, so only this much of a long file is read. */
const READ_BYTES_MAX = 256 * CHUNK_BYTES

/**
 * Judges a database again before it counts as damaged, because SQLite reports a failed read as damage too. @throws the
 * file system's own error if the file or its log cannot be read: then the disk fails, and the file may be sound
 */
export function confirmVerdict<T>(file: string, judge: () => T, isBad: (verdict: T) => boolean): T {
  const verdict = judge()
  if (!isBad(verdict)) return verdict
  readThrough(file)
  return judge()
}

/** Reads a database and its log. @throws the file system's own error. */
export function readThrough(file: string): void {
  for (const part of [file, `${file}-wal`]) if (pathExists(part)) readAll(part)
}

function readAll(file: string): void {
  const handle = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let read = 0
    for (let got = 1; got > 0 && read < READ_BYTES_MAX; read += got) got = readSync(handle, chunk, 0, CHUNK_BYTES, null)
  } finally {
    closeSync(handle)
  }
}
