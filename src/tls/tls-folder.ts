import { mkdirSync, chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, pathExists, PRIVATE_FOLDER_MODE } from '@hm-gateway/lib/files.ts'

/** Files of the TLS folder. Only `authority` is read; `authorityCopy` is its public half, for clients. */
export interface TlsFiles {
  readonly dir: string
  readonly authority: string
  readonly authorityCopy: string
  readonly leaf: string
  readonly clock: string
}

/**
 * Reason why the gateway cannot serve: one sentence that says what to do. The gateway never replaces its CA by itself.
 */
export class TlsFolderError extends Error {
  override readonly name = 'TlsFolderError'
}

export function tlsFiles(dir: string): TlsFiles {
  return {
    dir,
    authority: join(dir, 'ca-private.pem'),
    authorityCopy: join(dir, 'ca.pem'),
    leaf: join(dir, 'leaf.pem'),
    clock: join(dir, 'clock.json'),
  }
}

/**
 * Creates the folder if it is missing, only for its owner. @throws TlsFolderError if it cannot be created, or if others
 * may read or write it
 */
export function prepareFolder(dir: string): void {
  try {
    if (!pathExists(dir)) {
      mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER_MODE })
      chmodSync(dir, PRIVATE_FOLDER_MODE)
    }
  } catch (error) {
    throw new TlsFolderError(
      `The folder ${dir} for keys and certificates cannot be made (${errorCode(error)}): choose a data folder that is writable.`,
    )
  }
  refuseOpenModes(dir, '700', 'folder')
}

/** Text of a private file, or null if it is missing. */
export function readPrivate(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw new TlsFolderError(
      `The file ${path} cannot be read (${errorCode(error)}): start again as the user that owns it.`,
    )
  }
}

/** @throws TlsFolderError if others than the owner have access to the file or folder */
export function refuseOpenModes(path: string, requiredMode: '600' | '700', what: 'file' | 'folder'): void {
  const mode = openMode(path)
  if (mode === null) return
  throw new TlsFolderError(
    `The ${what} ${path} holds private keys but is open to other users (mode ${mode}): run "chmod ${requiredMode} ${path}" and start again.`,
  )
}

/** Mode as octal text if others than the owner have any right, else null. */
export function openMode(path: string): string | null {
  const mode = statSync(path).mode & 0o777
  return (mode & 0o077) === 0 ? null : mode.toString(8).padStart(4, '0')
}
