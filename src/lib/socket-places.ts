import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode, PRIVATE_FOLDER_MODE } from './files.ts'

/** The runtime directory of the systemd unit (deploy/hm-gateway.service). */
const SERVICE_RUNTIME = '/run/hm-gateway'
/** Long enough that no two data folders of a machine share a name. */
const NAME_DIGITS = 16
const OTHERS = 0o077

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Possible folders for a data folder's socket file if its own disk refuses it, the likeliest first. Server and client
 * both derive them from the folder's path; `env` adds paths from systemd and the session.
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
 * Creates the folder, or accepts an existing one that only the data folder's owner can write. @throws the file system's
 * error, or one that says that the folder is not trustworthy
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
 * True if only the data folder's owner can access the folder. In a world-writable place another user may have created
 * it, and would receive the requests to its socket.
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
