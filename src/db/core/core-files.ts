import { copyFileSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, isThere, PRIVATE_FILE_MODE } from '../../lib/files.ts'
import type { Log } from '../../lib/log.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import { confirmed } from '../readable.ts'
import type { CellForms } from './cell.ts'
import type { Checkpoint } from '../write-ahead-log.ts'
import { CoreDb } from './core-db.ts'
import { copiesIn, copiesOf, type CopyFiles } from './core-copies.ts'
import { SqliteIncidents } from './incident-store.ts'
import { damagedCells, mend } from './mending.ts'
import { goOnFrom, lastOf } from './numbers.ts'
import { hasItsReferences, mendReferences } from './references.ts'
import type { RevisionMark } from './revision-mark.ts'
import type { Revocations } from './revocations.ts'
import { isHealthy, looked } from './sound-file.ts'

/** A store that must not be served: the message says what is wrong and what to do. */
export class CoreDamaged extends Error {}

export interface CoreFiles extends CopyFiles {
  /** core.db itself. */
  readonly file: string
  /** The serial that the data folder says it belongs to, or null for a folder that is new. */
  readonly home: string | null
  readonly revocations: Revocations
  readonly revisions: RevisionMark
  readonly forms: CellForms
  /** Makes what was written to a file outlive a power cut; the system's unless given. */
  readonly syncFile?: ((file: string) => Promise<void>) | undefined
  /** Keeps its log short elsewhere; SQLite does it in the midst of a commit unless given. */
  readonly checkpoint?: Checkpoint | undefined
}

/** Where a copy is served from: where temporary files are kept, or, on Linux, memory. */
const ELSEWHERE: readonly string[] = [tmpdir(), '/dev/shm']
/** As much as a start writes before it serves. */
const PROBE_BYTES = 256 * 1024
const ELSEWHERE_NAME = 'hm-gateway-'

/**
 * Opens core.db. A database that is damaged, missing or empty where a home is known is never taken for a new home: the
 * newest good copy takes its place, and where there is none the gateway does not start (CoreDamaged). Single rows that
 * are damaged are mended or taken out. What befell it is among the incidents.
 */
export function openCore(files: CoreFiles): CoreDb {
  if (files.home !== null) removeLeft(files.home, files.log)
  try {
    return mended(openWritable(files), files)
  } catch (error) {
    if (files.home === null || !isStorageFailure(error) || isDamaged(error)) throw error
    return mended(openUnwritable(files, files.home, error), files)
  }
}

function mended(core: CoreDb, files: CoreFiles): CoreDb {
  try {
    mendRows(core, files)
    keepRevoked(core, files)
    files.revisions.known(core.db)
    return core
  } catch (error) {
    core.close()
    throw error
  }
}

/** Where the disk takes no writes, a copy elsewhere is served, which takes no changes. */
function openUnwritable({ file, log }: CoreFiles, home: string, error: unknown): CoreDb {
  const folder = copiedElsewhere(file, home)
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
    'The disk takes no writes: this home is served as it is, and changes are refused. Once it does, the gateway starts anew.',
  )
  return core
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

function openWritable(files: CoreFiles): CoreDb {
  const opened =
    whatIsWrong(files.file, files.home) ??
    confirmed(
      files.file,
      () => openSound(files),
      (found) => typeof found === 'string',
    )
  return opened instanceof CoreDb ? opened : restored(files, opened)
}

/** The newest good copy in the place of a configuration that is not usable. */
function restored(files: CoreFiles, wrong: string): CoreDb {
  const copy = copiesOf(files.backups).find((each) => whatIsWrong(each, files.home) === null)
  if (!copy) {
    throw new CoreDamaged(
      `The configuration ${files.file} is not usable (${wrong}) and there is no good copy in ${files.backups}. Put a backup in its place (bin/hm backup made it), or remove the data folder to begin anew.`,
    )
  }
  const at = files.clock.now()
  const aside = putAside(files.file, at)
  copyFileSync(copy, files.file)
  files.log.error({ wrong, copy, aside }, 'The configuration was not usable: the newest good copy took its place.')
  const core = new CoreDb(files.file, { ...files, isRestored: true })
  new SqliteIncidents(core).add(
    at,
    `The configuration was not usable (${wrong}): the copy ${basename(copy)} took its place. What was changed after it is lost; keys that were revoked stay so.`,
  )
  return core
}

/** The opened database, or, where its tables are not those of the version that it names, a sentence that says so. */
function openSound(files: CoreFiles): CoreDb | string {
  try {
    return new CoreDb(files.file, files)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!/^SQLITE_(?:ERROR|CORRUPT|NOTADB)/.test(code)) throw error
    return `its tables are not those of its version: ${error instanceof Error ? error.message : code}`
  }
}

/** Rows with a damaged cell; the whole file is kept beside as it was. */
function mendRows(core: CoreDb, { file, backups, forms, clock, log }: CoreFiles): void {
  const damaged = damagedCells(core.db, forms)
  if (damaged.length === 0 && hasItsReferences(core.db)) return
  const at = clock.now()
  const aside = core.takesNoChanges ? null : copiedAside(core, file, at)
  const incidents = new SqliteIncidents(core)
  const told = core.db
    .transaction(() => {
      const sentences = [...mend(core.db, damaged, { copies: copiesIn(backups), forms }), ...mendReferences(core.db)]
      for (const each of sentences) incidents.add(at, each)
      return sentences
    })
    .immediate()
  for (const each of told) log.error({ aside }, each)
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

const besideNamed = (file: string, why: string, at: number): string =>
  `${file}.${why}-${new Date(at).toISOString().replaceAll(':', '-')}`

function copiedAside(core: CoreDb, file: string, at: number): string {
  const aside = besideNamed(file, 'damaged', at)
  core.db.pragma('wal_checkpoint(TRUNCATE)')
  copyFileSync(file, aside)
  return aside
}

function putAside(file: string, at: number): string | null {
  if (!isThere(file)) return null
  const aside = besideNamed(file, 'unusable', at)
  renameSync(file, aside)
  for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true })
  return aside
}
