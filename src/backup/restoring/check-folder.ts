import { rmdirSync } from 'node:fs'
import { isDiskError, reasonOf } from '../../lib/file-reasons.ts'
import { pathExists, makeFolders } from '../../lib/files.ts'
import { SettingsError } from '../../settings/settings.ts'
import { makeWorkFolder, type WorkFolder } from '../keeping/work-folder.ts'

/** Signals after which the process removes its work folder and exits: exit code 128 plus the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Reason for opening a backup. */
export type CheckPurpose = 'check' | 'restore'

/**
 * Unpacks a backup in a work folder of the data folder, also beside a running gateway. The data folder has the same
 * secrets and owner; a common temporary folder would be less private. The work folder goes even if a signal ends the
 * process.
 * @throws SettingsError if the data folder accepts no writes.
 */
export async function inCheckFolder<T>(
  dataDir: string,
  work: (folder: string) => Promise<T>,
  purpose: CheckPurpose = 'check',
): Promise<T> {
  const isNew = !pathExists(dataDir)
  const folder = await makeFolderIn(dataDir, purpose)
  const remove = (): void => {
    folder[Symbol.dispose]()
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
    return await work(folder.path)
  } finally {
    for (const off of stops) off()
    remove()
  }
}

/** Advice for a data folder that accepts no writes. Only a check may use another data folder. */
function adviceOn(error: unknown, purpose: CheckPurpose): string {
  if (purpose === 'check') return 'Run this as its user, or name your own folder with --data-dir.'
  return isDiskError(error)
    ? 'Free space on its disk or make it writable, then run this again.'
    : 'Run this as its user.'
}

async function makeFolderIn(dataDir: string, purpose: CheckPurpose): Promise<WorkFolder> {
  try {
    makeFolders(dataDir)
    return await makeWorkFolder(dataDir)
  } catch (error) {
    throw new SettingsError(
      `A backup is unpacked in the data folder ${dataDir}, which cannot be written: ${reasonOf(error)}. ${adviceOn(error, purpose)}`,
    )
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Another process uses the folder.
  }
}
