import { lstatSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { takeLock } from '../../lib/lock.ts'
import { pathExists, removeLeftover } from '../../lib/files.ts'

/** The leading dot hides the folder, so a parent without other files looks empty. */
const PREFIX = '.backup-check-'
/** The owner of the folder holds this lock. No part of a backup has this name. */
const LOCK = '.lock'
/** Another process may remove a new folder before its lock is taken. That happens once or twice at most. */
const TRIES_MAX = 10

/** A private folder for one task, removed when it is disposed. Asynchronous disposal also suits large files. */
export interface WorkFolder extends Disposable, AsyncDisposable {
  readonly path: string
}

export const isWorkFolderName = (name: string): boolean => name.startsWith(PREFIX)

/** Removes abandoned work folders in `parent`, then makes a new one. @throws the file system's own error. */
export async function makeWorkFolder(parent: string): Promise<WorkFolder> {
  removeAbandoned(parent)
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const path = await mkdtemp(join(parent, PREFIX))
    const lock = takeFolderLock(path)
    if (lock !== null && pathExists(join(path, LOCK))) return workFolder(path, lock)
    lock?.[Symbol.dispose]()
  }
  throw new Error('another program removed its folder')
}

function workFolder(path: string, lock: Disposable): WorkFolder {
  return {
    path,
    [Symbol.dispose]() {
      removeLeftover(path)
      lock[Symbol.dispose]()
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true }).catch(() => {})
      lock[Symbol.dispose]()
    },
  }
}

/** Takes the lock of a folder. Null while a process works in it, or if another process has just removed it. */
function takeFolderLock(folder: string, patienceMs?: number): Disposable | null {
  try {
    return takeLock(join(folder, LOCK), patienceMs)
  } catch (error) {
    if (pathExists(folder)) throw error
    return null
  }
}

/**
 * Removes work folders whose process was killed, since the system released their locks. Folders of running processes
 * stay, and so do folders of other users, such as root beside a service.
 */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    if (!isWorkFolderName(name) || !isOwn(folder)) continue
    using lock = takeFolderLock(folder, 0)
    if (lock !== null) removeLeftover(folder)
  }
}

/** True for a folder of this user. In a parent that others can write, a link or another user's folder may be a trap. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}
