import { copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, pathExists, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'

/** Folders for a copy: temporary files, or memory on Linux. */
const ELSEWHERE: readonly string[] = [tmpdir(), '/dev/shm']
/** Size of a start's writes before it serves. */
const PROBE_BYTES = 256 * 1024
const ELSEWHERE_NAME = 'hm-gateway-'

/** Copies the configuration to a folder with room; null if there is none. */
export function copyElsewhere(file: string, home: string): string | null {
  for (const place of ELSEWHERE) {
    let folder: string | null = null
    try {
      folder = mkdtempSync(join(place, `${ELSEWHERE_NAME}${home}-`))
      for (const part of [file, `${file}-wal`]) if (pathExists(part)) copyFileSync(part, join(folder, basename(part)))
      return folder
    } catch (error) {
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
      if (!isStorageFailure(error) && errorCode(error) !== 'ENOENT' && errorCode(error) !== 'EACCES') throw error
    }
  }
  return null
}

/** Removes copies that killed gateways of this home left. A start never fails because of them. */
export function removeCopiesElsewhere(home: string, log: Log): void {
  for (const left of ELSEWHERE.flatMap((place) => leftoversIn(place, home)))
    try {
      rmSync(left, { recursive: true, force: true })
    } catch (error) {
      log.warn({ err: error, left }, 'A leftover copy of the configuration could not be removed.')
    }
}

/** In a world-writable place other users may have folders with such names. This gateway must not remove those. */
function leftoversIn(place: string, home: string): readonly string[] {
  try {
    const names = readdirSync(place).filter((name) => name.startsWith(`${ELSEWHERE_NAME}${home}-`))
    return names.map((name) => join(place, name)).filter(isOwnFolder)
  } catch {
    return []
  }
}

function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === process.geteuid?.()
}

/** True if the disk accepts changes of the configuration. Tests the file itself, and the free space next to it. */
export function isWritable(file: string): boolean {
  const probe = `${file}.probe`
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES, 1), { flush: true, mode: PRIVATE_FILE_MODE })
    // No waiting for a lock: the process would block meanwhile.
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
    removeQuietly(probe)
  }
}

/** A read-only disk has no leftover, and allows no removal. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {}
}
