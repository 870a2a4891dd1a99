import { existsSync } from 'node:fs'
import type { RestoringView } from '../../api/admin/contract/backups.ts'
import { manifestOfFile } from '../../backup/backup-file.ts'
import { schemaVersionOf } from '../../db/copy-thread.ts'
import { NEWEST_SCHEMAS } from '../../db/newest-schemas.ts'
import type { Environment } from '../../lib/socket-places.ts'
import { type DataFolder, prepareDataFolder, readHomeId } from '../data-folder.ts'
import { SettingsError } from '../settings.ts'
import { backupFault, refuseForeign, restoreAtRest } from './restore-at-rest.ts'
import { backupsIn, type ShelvedBackup } from './shelf.ts'

/** A backup that cannot be used, and why, in a sentence. */
interface PassedOver {
  readonly file: string
  readonly why: string
}

/** What going back does, and which newer backups from before an update it passed over. */
export interface RolledBack extends RestoringView {
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
    const tried = wrong === null ? await restored(dataDir, file, how) : wrong
    if (typeof tried !== 'string') return { ...tried, passedOver }
    passedOver.push({ file, why: tried })
  }
  throw new SettingsError(await noWayBack(folder, all, passedOver))
}

/** What it does, or why the backup cannot be used. */
async function restored(
  dataDir: string,
  file: string,
  how: { check: boolean; now: number; env: Environment },
): Promise<RestoringView | string> {
  try {
    return await restoreAtRest({ dataDir, file, phrase: null }, { ...how, revive: false })
  } catch (error) {
    const fault = backupFault(error)
    if (fault === null) throw error
    return fault.message
  }
}

/** By its beginning alone: `newer` where another program made it, null where all is well, else what is wrong. */
async function judged(file: string): Promise<string | null> {
  try {
    const { core, history } = (await manifestOfFile(file, () => Promise.resolve(null))).schemas
    return core > NEWEST_SCHEMAS.core || (history ?? 0) > NEWEST_SCHEMAS.history ? 'newer' : null
  } catch (error) {
    const fault = backupFault(error)
    if (fault === null) throw error
    return fault.fault === 'newer' ? 'newer' : fault.message
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

const isNewer = (file: string, newest: number): boolean => existsSync(file) && (schemaVersionOf(file) ?? 0) > newest
