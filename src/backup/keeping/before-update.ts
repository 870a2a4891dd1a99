import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { whatIsWrong } from '../../db/core/open-core.ts'
import { schemaVersionOf } from '../../db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { errorCode, isThere, PRIVATE_FOLDER_MODE } from '../../lib/files.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { ZoneTime } from '../../lib/zone-time.ts'
import { backupName, backupsIn, pruned } from './backup-folder.ts'
import { readHomeId } from '../../settings/data-folder.ts'
import type { BackupsParts } from './backups.ts'
import { writeNewBackup } from './new-backup.ts'

/** SQLite writes beside a database to read it: the disk is read-only, or has no room for the index of the log. */
const TAKES_NO_WRITES = /^SQLITE_(?:CANTOPEN|FULL|IOERR_SHMSIZE)/

/** An update that is not begun: the message says why and what to do. */
export class UpdateRefused extends Error {}

/** Parts of the gateway that a backup before an update needs. */
export interface UpdateOptions extends Pick<BackupsParts, 'folder' | 'clock' | 'random' | 'log' | 'program'> {
  /** Called before the databases change, which may take minutes. */
  readonly updating?: (() => void) | undefined
}

/**
 * Makes a backup where this program is about to change the tables of a database, before it does: so there is a way back
 * (`bin/hm rollback`). Where none can be made the databases stay as they are.
 * @throws UpdateRefused
 */
export async function backUpBeforeUpdate(options: UpdateOptions): Promise<void> {
  const { folder, log } = options
  const serial = readHomeId(folder)
  if (serial === null) return
  const changes = {
    core: isOlder(folder.coreDb, NEWEST_SCHEMAS.core),
    history: isOlder(folder.historyDb, NEWEST_SCHEMAS.history),
  }
  if (!changes.core && !changes.history) return
  options.updating?.()
  log.warn(
    { bytes: changes.history ? statSync(folder.historyDb).size : 0 },
    'The databases change for this version, after a backup of them: with a large history that takes minutes.',
  )
  // What is not this home's configuration is no version of it: the start that follows says what becomes of it.
  if (whatIsWrong(folder.coreDb, serial) !== null) return
  try {
    const file = await written(options, serial, changes.history)
    log.warn({ file }, 'The databases change for this version. A backup from before it is kept: `bin/hm rollback`.')
  } catch (error) {
    // Where the disk takes no writes at all, a copy elsewhere is served, and changed.
    if (errorCode(error) === 'EROFS') return
    throw new UpdateRefused(
      `This version changes the databases, and no backup could be made before that: ${reasonOf(error)}. Mend that and start again, or start the version that ran before; nothing was changed.`,
      { cause: error },
    )
  }
}

async function written(
  { folder, clock, random, log, program }: UpdateOptions,
  serial: string,
  history: boolean,
): Promise<string> {
  const at = clock.now()
  await mkdir(folder.backups, { recursive: true, mode: PRIVATE_FOLDER_MODE })
  const taken = (await backupsIn(folder.backups, serial)).map(({ name }) => name)
  const name = backupName(at, { serial, why: 'before-update', taken })
  const file = join(folder.backups, name)
  const databases = { core: folder.coreDb, history: history ? folder.historyDb : null }
  const staged = { folder, at, why: 'before-update', program, ...databases, house: null, lacks: null } as const
  const { manifest } = await writeNewBackup(staged, { file, key: null, random })
  if (manifest.lacks !== null) log.error({ file }, manifest.lacks)
  const only = 'before-update'
  await pruned(folder.backups, serial, { now: at, zone: new ZoneTime('UTC'), made: name, only }).catch(
    (error: unknown) => log.warn({ err: error }, 'Older backups from before updates could not be removed.'),
  )
  return file
}

/**
 * Whether a database has tables of an earlier version. Throws where its disk does not say, except a disk that takes no
 * writes or is full: it is not changed there.
 */
function isOlder(file: string, newest: number): boolean {
  try {
    const version = isThere(file) ? (schemaVersionOf(file) ?? 0) : 0
    return version > 0 && version < newest
  } catch (error) {
    if (!TAKES_NO_WRITES.test(errorCode(error) ?? '')) throw error
    return false
  }
}
