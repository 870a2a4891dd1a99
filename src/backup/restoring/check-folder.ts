import { rmdirSync } from 'node:fs'
import { isDiskError, reasonOf } from '../../lib/file-reasons.ts'
import { isThere, makeFolders } from '../../lib/files.ts'
import { SettingsError } from '../../settings/settings.ts'
import { makeWorkFolder, type WorkFolder } from '../keeping/work-folder.ts'

/** A process that one of these ends has removed what it unpacked, and ends with 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** What is to be done with the backup in the end. */
export type CheckPurpose = 'check' | 'restore'

/**
 * Lets a backup be taken apart beside whatever runs: in the data folder, which has the same secrets and belongs to the
 * same user, never where all keep their temporary files. Nothing of it stays, also where a signal ends the process.
 * @throws SettingsError where the data folder cannot be written.
 */
export async function inCheckFolder<T>(
  dataDir: string,
  work: (folder: string) => Promise<T>,
  purpose: CheckPurpose = 'check',
): Promise<T> {
  const isNew = !isThere(dataDir)
  const held = await madeIn(dataDir, purpose)
  const remove = (): void => {
    held[Symbol.dispose]()
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
    return await work(held.path)
  } finally {
    for (const off of stops) off()
    remove()
  }
}

/** What is restored goes into this data folder and into no other. */
function adviceOn(error: unknown, purpose: CheckPurpose): string {
  if (purpose === 'check') return 'Run this as its user, or name a folder of your own with --data-dir.'
  return isDiskError(error)
    ? 'Make room on its disk, or let that take writes again, then run this again.'
    : 'Run this as its user.'
}

async function madeIn(dataDir: string, purpose: CheckPurpose): Promise<WorkFolder> {
  try {
    makeFolders(dataDir)
    return await makeWorkFolder(dataDir)
  } catch (error) {
    throw new SettingsError(
      `A backup is taken apart in the data folder ${dataDir}, and that cannot be written: ${reasonOf(error)}. ${adviceOn(error, purpose)}`,
    )
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody uses it meanwhile.
  }
}
