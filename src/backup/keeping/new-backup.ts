import { readFileSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isUnfinished, writeBackup } from '../format/backup-file.ts'
import type { Manifest } from '../format/manifest.ts'
import { type BackupKey, keyFinder } from '../format/phrase.ts'
import { isStorageFailure } from '../../lib/storage-failure.ts'
import { isOfTheDisk } from '../../lib/file-reasons.ts'
import { isThere, removeLeft, replaceFile } from '../../lib/files.ts'
import type { Random } from '../../lib/random.ts'
import { checkBackup, DamagedPart, HISTORY, inWorkFolder, refuseFull, sizeOf, stage, type Staged } from './parts.ts'
import { heldFolder, isHeldName, removeLeftFolders } from './held-folder.ts'
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
  await removeUnfinished(staged.folder)
  await removeLeftBeside(dirname(place.file))
  try {
    return await written(staged, place)
  } catch (error) {
    if (!(error instanceof DamagedPart) || error.part !== HISTORY || staged.history === null) throw error
    return written({ ...staged, history: null, lacks: WITHOUT_HISTORY }, place)
  }
}

async function written(staged: Staged, place: NewBackupPlace): Promise<WrittenBackup> {
  const { folder } = staged
  try {
    const begins = (unfinished: string): Promise<void> => replaceFile(folder.unfinishedBackup, `${unfinished}\n`)
    const done = await putTogether(staged, place, { work: folder.backupWork, begins })
    await rm(folder.unfinishedBackup, { force: true })
    return done
  } catch (error) {
    if (!isOfTheDisk(error) && !isStorageFailure(error)) throw error
    return besideItsPlace(staged, place)
  }
}

/**
 * On the disk that the backup goes to, where that of the home takes nothing: then a backup is wanted most of all.
 * The folder has what a killed process leaves, so it is found without a note of it.
 */
async function besideItsPlace(staged: Staged, place: NewBackupPlace): Promise<WrittenBackup> {
  using held = await heldFolder(dirname(place.file))
  // On a disk that knows no users everybody can read it: no more than what is written there in the clear anyway.
  if (place.key !== null && !isPrivate(held.path)) throw new BackupRefused(NOT_PRIVATE)
  return await putTogether(staged, place, { work: join(held.path, 'parts'), unfinishedIn: held.path })
}

interface Workplace {
  readonly work: string
  readonly unfinishedIn?: string
  readonly begins?: (unfinished: string) => Promise<void>
}

function putTogether(
  staged: Staged,
  { file, key, random }: NewBackupPlace,
  { work, unfinishedIn, begins }: Workplace,
): Promise<WrittenBackup> {
  // What was put together is not needed any more once it is written: only one of both takes room.
  const check = (unfinished: string): Promise<Manifest> =>
    inWorkFolder(work, () => checkBackup(unfinished, keyFinder(key, null), work))
  return inWorkFolder(work, async () => {
    const manifest = await stage(staged, work)
    await refuseFull(sizeOf(manifest), dirname(file))
    const bytes = await writeBackup(file, { manifest, parts: work, key, random, unfinishedIn }, check, begins)
    return { manifest, bytes }
  })
}

const isPrivate = (folder: string): boolean => (statSync(folder).mode & 0o077) === 0

const NOT_PRIVATE =
  'the disk of the home takes nothing, so that it would be put together beside this file, where other users could read it. Write it to a disk that keeps them out, or unencrypted'

/** What a process left that was killed while it wrote a backup, wherever that was to lie. None may be under way. */
export async function removeUnfinished({ unfinishedBackup }: DataFolder): Promise<void> {
  if (!isThere(unfinishedBackup)) return
  const left = readFileSync(unfinishedBackup, 'utf8').trim()
  if (isUnfinished(basename(left))) await rm(left, { force: true })
  // A disk that takes no writes keeps the note, which names nothing any more.
  removeLeft(unfinishedBackup)
}

/** The same of what was put together in a folder of backups. It may be a share, which is never waited for in vain. */
export async function removeLeftBeside(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.some(isHeldName)) removeLeftFolders(folder)
}
