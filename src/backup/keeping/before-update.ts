import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { damageOf } from '../../db/core/open-core.ts'
import { schemaVersionOf } from '../../db/core/at-rest.ts'
import { NEWEST_SCHEMAS } from '../../db/database.ts'
import { errorCode, pathExists, PRIVATE_FOLDER_MODE } from '../../lib/files.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { ZoneTime } from '../../lib/zone-time.ts'
import { backupName, backupsIn, pruneBackups } from './backup-folder.ts'
import { readHomeId } from '../../settings/data-folder.ts'
import type { BackupsParts } from './backups.ts'
import { writeNewBackup } from './new-backup.ts'

/** Reading a database writes beside it. These codes mean a read-only or full disk. */
const TAKES_NO_WRITES = /^SQLITE_(?:CANTOPEN|FULL|IOERR_SHMSIZE)/

/** An update that does not begin. The message is a sentence for people: why, and what to do. */
export class UpdateRefused extends Error {}

export interface UpdateOptions extends Pick<BackupsParts, 'folder' | 'clock' | 'random' | 'log' | 'program'> {
  /** Called before the databases change, which may take minutes. */
  readonly updating?: (() => void) | undefined
}

/**
 * Makes a backup if this program is about to change the tables of a database: it is the way back (`bin/hm rollback`).
 * @throws UpdateRefused if no backup can be made; the databases stay unchanged.
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
    'This version changes the databases, after a backup. With a large history that takes minutes.',
  )
  // A damaged or foreign configuration is no older version: the start after this reports it.
  if (damageOf(folder.coreDb, serial) !== null) return
  try {
    const file = await writeBackupOf(options, serial, changes.history)
    log.warn({ file }, 'This version changes the databases. A backup was made first: `bin/hm rollback` restores it.')
  } catch (error) {
    // On a read-only disk the gateway serves and changes a copy on another disk.
    if (errorCode(error) === 'EROFS') return
    throw new UpdateRefused(
      `This version changes the databases, and no backup could be made before that: ${reasonOf(error)}. Fix that and start again, or start the version that ran before; nothing was changed.`,
      { cause: error },
    )
  }
}

async function writeBackupOf(
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
  const source = { folder, at, why: 'before-update', program, ...databases, house: null, lacks: null } as const
  const { manifest } = await writeNewBackup(source, { file, key: null, random })
  if (manifest.lacks !== null) log.error({ file }, manifest.lacks)
  const only = 'before-update'
  await pruneBackups(folder.backups, serial, { now: at, zone: new ZoneTime('UTC'), made: name, only }).catch(
    (error: unknown) => log.warn({ err: error }, 'Older backups before updates could not be removed.'),
  )
  return file
}

/**
 * True if a database has tables of an earlier version. On a read-only or full disk it is not changed, so this is false.
 * @throws the error of a disk that fails.
 */
function isOlder(file: string, newest: number): boolean {
  try {
    const version = pathExists(file) ? (schemaVersionOf(file) ?? 0) : 0
    return version > 0 && version < newest
  } catch (error) {
    if (!TAKES_NO_WRITES.test(errorCode(error) ?? '')) throw error
    return false
  }
}
