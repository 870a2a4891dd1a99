import { statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOfFile } from '../format/backup-file.ts'
import { keyFinder } from '../format/phrase.ts'
import { BackupProblem } from '../format/problem.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { silentLog } from '../../lib/log.ts'
import type { Environment } from '../../lib/socket-places.ts'
import { type BackupContents, checkBackup, contentsOf, isNewer, refuseNewer } from '../keeping/parts.ts'
import { BackupSettings } from '../keeping/settings.ts'
import { type CheckPurpose, inCheckFolder } from './check-folder.ts'
import { backupsIn, type ShelvedBackup } from '../keeping/backup-folder.ts'
import { type DataFolder, lockDataFolder, prepareDataFolder, readHomeId } from '../../settings/data-folder.ts'
import { decideRestore, previewRestore } from './restore.ts'
import { finishSwap } from './restore-swap.ts'
import type { Restoring } from './restoring.ts'
import { SettingsError } from '../../settings/settings.ts'

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
): Promise<{ readonly at: number; readonly contents: BackupContents }> {
  const { key } = new BackupSettings(join(dataDir, 'backup.json'), silentLog)
  const find = keyFinder(key, phrase)
  const manifest = await inCheckFolder(dataDir, (work) => checkBackup(file, find, work), purpose)
  return { at: manifest.at, contents: contentsOf(manifest) }
}

/** Result of a restore that starts no gateway. */
interface RestoredAtRest extends Restoring {
  readonly restarts: false
}

/**
 * Restores a backup on a data folder that no gateway runs on, which may be empty; one that was killed in the midst of
 * it is finished first.
 * @throws BackupProblem; SettingsError while a gateway has the folder; the file system's own error.
 */
export async function restoreAtRest(
  { dataDir, file, phrase }: AtRest,
  { check, revive, now, env }: { check: boolean; revive: boolean; now: number; env: Environment },
): Promise<RestoredAtRest> {
  refuseForeign(dataDir)
  const folder = prepareDataFolder(dataDir, env)
  using _lock = lockDataFolder(folder)
  await finishSwap(folder)
  const wish = { folder, file, phrase, revive, now }
  if (check) return { ...(await previewRestore(wish)), restarts: false }
  const done = await decideRestore(wish)
  if (!(await finishSwap(folder)))
    throw new SettingsError('The restore was decided, and its note is gone: nothing was changed.')
  return { ...done, restarts: false }
}

/** A backup that cannot be used, and why, in a sentence. */
interface PassedOver {
  readonly file: string
  readonly why: string
}

/** What going back does, and which newer backups from before an update it passed over. */
export interface RolledBack extends RestoredAtRest {
  readonly passedOver: readonly PassedOver[]
}

/**
 * Puts back the newest whole backup that was made before a newer program changed the databases, where no gateway runs.
 * @throws SettingsError where there is nothing to go back from or to; as `restoreAtRest` otherwise.
 */
export async function rollBackAtRest(
  dataDir: string,
  how: { check: boolean; now: number; env: Environment },
): Promise<RolledBack> {
  refuseForeign(dataDir)
  const folder = prepareDataFolder(dataDir, how.env)
  if (!isNewer(folder.coreDb, NEWEST_SCHEMAS.core) && !isNewer(folder.historyDb, NEWEST_SCHEMAS.history))
    throw new SettingsError(
      'The databases are of this version, so there is nothing to go back from. To go back to an earlier hm-gateway, put that in place first, then run this again.',
    )
  const all = await backupsIn(folder.backups, readHomeId(folder))
  const passedOver: PassedOver[] = []
  for (const { file } of all.filter(({ why }) => why === 'before-update')) {
    const wrong = await judged(file)
    if (wrong === 'newer') continue
    const tried = wrong === null ? await triedFrom(dataDir, file, how) : wrong
    if (typeof tried !== 'string') return { ...tried, passedOver }
    passedOver.push({ file, why: tried })
  }
  throw new SettingsError(await noWayBack(folder, all, passedOver))
}

/** What it does, or why the backup cannot be used. */
async function triedFrom(
  dataDir: string,
  file: string,
  how: { check: boolean; now: number; env: Environment },
): Promise<RestoredAtRest | string> {
  try {
    return await restoreAtRest({ dataDir, file, phrase: null }, { ...how, revive: false })
  } catch (error) {
    if (error instanceof BackupProblem) return error.message
    throw error
  }
}

/** By its beginning alone: `newer` where another program made it, null where all is well, else what is wrong. */
async function judged(file: string): Promise<string | null> {
  try {
    const manifest = await manifestOfFile(file, () => Promise.resolve(null))
    refuseNewer(manifest, manifest.schemas)
    return null
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error
    return error.fault === 'newer' ? 'newer' : error.message
  }
}

/** Which other backup this program can read, the newest first, is named: of a night, or one that somebody asked for. */
async function noWayBack(
  { backups }: DataFolder,
  all: readonly ShelvedBackup[],
  passedOver: readonly PassedOver[],
): Promise<string> {
  const unusable = passedOver.map(({ file, why }) => ` ${file} cannot be used: ${why}`).join('')
  const none = `There is no backup in ${backups} from before an update that this program can read.${unusable}`
  for (const { file, why } of all)
    if (why !== 'before-update' && (await judged(file)) === null)
      return `${none} Start the newer hm-gateway, or restore another backup: \`bin/hm restore ${file}\`.`
  return `${none} Start the newer hm-gateway, or restore another backup by \`bin/hm restore\`.`
}

/** What this process puts there belongs to its own user: the gateway of another one could not open it. */
function refuseForeign(dataDir: string): void {
  const own = process.getuid?.()
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  if (own === undefined || owner === undefined || owner === own) return
  throw new SettingsError(
    `The data folder ${dataDir} belongs to the user ${owner}, whose gateway could not open what you put there. Run this as that user (as a service of systemd: docs/backup.md#the-day-the-disk-dies), or start the gateway and run it again.`,
  )
}
