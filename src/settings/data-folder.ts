import { accessSync, chmodSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ADMIN_SOCKET, SettingsError } from './settings.ts'
import { takeLock } from '../lib/lock.ts'
import { errorCode, pathExists, makeFolders, replaceFile } from '../lib/files.ts'
import { type Environment, socketFolders } from '../lib/socket-places.ts'

/** The paths of everything that the gateway keeps. Only the owner may read the folder. */
export interface DataFolder {
  readonly path: string
  readonly coreDb: string
  readonly historyDb: string
  readonly tls: string
  readonly adminSocket: string
  /** Where the socket file lies when this folder takes none. */
  readonly socketFolders: readonly string[]
  /** Copies of the configuration, and backups where no other folder is named. */
  readonly backups: string
  /** Names the file that a backup is being written to. */
  readonly unfinishedBackup: string
  /** How backups are made, and what they are encrypted with. */
  readonly backupSettings: string
  /** How folders begin that are to take the place of this content, and the note that says which does (restore.ts). */
  readonly restored: string
  readonly restoring: string
  /** The key that the gateway proves itself to relays with, how far its tunnels are numbered, and which relay it is. */
  readonly relay: { readonly identity: string; readonly epochs: string; readonly settings: string }
  /** There from a restore until the next start: that the configuration is an older one is told already. */
  readonly justRestored: string
  /** The highest revision that was ever given (db/core/revision-mark.ts). */
  readonly revisions: string
  /** The changes that may have narrowed somebody's access (db/core/narrowed-access.ts). */
  readonly narrowed: string
  /** The links of credentials that have ended. */
  readonly revoked: string
  /** Whoever has its lock has the folder. */
  readonly lock: string
  /** How many starts in a row failed. */
  readonly failedStarts: string
  /** There while an opening may still fail, and Node's report of a full heap. */
  readonly opening: string
  readonly fullHeap: string
  /** A file with the home's serial, apart from the database: so an emptied database is never taken for a new home. */
  readonly homeId: string
}

/** A restore puts it into the place of what was there. */
export const JUST_RESTORED = 'just-restored'
const FAILED_STARTS = 'failed-starts.json'
const OPENING = 'opening.json'
/** One of these is in every folder that a gateway began: the mark of an opening is made before all else. */
const HOME_FILES = ['home-id', 'core.db', 'lock', 'restoring.json', OPENING, FAILED_STARTS]
/** Stands in the top folder of a disk of its own. */
const OF_THE_DISK = 'lost+found'

/** A socket path is at most this long on the systems the gateway runs on. */
const SOCKET_PATH_LENGTH_MAX = 103

/** Makes or checks the folder; throws a SettingsError that says what to do. */
export function prepareDataFolder(dir: string, env: Environment = {}): DataFolder {
  const path = resolve(dir)
  refuseForeignFolder(path)
  try {
    makeFolders(path)
    chmodSync(path, 0o700)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    // A home on a disk that went read-only is served as it is.
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

/** Where everything is in a folder. */
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

/** A folder that belongs to somebody else, or is used for other things, is left as it is. */
function refuseForeignFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw new SettingsError(
      `The data folder ${path} belongs to another user: start the gateway as that user, or choose another with HM_DATA_DIR.`,
    )
  // One look: another gateway may begin here at this moment.
  const names = readdirSync(path)
  const isHome = HOME_FILES.some((name) => names.includes(name))
  const others = names.filter((name) => !name.startsWith('.') && name !== OF_THE_DISK)
  if (!isHome && others.length > 0)
    throw new SettingsError(
      `The folder ${path} holds other files, and the data folder is for the gateway alone: choose a new or empty one with HM_DATA_DIR.`,
    )
}

/**
 * Two gateways on one folder would overwrite each other's changes: the folder belongs to one until that is over. It is
 * taken before anything in it is looked at.
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
