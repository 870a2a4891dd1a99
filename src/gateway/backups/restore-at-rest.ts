import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupContentsView, RestoringView } from '../../api/admin/contract/backups.ts'
import { typedPhrase } from '../../backup/phrase.ts'
import { type BackupFault, BackupProblem } from '../../backup/problem.ts'
import { silentLog } from '../../lib/log.ts'
import type { Environment } from '../../lib/socket-places.ts'
import { contentsView, restoringView } from './administration.ts'
import { checkBackup } from './parts.ts'
import { BackupSettings, keyFinder } from './settings.ts'
import { type CheckPurpose, inCheckFolder } from './check-folder.ts'
import { lockDataFolder, prepareDataFolder } from '../data-folder.ts'
import { decideRestore, previewRestore } from './restore.ts'
import { finishSwap } from './restore-swap.ts'
import { SettingsError } from '../settings.ts'

/** What is asked of a backup where no gateway runs. */
export interface AtRest {
  readonly dataDir: string
  readonly file: string
  /** As somebody typed it, or null. */
  readonly phrase: string | null
}

/**
 * Opens a backup as a restore would, beside whatever runs.
 * @throws BackupProblem; SettingsError where the data folder cannot be written; the file system's own error.
 */
export async function checkAtRest(
  { dataDir, file, phrase }: AtRest,
  purpose: CheckPurpose,
): Promise<{ readonly at: number; readonly contents: BackupContentsView }> {
  const { key } = new BackupSettings(join(dataDir, 'backup.json'), silentLog)
  const find = keyFinder(key, phrase === null ? null : typedPhrase(phrase))
  const manifest = await inCheckFolder(dataDir, (work) => checkBackup(file, find, work), purpose)
  return { at: manifest.at, contents: contentsView(manifest) }
}

/**
 * Restores a backup on a data folder that no gateway runs on, which may be empty; one that was killed in the midst of
 * it is finished first.
 * @throws BackupProblem; SettingsError while a gateway has the folder; the file system's own error.
 */
export async function restoreAtRest(
  { dataDir, file, phrase }: AtRest,
  { check, revive, now, env }: { check: boolean; revive: boolean; now: number; env: Environment },
): Promise<RestoringView> {
  refuseForeign(dataDir)
  const folder = prepareDataFolder(dataDir, env)
  using _lock = lockDataFolder(folder)
  await finishSwap(folder)
  const wish = { folder, file, phrase, revive, now }
  if (check) return restoringView(await previewRestore(wish), false)
  const done = await decideRestore(wish)
  if (!(await finishSwap(folder)))
    throw new SettingsError('The restore was decided, and its note is gone: nothing was changed.')
  return restoringView(done, false)
}

/** What this process puts there belongs to its own user: the gateway of another one could not open it. */
export function refuseForeign(dataDir: string): void {
  const own = process.getuid?.()
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  if (own === undefined || owner === undefined || owner === own) return
  throw new SettingsError(
    `The data folder ${dataDir} belongs to the user ${owner}, whose gateway could not open what you put there. Run this as that user (as a service of systemd: docs/backup.md#the-day-the-disk-dies), or start the gateway and run it again.`,
  )
}

/** What is wrong with a backup, in a word and a sentence; null where the error is another. */
export function backupFault(error: unknown): { readonly fault: BackupFault; readonly message: string } | null {
  return error instanceof BackupProblem ? error : null
}
