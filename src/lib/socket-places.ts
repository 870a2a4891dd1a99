import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode, PRIVATE_FOLDER_MODE } from './files.ts'

/** The runtime directory of the systemd unit (deploy/hm-gateway.service). */
const SERVICE_RUNTIME = '/run/hm-gateway'
/** Enough that no two data folders of a machine share a name. */
const NAME_DIGITS = 16
const OTHERS = 0o077

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The folders in which a data folder's socket file may lie where its own disk takes none, the likeliest first. Both who
 * serves and who asks find them by the folder's path alone; `env` adds what systemd and the session name.
 */
export function socketFolders(dataDir: string, env: Environment): readonly string[] {
  const name = `hm-gateway-${createHash('sha256').update(real(dataDir)).digest('hex').slice(0, NAME_DIGITS)}`
  const owner = ownerOf(dataDir)
  const places = [
    env['RUNTIME_DIRECTORY']?.split(':', 1)[0],
    SERVICE_RUNTIME,
    env['XDG_RUNTIME_DIR'],
    owner === null ? undefined : `/run/user/${owner}`,
    tmpdir(),
    '/tmp',
  ]
  return [...new Set(places.flatMap((place) => place || []))].map((place) => join(place, name))
}

/**
 * Makes the folder, or takes the one that is there where nobody but the data folder's owner can have put anything into
 * it.
 * @throws the file system's error, or one that says that the folder is not to be trusted.
 */
export function takeSocketFolder(folder: string, dataDir: string): void {
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER_MODE })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  if (!isPrivate(folder, dataDir)) throw new Error(`${folder} belongs to somebody else, or is open to others`)
}

/**
 * Whether the folder is the data folder's owner's alone. Anybody may make one of this name where all may write; who
 * asked a socket in it would talk to them.
 */
export function isPrivate(folder: string, dataDir: string): boolean {
  try {
    const found = lstatSync(folder)
    return found.isDirectory() && (found.mode & OTHERS) === 0 && found.uid === ownerOf(dataDir)
  } catch {
    return false
  }
}

function ownerOf(dataDir: string): number | null {
  try {
    return statSync(dataDir).uid
  } catch {
    return null
  }
}

function real(dataDir: string): string {
  try {
    return realpathSync(dataDir)
  } catch {
    return resolve(dataDir)
  }
}
