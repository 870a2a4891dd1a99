import { copyFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { errorCode, pathExists, removeLeftover, syncFolderNow } from '../../lib/files.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import { type Db, NewerDatabase, SCHEMA } from '../database.ts'
import { confirmVerdict, isHealthy, readDatabase } from '../sound-file.ts'
import { endPendingWork } from './at-rest.ts'
import { type CopyFiles, copiesOf, lastNumberIn, copyTimeOf } from './core-copies.ts'
import { CoreDb, type CoreDbOptions, MIGRATIONS } from './core-db.ts'
import { refusedRow } from './core-rows.ts'
import { SqliteIncidents } from './incident-store.ts'
import type { NarrowedAccess } from './narrowed-access.ts'
import { continueFrom, lastNumberOf } from './numbers.ts'
import { raiseRevisions, type RevisionMark } from './revision-mark.ts'
import type { Revocations } from './revocations.ts'
import { type StateAtStart, seal } from './seal.ts'
import { copyElsewhere, removeCopiesElsewhere } from './unwritable-disk.ts'

export interface CoreFiles extends CopyFiles, Omit<CoreDbOptions, 'isRestored'> {
  /** core.db itself. */
  readonly file: string
  /** The home id of the data folder, or null for a new folder. */
  readonly home: string | null
  readonly revocations: Revocations
  readonly revisions: RevisionMark
  readonly narrowed: NarrowedAccess
  /** State of the file at the start; default: sound. */
  readonly atRest?: StateAtStart
}

/** An unusable configuration. The message names the damage and the remedy. */
export class CoreDamaged extends Error {}

/**
 * Opens core.db. Each start checks every page, index and row. A database that is damaged, missing or empty where a home
 * is known never counts as a new home. The newest sound copy replaces it as a whole. Without one the gateway does not
 * start (CoreDamaged). The incidents say what happened.
 */
export function openCore(files: CoreFiles): CoreDb {
  if (files.home !== null) removeCopiesElsewhere(files.home, files.log)
  try {
    return openFile(files)
  } catch (error) {
    if (files.home === null || !isStorageFailure(error) || isDamaged(error)) throw error
    return openUnwritable(files, files.home, error)
  }
}

function openFile(files: CoreFiles): CoreDb {
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

/** On an unwritable disk, serves a read-only copy from elsewhere. */
function openUnwritable(files: CoreFiles, home: string, error: unknown): CoreDb {
  const { file, log } = files
  const folder = copyElsewhere(file, home)
  if (folder === null)
    throw new CoreDamaged(
      `The disk accepts no writes, and neither memory nor the folder of temporary files has room for a copy of ${file}: free space, or repair the disk.`,
    )
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const { syncFile: _, checkpoint: __, ...rest } = files
  try {
    const core = openFile({ ...rest, file: join(folder, basename(file)), takesNoChanges: error, closed: remove })
    log.error(
      { err: error, file },
      'The disk accepts no writes: this home is served as it is, and changes are refused. The gateway restarts once the disk accepts writes.',
    )
    return core
  } catch (failure) {
    remove()
    throw failure
  }
}

/** Opens a sound file, or else replaces it by the newest sound copy. */
function openSoundOrCopy(files: CoreFiles): CoreDb {
  const { atRest: found = { hasLog: false, isSealBroken: false }, file, backups } = files
  const opened = found.isSealBroken ? 'the disk changed it while no gateway ran' : openSound(file, files)
  if (typeof opened === 'string') return damaged(files, opened)
  // SQLite silently ends a log at its damage. A copy may have later changes.
  const own = lastNumberOf(opened.db, 'activity_outbox')
  if (!found.hasLog || !copiesOf(backups).some((copy) => lastNumberIn(copy, 'activity_outbox') > own)) return opened
  opened.close()
  return restoredCopy(files, { damage: 'its log is damaged', newerThan: own }) ?? new CoreDb(file, files)
}

function damaged(files: CoreFiles, wrong: string): CoreDb {
  const { file, backups } = files
  const restored = restoredCopy(files, { damage: wrong, newerThan: -1 })
  if (restored !== null) return restored
  throw new CoreDamaged(
    `The configuration ${file} is not usable (${wrong}) and there is no good copy in ${backups}. Restore a backup (bin/hm restore FILE), or remove the data folder to start again.`,
  )
}

/** Opens the database and migrates it; returns the damage instead, in words that follow its name. */
function openSound(file: string, options: CoreDbOptions & Pick<CoreFiles, 'home'>): CoreDb | string {
  return (
    damageOf(file, options.home) ??
    confirmVerdict(
      file,
      () => openedChecked(file, options),
      (found) => typeof found === 'string',
    )
  )
}

function openedChecked(file: string, options: CoreDbOptions): CoreDb | string {
  let core: CoreDb | null = null
  try {
    if (options.checkpoint !== undefined) seal(file)
    core = new CoreDb(file, options)
    prepareWrites(core.db)
    const refused = refusedRow(core.db)
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
 * Compiles every kind of write to every column of this version, with its triggers, without a change. @throws if the
 * text of a table or trigger is damaged; no read compiles a trigger
 */
function prepareWrites(db: Db): void {
  db.exec((everyWrite ??= writesOfVersion()))
}

/** The text of all those writes, made once: a start opens several files. */
let everyWrite: string | null = null

function writesOfVersion(): string {
  const own = new Database(':memory:')
  try {
    own.exec(readFileSync(join(MIGRATIONS, SCHEMA), 'utf8'))
    const tables = own
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`)
      .pluck()
    const columns = own.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
    const writes = tables.all().flatMap((table) => {
      const names = columns.all(table).map((name) => `"${name}"`)
      return [
        `EXPLAIN INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => 'NULL').join()});`,
        `EXPLAIN UPDATE "${table}" SET ${names.map((name) => `${name} = NULL`).join()};`,
        `EXPLAIN DELETE FROM "${table}";`,
      ]
    })
    return writes.join('\n')
  } finally {
    own.close()
  }
}

/** The reason why a file is not the configuration of this home, in words that follow its name; null if it is. */
export function damageOf(file: string, home: string | null): string | null {
  return confirmVerdict(
    file,
    () => judgeFile(file, home),
    (wrong) => wrong !== null,
  )
}

function judgeFile(file: string, home: string | null): string | null {
  const empty = !pathExists(file) || statSync(file).size === 0
  if (empty) return home === null ? null : 'it is missing or empty, though this data folder belongs to a home'
  if (!isHealthy(file)) return 'it is damaged'
  const serial = serialIn(file)
  if (home !== null && serial === null) return 'it contains no home, though this data folder belongs to one'
  if (home !== null && serial !== home)
    return `it belongs to the home ${String(serial)}, and the file home-id of this folder names ${home}`
  return null
}

function serialIn(file: string): string | null {
  return readDatabase(file, (db) => db.prepare<[], string>('SELECT serial FROM home').pluck().get() ?? null) ?? null
}

/** A failing disk proves nothing: the start finds the failure and says what to do. */
function serialUnlessDiskFails(file: string): string | null {
  try {
    return serialIn(file)
  } catch (error) {
    if (!isStorageFailure(error)) throw error
    return null
  }
}

/**
 * The home in core.db if the file home-id names another one and must be wrong: a copy names the home of core.db too, or
 * `home` is not a valid id. Null if home-id is right, or cannot be disproved.
 */
export function correctedHome({ file, backups }: Pick<CoreFiles, 'file' | 'backups'>, home: string): string | null {
  const own = pathExists(file) && statSync(file).size > 0 ? serialUnlessDiskFails(file) : null
  if (own === null || own === home || !HOME_ID.test(own)) return null
  const copies = copiesOf(backups).map(serialUnlessDiskFails)
  if (copies.includes(home)) return null
  return copies.includes(own) || !HOME_ID.test(home) ? own : null
}

const HOME_ID = /^[0-9a-z]{12}$/

/**
 * Replaces an unusable configuration by the newest sound copy, and keeps the old file aside. The copy is prepared next
 * to the file first, so that a kill meanwhile leaves all or nothing. Null if no copy is sound; the file then stays
 * unchanged.
 */
function restoredCopy(
  files: CoreFiles,
  { damage: wrong, newerThan }: { damage: string; newerThan: number },
): CoreDb | null {
  const { file, clock, log } = files
  const fresh = `${file}.copy`
  for (const copy of copiesOf(files.backups)) {
    removeDatabase(fresh)
    if (newerThan >= 0 && lastNumberIn(copy, 'activity_outbox') <= newerThan) continue
    if (!prepareCopy(fresh, copy, { files, what: wordsOf(copy, wrong) })) continue
    const aside = putAside(file, clock.now())
    renameSync(fresh, file)
    syncFolderNow(dirname(file))
    log.error({ wrong, copy, aside }, 'The configuration was not usable: the newest good copy took its place.')
    if (files.checkpoint !== undefined) seal(file)
    return new CoreDb(file, { ...files, isRestored: true })
  }
  removeDatabase(fresh)
  return null
}

/** False if the copy is not sound. Pending work, and access that ended since, do not return with it. */
function prepareCopy(fresh: string, copy: string, { files, what }: { files: CoreFiles; what: string }): boolean {
  const core = openedCopy(fresh, copy, files)
  if (core === null) return false
  try {
    const at = files.clock.now()
    core.db
      .transaction(() => {
        files.revocations.apply(core.db, at)
        endPendingWork(core.db)
        raiseRevisions(core.db, files.revisions, at)
        new SqliteIncidents(core).add(at, what)
      })
      .immediate()
    // The file alone must hold the configuration, without a log.
    core.db.pragma('wal_checkpoint(TRUNCATE)')
    return true
  } finally {
    core.close()
  }
}

function openedCopy(fresh: string, copy: string, { home, revisions }: CoreFiles): CoreDb | null {
  try {
    copyFileSync(copy, fresh)
    const opened = openSound(fresh, { home, revisions })
    return typeof opened === 'string' ? null : opened
  } catch (error) {
    const isOfCopy = error instanceof NewerDatabase || isDamaged(error) || errorCode(error) === 'EIO'
    if (isOfCopy || !isStorageFailure(error)) return null
    throw error
  }
}

function wordsOf(copy: string, wrong: string): string {
  const when = copyTimeOf(copy)
  const from = when === null ? '' : ` of ${when}`
  return `The configuration was not usable (${wrong}). The gateway restored the copy${from} (${basename(copy)}). Later changes are lost. Revoked credentials stay revoked.`
}

function putAside(file: string, at: number): string | null {
  const aside = pathExists(file) ? `${file}.unusable-${new Date(at).toISOString().replaceAll(':', '-')}` : null
  if (aside !== null) renameSync(file, aside)
  if (aside !== null && pathExists(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  removeDatabase(file)
  return aside
}

function removeDatabase(file: string): void {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) removeLeftover(part)
}

/** Access that ended before the restore does not return with the copy. */
function keepRevoked(core: CoreDb, { revocations, clock, log }: CoreFiles): void {
  const ended = core.db
    .transaction(() => {
      const count = revocations.apply(core.db, clock.now())
      // No incident reports it, so only this number brings the change into a copy.
      if (count > 0) continueFrom(core.db, 'incidents', lastNumberOf(core.db, 'incidents') + 1)
      return count
    })
    .immediate()
  if (ended > 0) log.warn({ credentials: ended }, 'Credentials that the configuration lists as active stay revoked.')
}
