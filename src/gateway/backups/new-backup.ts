import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isUnfinished, writeBackup } from '../../backup/backup-file.ts'
import type { Manifest } from '../../backup/manifest.ts'
import type { SealKey } from '../../backup/seal.ts'
import { replaceFile } from '../../lib/files.ts'
import type { Random } from '../../lib/random.ts'
import { checkBackup, DamagedPart, HISTORY, inWorkFolder, refuseFull, sizeOf, stage, type Staged } from './parts.ts'
import { keyFinder } from './settings.ts'
import type { DataFolder } from '../data-folder.ts'

/** Where a backup goes, and what it is encrypted with, or null. */
export interface NewBackupPlace {
  readonly file: string
  readonly key: SealKey | null
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
  try {
    return await written(staged, place)
  } catch (error) {
    if (!(error instanceof DamagedPart) || error.part !== HISTORY || staged.history === null) throw error
    return written({ ...staged, history: null, lacks: WITHOUT_HISTORY }, place)
  }
}

async function written(staged: Staged, { file, key, random }: NewBackupPlace): Promise<WrittenBackup> {
  const { folder } = staged
  const work = folder.backupWork
  // What was put together is not needed any more once it is written: only one of both takes room.
  const check = (unfinished: string): Promise<Manifest> =>
    inWorkFolder(work, () => checkBackup(unfinished, keyFinder(key, null), work))
  return inWorkFolder(work, async () => {
    const manifest = await stage(staged, work)
    await refuseFull(sizeOf(manifest), dirname(file))
    const begins = (unfinished: string): Promise<void> => replaceFile(folder.unfinishedBackup, `${unfinished}\n`)
    const bytes = await writeBackup(file, { manifest, parts: work, key, random }, check, begins)
    await rm(folder.unfinishedBackup, { force: true })
    return { manifest, bytes }
  })
}

/** What a process left that was killed while it wrote a backup, wherever that was to lie. None may be under way. */
export async function removeUnfinished({ unfinishedBackup }: DataFolder): Promise<void> {
  if (!existsSync(unfinishedBackup)) return
  const left = readFileSync(unfinishedBackup, 'utf8').trim()
  if (isUnfinished(basename(left))) await rm(left, { force: true })
  await rm(unfinishedBackup, { force: true })
}
