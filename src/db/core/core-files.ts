import { copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, isThere, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import type { CoreDb } from './core-db.ts'
import { putRightBit } from './flipped-bit.ts'
import { putRightLogBit } from './flipped-log-bit.ts'
import { goOnFrom, lastOf } from './numbers.ts'
import { CoreDamaged, restoredCopy } from './restored-copy.ts'
import { type CoreFiles, openSound } from './sound-core.ts'

/** Where a copy is served from: where temporary files are kept, or, on Linux, memory. */
const ELSEWHERE: readonly string[] = [tmpdir(), '/dev/shm']
/** As much as a start writes before it serves. */
const PROBE_BYTES = 256 * 1024
const ELSEWHERE_NAME = 'hm-gateway-'

/**
 * Opens core.db. Each start checks every page, index and row. A database that is damaged, missing or empty where a home
 * is known is never taken for a new home: the newest sound copy takes its place as a whole, and where there is none the
 * gateway does not start (CoreDamaged). The incidents say what happened.
 */
export function openCore(files: CoreFiles): CoreDb {
  if (files.home !== null) removeLeft(files.home, files.log)
  try {
    return opened(files)
  } catch (error) {
    if (files.home === null || !isStorageFailure(error) || isDamaged(error)) throw error
    return openUnwritable(files, files.home, error)
  }
}

function opened(files: CoreFiles): CoreDb {
  const core = openSoundOrCopy(files)
  try {
    keepRevoked(core, files)
    files.revisions.known(core.db)
    return core
  } catch (error) {
    core.close()
    throw error
  }
}

/** Where the disk takes no writes, a copy elsewhere is served, which takes no changes. */
function openUnwritable(files: CoreFiles, home: string, error: unknown): CoreDb {
  const { file, log } = files
  const folder = copiedElsewhere(file, home)
  if (folder === null)
    throw new CoreDamaged(
      `The disk takes no writes, and there is no room in memory or for temporary files to serve ${file} from: make room, or mend the disk.`,
    )
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const { syncFile: _, checkpoint: __, ...rest } = files
  try {
    const core = opened({ ...rest, file: join(folder, basename(file)), takesNoChanges: error, closed: remove })
    log.error(
      { err: error, file },
      'The disk takes no writes: this home is served as it is, and changes are refused. Once it does, the gateway starts anew.',
    )
    return core
  } catch (failure) {
    remove()
    throw failure
  }
}

/** Copies the configuration to where there is room; null where there is none. */
function copiedElsewhere(file: string, home: string): string | null {
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
function removeLeft(home: string, log: Log): void {
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

/** Opens the file where it is sound, else the newest sound copy in its place. */
function openSoundOrCopy(files: CoreFiles): CoreDb {
  const opened = files.wrong ?? openSound(files.file, files)
  return typeof opened === 'string' ? restoredCopy(files, opened) : opened
}

/**
 * Puts right a bit that flipped at rest, in the file or its log, before anything reads it. Answers what is wrong with a
 * log that cannot be put right, in words that follow the name of the file; null where nothing is. A disk that takes no
 * writes keeps the bit: the checks then find it, or it is harmless.
 */
export function putRightBits(file: string, log: Log): string | null {
  try {
    const bit = putRightBit(file)
    const state = putRightLogBit(file)
    if (bit !== null || state === 'put right')
      log.warn({ file, bit, log: state }, 'One bit of the configuration had flipped and was put right: check the disk.')
    return state === 'damaged' ? 'its log is damaged' : null
  } catch (error) {
    log.warn({ err: error, file }, 'The digests of the configuration could not be compared.')
    return null
  }
}

/** What ended before a copy took the place of the configuration does not come back with it. */
function keepRevoked(core: CoreDb, { revocations, clock, log }: CoreFiles): void {
  const ended = core.db
    .transaction(() => {
      const count = revocations.apply(core.db, clock.now())
      // Nobody is told, so no incident counts it: the number alone brings it into a copy.
      if (count > 0) goOnFrom(core.db, 'incidents', lastOf(core.db, 'incidents') + 1)
      return count
    })
    .immediate()
  if (ended > 0) log.warn({ credentials: ended }, 'Credentials that the configuration had as active stay revoked.')
}
