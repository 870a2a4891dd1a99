import { statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOfFile } from '../format/backup-file.ts'
import { keyFinder } from '../format/phrase.ts'
import { BackupProblem } from '../format/problem.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { silentLog } from '../../lib/log.ts'
import type { Environment } from '../../lib/socket-places.ts'
import { type BackupContents, checkBackup, contentsOf, isNewer, refuseNewer } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/backup-settings.ts'
import { type CheckPurpose, inCheckFolder } from './check-folder.ts'
import { backupsIn, type StoredBackup } from '../keeping/backup-folder.ts'
import { type DataFolder, lockDataFolder, prepareDataFolder, readHomeId } from '../../settings/data-folder.ts'
import { decideRestore, previewRestore } from './restore.ts'
import { finishSwap } from './restore-swap.ts'
import type { RestoreEffects } from './restore-effects.ts'
import { SettingsError } from '../../settings/settings.ts'

/** A backup to open without a gateway. */
export interface OfflineBackup {
  readonly dataDir: string
  readonly file: string
  /** The phrase as typed; null to use the key in the data folder. */
  readonly phrase: string | null
}

/**
 * Opens a backup as a restore would, also beside a running gateway.
 * @throws BackupProblem; SettingsError if the data folder accepts no writes; the file system's own error.
 */
export async function checkOffline(
  { dataDir, file, phrase }: OfflineBackup,
  purpose: CheckPurpose,
): Promise<{ readonly at: number; readonly contents: BackupContents }> {
  const { key } = new BackupSettings(join(dataDir, 'backup.json'), silentLog)
  const findKey = keyFinder(key, phrase)
  const manifest = await inCheckFolder(dataDir, (work) => checkBackup(file, findKey, work), purpose)
  return { at: manifest.at, contents: contentsOf(manifest) }
}

/** Result of a restore that starts no gateway. */
interface RestoredOffline extends RestoreEffects {
  readonly restarts: false
}

/**
 * Restores a backup into a data folder without a running gateway; the folder may be empty. An interrupted restore is
 * finished first.
 * @throws BackupProblem; SettingsError while a gateway uses the folder; the file system's own error.
 */
export async function restoreOffline(
  { dataDir, file, phrase }: OfflineBackup,
  { check, revive, now, env }: { check: boolean; revive: boolean; now: number; env: Environment },
): Promise<RestoredOffline> {
  refuseForeignOwner(dataDir)
  const folder = prepareDataFolder(dataDir, env)
  using _lock = lockDataFolder(folder)
  await finishSwap(folder)
  const request = { folder, file, phrase, revive, now }
  if (check) return { ...(await previewRestore(request)), restarts: false }
  const done = await decideRestore(request, () => {})
  if (!(await finishSwap(folder))) throw new SettingsError('The note of the restore disappeared: nothing was changed.')
  return { ...done, restarts: false }
}

/** An unusable backup, with a sentence why. */
interface PassedOver {
  readonly file: string
  readonly why: string
}

/** Effects of a rollback, and the newer backups that it could not use. */
export interface RolledBack extends RestoredOffline {
  readonly passedOver: readonly PassedOver[]
}

/**
 * Restores the newest sound backup from before an update by a newer program, without a running gateway.
 * @throws SettingsError if the databases are of this version or no backup fits; the errors of `restoreOffline`.
 */
export async function rollBackOffline(
  dataDir: string,
  options: { check: boolean; now: number; env: Environment },
): Promise<RolledBack> {
  refuseForeignOwner(dataDir)
  const folder = prepareDataFolder(dataDir, options.env)
  if (!isNewer(folder.coreDb, NEWEST_SCHEMAS.core) && !isNewer(folder.historyDb, NEWEST_SCHEMAS.history))
    throw new SettingsError(
      'The databases have the form of this version, so there is nothing to roll back. To return to an earlier hm-gateway, install that first, then run this again.',
    )
  const stored = await backupsIn(folder.backups, readHomeId(folder))
  const passedOver: PassedOver[] = []
  for (const { file } of stored.filter(({ why }) => why === 'before-update')) {
    const fault = await faultByManifest(file)
    if (fault === 'newer') continue
    const result = fault === null ? await tryRestore(dataDir, file, options) : fault
    if (typeof result !== 'string') return { ...result, passedOver }
    passedOver.push({ file, why: result })
  }
  throw new SettingsError(await noWayBack(folder, stored, passedOver))
}

/** The effects of the restore, or a sentence why the backup is unusable. */
async function tryRestore(
  dataDir: string,
  file: string,
  options: { check: boolean; now: number; env: Environment },
): Promise<RestoredOffline | string> {
  try {
    return await restoreOffline({ dataDir, file, phrase: null }, { ...options, revive: false })
  } catch (error) {
    if (error instanceof BackupProblem) return error.message
    throw error
  }
}

/** Reads only the manifest: `newer` for a backup of a newer program, a sentence for another fault, or null. */
async function faultByManifest(file: string): Promise<string | null> {
  try {
    const manifest = await manifestOfFile(file, () => Promise.resolve(null))
    refuseNewer(manifest, manifest.schemas)
    return null
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    return error.fault === 'newer' ? 'newer' : error.message
  }
}

/** The sentence for a failed rollback. It names the newest other backup that this program can read. */
async function noWayBack(
  { backups }: DataFolder,
  stored: readonly StoredBackup[],
  passedOver: readonly PassedOver[],
): Promise<string> {
  const unusable = passedOver.map(({ file, why }) => ` ${file} cannot be used: ${why}`).join('')
  const none = `There is no backup in ${backups} from before an update that this program can read.${unusable}`
  for (const { file, why } of stored)
    if (why !== 'before-update' && (await faultByManifest(file)) === null)
      return `${none} Start the newer hm-gateway, or restore another backup: \`bin/hm restore ${file}\`.`
  return `${none} Start the newer hm-gateway, or restore another backup by \`bin/hm restore\`.`
}

/** New files belong to the user of this process: the gateway of another user could not open them. */
function refuseForeignOwner(dataDir: string): void {
  const own = process.getuid?.()
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  if (own === undefined || owner === undefined || owner === own) return
  throw new SettingsError(
    `The data folder ${dataDir} belongs to the user ${owner}, whose gateway could not open files of yours. Run this as that user (as a service of systemd: docs/backup.md#the-day-the-disk-dies), or start the gateway and run it again.`,
  )
}
