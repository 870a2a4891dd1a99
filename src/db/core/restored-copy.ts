import { copyFileSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { errorCode, isThere, removeLeft, syncFolderNow } from '../../lib/files.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import { NewerDatabase } from '../database.ts'
import { endUnderWay } from './at-rest.ts'
import { copiesOf, whenCopied } from './core-copies.ts'
import { CoreDb } from './core-db.ts'
import { openSeal, unseal } from './flipped-bit.ts'
import { SqliteIncidents } from './incident-store.ts'
import { raiseRevisions } from './revision-mark.ts'
import { type CoreFiles, openSound } from './sound-core.ts'

/** A configuration that must not be served: the message says what is wrong and what to do. */
export class CoreDamaged extends Error {}

/**
 * Puts the newest sound copy as a whole in the place of a configuration that is not sound, which is kept aside. A copy
 * is made ready beside the file first, so a start that is killed meanwhile finds all of it or nothing.
 * @throws CoreDamaged where no copy is sound; the file is left as it is.
 */
export function restoredCopy(files: CoreFiles, wrong: string): CoreDb {
  const { file, clock, log } = files
  const fresh = `${file}.copy`
  for (const copy of copiesOf(files.backups)) {
    removeDatabase(fresh)
    const what = wordsOf(copy, wrong)
    if (!madeReady(fresh, copy, { files, what })) continue
    const aside = putAside(file, clock.now())
    renameSync(fresh, file)
    syncFolderNow(dirname(file))
    log.error({ wrong, copy, aside }, 'The configuration was not usable: the newest good copy took its place.')
    if (files.checkpoint !== undefined) openSeal(file)
    return new CoreDb(file, { ...files, isRestored: true })
  }
  removeDatabase(fresh)
  throw new CoreDamaged(
    `The configuration ${file} is not usable (${wrong}) and there is no good copy in ${files.backups}. Put a backup in its place (bin/hm restore FILE), or remove the data folder to begin anew.`,
  )
}

/** False where the copy is not sound. What is under way, or ended since, does not come back with it. */
function madeReady(fresh: string, copy: string, { files, what }: { files: CoreFiles; what: string }): boolean {
  const core = openedCopy(fresh, copy, files)
  if (core === null) return false
  try {
    const at = files.clock.now()
    core.db
      .transaction(() => {
        files.revocations.apply(core.db, at)
        endUnderWay(core.db)
        raiseRevisions(core.db, files.revisions, at)
        new SqliteIncidents(core).add(at, what)
      })
      .immediate()
    // Without a log beside it the file alone is the configuration.
    core.db.pragma('wal_checkpoint(TRUNCATE)')
    return true
  } finally {
    core.close()
  }
}

function openedCopy(fresh: string, copy: string, { home, forms, revisions }: CoreFiles): CoreDb | null {
  try {
    copyFileSync(copy, fresh)
    const opened = openSound(fresh, { home, forms, revisions })
    return typeof opened === 'string' ? null : opened
  } catch (error) {
    const isOfCopy = error instanceof NewerDatabase || isDamaged(error) || errorCode(error) === 'EIO'
    if (isOfCopy || !isStorageFailure(error)) return null
    throw error
  }
}

function wordsOf(copy: string, wrong: string): string {
  const when = whenCopied(copy)
  const from = when === null ? '' : ` of ${when}`
  return `The configuration was not usable (${wrong}). The gateway restored the copy${from} (${basename(copy)}). Changes made after it are lost. Credentials that ended stay ended.`
}

function putAside(file: string, at: number): string | null {
  unseal(file)
  const aside = isThere(file) ? `${file}.unusable-${new Date(at).toISOString().replaceAll(':', '-')}` : null
  if (aside !== null) renameSync(file, aside)
  if (aside !== null && isThere(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  removeDatabase(file)
  return aside
}

function removeDatabase(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) removeLeft(each)
}
