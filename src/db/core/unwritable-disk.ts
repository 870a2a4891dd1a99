import { copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, isThere, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** Where a copy is served from: where temporary files are kept, or, on Linux, memory. */
const ELSEWHERE: readonly string[] = [tmpdir(), '/dev/shm']
/** As much as a start writes before it serves. */
const PROBE_BYTES = 256 * 1024
const ELSEWHERE_NAME = 'hm-gateway-'

/** Copies the configuration to where there is room; null where there is none. */
export function copiedElsewhere(file: string, home: string): string | null {
  for (const place of ELSEWHERE) {
    let folder: string | null = null
    try {
      folder = mkdtempSync(join(place, `${ELSEWHERE_NAME}${home}-`))
      for (const part of [file, `${file}-wal`]) if (isThere(part)) copyFileSync(part, join(folder, basename(part)))
      return folder
    } catch (error) {
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
      if (!isStorageFailure(error) && errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error
    }
  }
  return null
}

/** Copies that a gateway of this home left which was killed; no start fails for what cannot be removed. */
export function removeCopiesElsewhere(home: string, log: Log): void {
  for (const left of ELSEWHERE.flatMap((place) => leftIn(place, home)))
    try {
      rmSync(left, { recursive: true, force: true })
    } catch (error) {
      log.warn({ err: error, left }, 'A copy of the configuration that an earlier start left could not be removed.')
    }
}

/** Where all may write, others may have made folders of such names: those are not this gateway's to remove. */
function leftIn(place: string, home: string): readonly string[] {
  try {
    const names = readdirSync(place).filter((each) => each.startsWith(`${ELSEWHERE_NAME}${home}-`))
    return names.map((name) => join(place, name)).filter(isOwnFolder)
  } catch {
    return []
  }
}

function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.geteuid?.()
}

/** Whether the disk takes changes of the configuration. Looks at the file itself, and at the room beside it. */
export function takesWrites(file: string): boolean {
  const beside = `${file}.probe`
  try {
    writeFileSync(beside, Buffer.alloc(PROBE_BYTES, 1), { flush: true, mode: PRIVATE_FILE_MODE })
    // Whoever holds the lock is not waited for: everything would stand still meanwhile.
    const db = new Database(file, { timeout: 0 })
    try {
      db.exec('BEGIN IMMEDIATE; ROLLBACK')
    } finally {
      db.close()
    }
    return true
  } catch {
    return false
  } finally {
    removeQuietly(beside)
  }
}

/** On a disk that is read-only there is nothing to remove, and no way. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {}
}
