import { readFileSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isUnfinished, refuseExisting, unfinishedIn, writeBackup } from '../format/backup-file.ts'
import type { Manifest } from '../format/manifest.ts'
import { type BackupKey, keyFinder } from '../format/phrase.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { isDiskError } from '../../lib/file-reasons.ts'
import { pathExists, removeLeftover, replaceFile } from '../../lib/files.ts'
import type { Random } from '../../lib/random.ts'
import { checkBackup, DamagedPart, HISTORY, requireRoom, sizeOf, stageParts, type BackupSource } from './parts.ts'
import { isWorkFolderName, makeWorkFolder, removeAbandoned } from './work-folder.ts'
import { BackupRefused } from './backup-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'

/** Destination of a new backup. */
export interface NewBackupPlace {
  readonly file: string
  /** Key of the encryption; null for a plain backup. */
  readonly key: BackupKey | null
  readonly random: Random
}

export interface WrittenBackup {
  readonly manifest: Manifest
  readonly bytes: number
}

const WITHOUT_HISTORY =
  'The history is damaged and was left out; all else is in the backup. Check the disk: `bin/hm status` has more about the history.'

/**
 * Stages a backup, writes it, and opens it again as a restore would. A damaged history is left out and named in the
 * manifest: it must not prevent the backup of the home.
 * @throws BackupProblem, or the file system's own error; no file stays then.
 */
export async function writeNewBackup(source: BackupSource, place: NewBackupPlace): Promise<WrittenBackup> {
  await refuseExisting(place.file)
  await removeUnfinished(source.folder, dirname(place.file))
  try {
    return await writeStaged(source, place)
  } catch (error) {
    if (!(error instanceof DamagedPart) || error.part !== HISTORY || source.history === null) throw error
    return writeStaged({ ...source, history: null, lacks: WITHOUT_HISTORY }, place)
  }
}

async function writeStaged(source: BackupSource, place: NewBackupPlace): Promise<WrittenBackup> {
  const { path, unfinishedBackup } = source.folder
  const unfinished = unfinishedIn(dirname(place.file), place.random)
  try {
    await replaceFile(unfinishedBackup, `${unfinished}\n`)
    const done = await stageAndWrite(source, place, { parent: path, unfinished })
    await rm(unfinishedBackup, { force: true })
    return done
  } catch (error) {
    if (!isDiskError(error) && !isStorageFailure(error)) throw error
    return stageAtTarget(source, place)
  }
}

/**
 * Stages the parts on the disk that the backup goes to: a home on a full or read-only disk needs a backup most. If the
 * process is killed, the rest lies in the work folder, so no note is needed.
 */
async function stageAtTarget(source: BackupSource, place: NewBackupPlace): Promise<WrittenBackup> {
  await using work = await makeWorkFolder(dirname(place.file))
  // A disk without users, such as a stick, is readable by everybody. A plain backup there is no secret anyway.
  if (place.key !== null && !isPrivate(work.path)) throw new BackupRefused(NOT_PRIVATE)
  const unfinished = unfinishedIn(work.path, place.random)
  return await stageAndWrite(source, place, { parent: work.path, unfinished })
}

async function stageAndWrite(
  source: BackupSource,
  { file, key }: NewBackupPlace,
  { parent, unfinished }: { readonly parent: string; readonly unfinished: string },
): Promise<WrittenBackup> {
  await using parts = await makeWorkFolder(parent)
  const manifest = await stageParts(source, parts.path)
  await requireRoom(sizeOf(manifest), dirname(file))
  const bytes = await writeBackup(file, unfinished, { manifest, parts: parts.path, key }, async () => {
    // The staged parts go before the check unpacks the backup: the disk needs room for one copy only.
    await parts[Symbol.asyncDispose]()
    await using opened = await makeWorkFolder(parent)
    await checkBackup(unfinished, keyFinder(key, null), opened.path)
  })
  return { manifest, bytes }
}

const isPrivate = (folder: string): boolean => (statSync(folder).mode & 0o077) === 0

const NOT_PRIVATE =
  'the disk of the home accepts no writes, so the parts would lie beside this file, where other users could read them. Choose a disk with access rights, or write the backup unencrypted'

/**
 * Removes the rest of a backup whose process was killed: the unfinished file, wherever it lies, and work folders in
 * `target`, a backup folder. No backup may be running.
 */
export async function removeUnfinished({ unfinishedBackup }: DataFolder, target: string): Promise<void> {
  if (pathExists(unfinishedBackup)) {
    const unfinished = readFileSync(unfinishedBackup, 'utf8').trim()
    if (isUnfinished(basename(unfinished))) await rm(unfinished, { force: true })
    // A read-only disk keeps the note; its file no longer exists.
    removeLeftover(unfinishedBackup)
  }
  // The target may be a share that does not answer: only an asynchronous call may wait for it.
  const names = await readdir(target).catch(() => [])
  if (names.some(isWorkFolderName)) removeAbandoned(target)
}
