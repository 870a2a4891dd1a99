import { readFileSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isUnfinished, refuseTaken, unfinishedIn, writeBackup } from '../format/backup-file.ts'
import type { Manifest } from '../format/manifest.ts'
import { type BackupKey, keyFinder } from '../format/phrase.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { isDiskError } from '../../lib/file-reasons.ts'
import { isThere, removeLeft, replaceFile } from '../../lib/files.ts'
import type { Random } from '../../lib/random.ts'
import { checkBackup, DamagedPart, HISTORY, refuseFull, sizeOf, stage, type Staged } from './parts.ts'
import { isWorkFolderName, makeWorkFolder, removeAbandoned } from './work-folder.ts'
import { BackupRefused } from './backup-folder.ts'
import type { DataFolder } from '../../settings/data-folder.ts'

/** Where a backup goes, and what it is encrypted with, or null. */
export interface NewBackupPlace {
  readonly file: string
  readonly key: BackupKey | null
  readonly random: Random
}

export interface WrittenBackup {
  readonly manifest: Manifest
  readonly bytes: number
}

const WITHOUT_HISTORY =
  'The history is damaged and was left out; all else is in the backup. Check the disk: `bin/hm status` tells of the history.'

/**
 * Puts a backup together, writes it, and opens it again as a restore would. A history that is damaged is left out, and
 * its manifest says so: it must not keep the home from being backed up.
 * @throws BackupProblem, or the file system's own error; nothing of it is left then.
 */
export async function writeNewBackup(staged: Staged, place: NewBackupPlace): Promise<WrittenBackup> {
  await refuseTaken(place.file)
  await removeCutShort(staged.folder, dirname(place.file))
  try {
    return await written(staged, place)
  } catch (error) {
    if (!(error instanceof DamagedPart) || error.part !== HISTORY || staged.history === null) throw error
    return written({ ...staged, history: null, lacks: WITHOUT_HISTORY }, place)
  }
}

async function written(staged: Staged, place: NewBackupPlace): Promise<WrittenBackup> {
  const { path, unfinishedBackup } = staged.folder
  const unfinished = unfinishedIn(dirname(place.file), place.random)
  try {
    await replaceFile(unfinishedBackup, `${unfinished}\n`)
    const done = await putTogether(staged, place, { parent: path, unfinished })
    await rm(unfinishedBackup, { force: true })
    return done
  } catch (error) {
    if (!isDiskError(error) && !isStorageFailure(error)) throw error
    return besideItsPlace(staged, place)
  }
}

/**
 * Uses the disk that the backup goes to, if the home's disk takes no writes: then a backup is needed most.
 * The work folder has everything that a killed process leaves, so no note names it.
 */
async function besideItsPlace(staged: Staged, place: NewBackupPlace): Promise<WrittenBackup> {
  await using work = await makeWorkFolder(dirname(place.file))
  // On a disk that knows no users everybody can read it: no more than what is written there in the clear anyway.
  if (place.key !== null && !isPrivate(work.path)) throw new BackupRefused(NOT_PRIVATE)
  const unfinished = unfinishedIn(work.path, place.random)
  return await putTogether(staged, place, { parent: work.path, unfinished })
}

async function putTogether(
  staged: Staged,
  { file, key }: NewBackupPlace,
  { parent, unfinished }: { readonly parent: string; readonly unfinished: string },
): Promise<WrittenBackup> {
  await using parts = await makeWorkFolder(parent)
  const manifest = await stage(staged, parts.path)
  await refuseFull(sizeOf(manifest), dirname(file))
  const bytes = await writeBackup(file, unfinished, { manifest, parts: parts.path, key }, async () => {
    // The written parts go before the check unpacks them again: the disk needs room for one copy only.
    await parts[Symbol.asyncDispose]()
    await using opened = await makeWorkFolder(parent)
    await checkBackup(unfinished, keyFinder(key, null), opened.path)
  })
  return { manifest, bytes }
}

const isPrivate = (folder: string): boolean => (statSync(folder).mode & 0o077) === 0

const NOT_PRIVATE =
  'the disk of the home takes nothing, so that it would be put together beside this file, where other users could read it. Write it to a disk that keeps them out, or unencrypted'

/**
 * Removes what a killed process left of a backup that it wrote: the unfinished file, wherever it lies, and work folders
 * in `target`, a folder of backups. No backup may be under way.
 */
export async function removeCutShort({ unfinishedBackup }: DataFolder, target: string): Promise<void> {
  if (isThere(unfinishedBackup)) {
    const left = readFileSync(unfinishedBackup, 'utf8').trim()
    if (isUnfinished(basename(left))) await rm(left, { force: true })
    // A disk that takes no writes keeps the note, which names nothing any more.
    removeLeft(unfinishedBackup)
  }
  // The target may be a share that does not answer: only the asynchronous call may wait for it.
  const names = await readdir(target).catch(() => [])
  if (names.some(isWorkFolderName)) removeAbandoned(target)
}
