import { lstatSync, readdirSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { takeLock } from '../../lib/lock.ts'
import { isThere, removeLeft } from '../../lib/files.ts'

/** Hidden, so that a folder with nothing else is empty. */
const PREFIX = '.backup-check-'
/** Held while somebody works in the folder, and by nobody else; no part of a backup has such a name. */
const LOCK = '.lock'
/** Whoever takes a new folder for one that was left, before its lock is taken, does so once or twice. */
const TRIES_MAX = 10

/** A folder that nobody else can read; it is gone once it is let go. */
export interface HeldFolder extends Disposable {
  readonly path: string
}

/** Whether a folder of this name may be one. */
export const isHeldName = (name: string): boolean => name.startsWith(PREFIX)

/** Makes one in `parent`, and removes what killed processes left there of theirs. @throws the file system's own error. */
export async function heldFolder(parent: string): Promise<HeldFolder> {
  removeLeftFolders(parent)
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const path = await mkdtemp(join(parent, PREFIX))
    const lock = lockOf(path)
    if (lock !== null && isThere(join(path, LOCK))) return { path, [Symbol.dispose]: () => letGo(path, lock) }
    lock?.[Symbol.dispose]()
  }
  throw new Error('others removed its folder')
}

function letGo(path: string, lock: Disposable): void {
  removeLeft(path)
  lock[Symbol.dispose]()
}

/** Null while somebody works in the folder, and where another has just removed it. */
function lockOf(folder: string): Disposable | null {
  try {
    return takeLock(join(folder, LOCK))
  } catch (error) {
    if (isThere(folder)) throw error
    return null
  }
}

/**
 * Removes what processes left that were killed, also by the end of the machine: the system gave their locks back. Those
 * that go on keep theirs, and those of another user, as of root beside a service, are that one's to remove.
 */
export function removeLeftFolders(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    if (!isHeldName(name) || !isOurs(folder)) continue
    using lock = lockOf(folder)
    if (lock !== null) removeLeft(folder)
  }
}

/** In a folder where others may write, what looks like one of ours may be a trap. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}
