import { accessSync, chmodSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ADMIN_SOCKET, SettingsError } from './settings.ts'
import { takeLock } from '../lib/lock.ts'
import { errorCode, pathExists, makeFolders, replaceFile } from '../lib/files.ts'
import { type Environment, socketFolders } from '../lib/socket-places.ts'

/** Paths of the gateway's files. Only the owner may read the folder. */
export interface DataFolder {
  readonly path: string
  readonly coreDb: string
  readonly historyDb: string
  readonly tls: string
  readonly adminSocket: string
  /** Substitute folders of the socket file, if this folder cannot hold one. */
  readonly socketFolders: readonly string[]
  /** Copies of the configuration, and backups without another folder. */
  readonly backups: string
  /** Name of the backup file that is being written. */
  readonly unfinishedBackup: string
  /** Settings of backups and their encryption. */
  readonly backupSettings: string
  /** Prefix of folders that will replace this content, and the note that names the chosen one (restore.ts). */
  readonly restored: string
  readonly restoring: string
  /** Files of the relay: the gateway's key, the epochs of its tunnels, and the connected relay. */
  readonly relay: { readonly identity: string; readonly epochs: string; readonly settings: string }
  /** Exists from a restore until the next start, so that the older configuration is not reported as damage. */
  readonly justRestored: string
  /** The highest revision ever assigned (db/core/revision-mark.ts). */
  readonly revisions: string
  /** Changes that may have narrowed somebody's access (db/core/narrowed-access.ts). */
  readonly narrowed: string
  /** Links of ended credentials. */
  readonly revoked: string
  /** Lock file; its owner owns the folder. */
  readonly lock: string
  /** Number of consecutive failed starts. */
  readonly failedStarts: string
  /** Exists while an opening may still fail, and Node's report of a full heap. */
  readonly opening: string
  readonly fullHeap: string
  /** File with the home's serial outside the database, so that an emptied database is never taken for a new home. */
  readonly homeId: string
}

/** Marker that a restore puts into the restored content. */
export const JUST_RESTORED = 'just-restored'
const FAILED_STARTS = 'failed-starts.json'
const OPENING = 'opening.json'
/** Every folder of a gateway has one of these files, because the mark of an opening is written first. */
const HOME_FILES = ['home-id', 'core.db', 'lock', 'restoring.json', OPENING, FAILED_STARTS]
/** Present in the top folder of a separate disk. */
const OF_THE_DISK = 'lost+found'

/** Longest socket path on the supported systems. */
const SOCKET_PATH_LENGTH_MAX = 103

/** Creates or checks the folder; throws a SettingsError with the remedy. */
export function prepareDataFolder(dir: string, env: Environment = {}): DataFolder {
  const path = resolve(dir)
  refuseForeignFolder(path)
  try {
    makeFolders(path)
    chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    // A home on a read-only disk is served as it is.
    if (errorCode(error) !== 'EROFS' || !pathExists(join(path, 'core.db')))
      throw new SettingsError(
        `The data folder ${path} cannot be written (${errorCode(error) ?? 'unknown reason'}): make it writable for this user, or choose another with HM_DATA_DIR.`,
      )
  }
  const folder = pathsIn(path, env)
  if (folder.adminSocket.length > SOCKET_PATH_LENGTH_MAX)
    throw new SettingsError(
      `The path of the data folder is too long for a socket file: choose a shorter one with HM_DATA_DIR (${SOCKET_PATH_LENGTH_MAX - ADMIN_SOCKET.length - 1} characters at most).`,
    )
  return folder
}

/** Paths of all files in a folder. */
export function pathsIn(path: string, env: Environment = {}): DataFolder {
  return {
    path,
    adminSocket: join(path, ADMIN_SOCKET),
    socketFolders: socketFolders(path, env),
    coreDb: join(path, 'core.db'),
    historyDb: join(path, 'history.db'),
    tls: join(path, 'tls'),
    backups: join(path, 'backups'),
    unfinishedBackup: join(path, 'unfinished-backup'),
    backupSettings: join(path, 'backup.json'),
    restored: join(path, 'restored'),
    restoring: join(path, 'restoring.json'),
    relay: relayFiles(join(path, 'relay')),
    justRestored: join(path, JUST_RESTORED),
    revisions: join(path, 'revisions.json'),
    narrowed: join(path, 'narrowed.json'),
    revoked: join(path, 'revoked'),
    lock: join(path, 'lock'),
    homeId: join(path, 'home-id'),
    failedStarts: join(path, FAILED_STARTS),
    opening: join(path, OPENING),
    fullHeap: join(path, 'full-heap.json'),
  }
}

function relayFiles(path: string): DataFolder['relay'] {
  return { identity: join(path, 'identity.key'), epochs: join(path, 'epochs'), settings: join(path, 'relay.json') }
}

/** Refuses a folder of another user or with other files. */
function refuseForeignFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw new SettingsError(
      `The data folder ${path} belongs to another user: start the gateway as that user, or choose another with HM_DATA_DIR.`,
    )
  // One read, because another gateway may start here at the same time.
  const names = readdirSync(path)
  const isHome = HOME_FILES.some((name) => names.includes(name))
  const others = names.filter((name) => !name.startsWith('.') && name !== OF_THE_DISK)
  if (!isHome && others.length > 0)
    throw new SettingsError(
      `The folder ${path} has other files, but the data folder is only for the gateway: choose a new or empty one with HM_DATA_DIR.`,
    )
}

/**
 * Locks the folder for this gateway, because two gateways would overwrite each other's changes. The lock comes before
 * any read.
 * @throws SettingsError while another gateway has it.
 */
export function lockDataFolder(folder: DataFolder): Disposable {
  const lock = takeLock(folder.lock)
  if (lock === null)
    throw new SettingsError(
      `A gateway already runs on the data folder ${folder.path}: stop it first, or choose another folder with HM_DATA_DIR.`,
    )
  return lock
}

export function readHomeId(folder: DataFolder): string | null {
  return pathExists(folder.homeId) ? readFileSync(folder.homeId, 'utf8').trim() : null
}

export function writeHomeId(folder: DataFolder, serial: string): Promise<void> {
  return replaceFile(folder.homeId, `${serial}\n`)
}
