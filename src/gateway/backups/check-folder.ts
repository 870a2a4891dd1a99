import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { takeLock } from '../../db/lock.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { PRIVATE_FOLDER_MODE, removeLeft } from '../../lib/files.ts'
import { SettingsError } from '../settings.ts'

/** Hidden, so that a folder with nothing else is empty. */
const PREFIX = '.backup-check-'
/** Held while somebody works in the folder, and by nobody else; no part of a backup has such a name. */
const LOCK = '.lock'
/** Whoever takes a new folder for one that was left, before its lock is taken, does so once or twice. */
const TRIES_MAX = 10

/** A process that one of these ends has removed what it unpacked, and ends with 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * Lets a backup be taken apart beside whatever runs: in the data folder, which has the same secrets and belongs to the
 * same user, never where all keep their temporary files. Nothing of it stays, also where a signal ends the process.
 * @throws SettingsError where the data folder cannot be written.
 */
export async function inCheckFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const isNew = !existsSync(dataDir)
  const { folder, lock } = await madeIn(dataDir)
  const remove = (): void => {
    removeLeft(folder)
    lock[Symbol.dispose]()
    if (isNew) removeEmpty(dataDir)
  }
  const stops = Object.entries(SIGNALS).map(([signal, code]) => {
    const stop = (): void => {
      remove()
      process.exit(code)
    }
    process.once(signal, stop)
    return () => process.off(signal, stop)
  })
  try {
    return await work(folder)
  } finally {
    for (const off of stops) off()
    remove()
  }
}

interface CheckFolder {
  readonly folder: string
  readonly lock: Disposable
}

async function madeIn(dataDir: string): Promise<CheckFolder> {
  try {
    await mkdir(dataDir, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    removeLeftChecks(dataDir)
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const folder = await mkdtemp(join(dataDir, PREFIX))
      const lock = lockOf(folder)
      if (lock !== null && existsSync(join(folder, LOCK))) return { folder, lock }
      lock?.[Symbol.dispose]()
    }
    throw new Error('other checks removed its folder')
  } catch (error) {
    throw new SettingsError(
      `A backup is taken apart in the data folder ${dataDir}, and that cannot be written: ${reasonOf(error)}. Run this as its user, or name a folder of your own with --data-dir.`,
    )
  }
}

/** Null while somebody works in the folder, and where another check has just removed it. */
function lockOf(folder: string): Disposable | null {
  try {
    return takeLock(join(folder, LOCK))
  } catch (error) {
    if (existsSync(folder)) throw error
    return null
  }
}

/**
 * Removes what checks left that were killed, also by the end of the machine: the system gave their locks back. Those
 * that go on keep theirs, and those of another user, as of root beside a service, are that one's to remove.
 */
export function removeLeftChecks(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(PREFIX)) continue
    const folder = join(dataDir, name)
    using lock = lockOf(folder)
    if (lock !== null) removeLeft(folder)
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody uses it meanwhile.
  }
}
