import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '../../lib/file-reasons.ts'
import { errorCode, PRIVATE_FOLDER_MODE } from '../../lib/files.ts'
import { SettingsError } from '../settings.ts'

/** Hidden, so that a folder with nothing else is empty; the number of the process says who still works in it. */
const NAME = /^\.backup-check-(\d+)-/
/** A process that one of these ends has removed what it unpacked, and ends with 128 and the number of the signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/**
 * Lets a backup be taken apart beside whatever runs: in the data folder, which has the same secrets and belongs to the
 * same user, never where all keep their temporary files. Nothing of it stays, also where a signal ends the process.
 * @throws SettingsError where the data folder cannot be written.
 */
export async function inCheckFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const isNew = !existsSync(dataDir)
  const folder = await madeIn(dataDir)
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
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

async function madeIn(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: PRIVATE_FOLDER_MODE })
    for (const left of leftChecks(dataDir)) rmSync(left, { recursive: true, force: true })
    return await mkdtemp(join(dataDir, `.backup-check-${process.pid}-`))
  } catch (error) {
    throw new SettingsError(
      `A backup is taken apart in the data folder ${dataDir}, and that cannot be written: ${reasonOf(error)}. Run this as its user, or name a folder of your own with --data-dir.`,
    )
  }
}

/** What checks left that were killed. */
export function leftChecks(dataDir: string): readonly string[] {
  return readdirSync(dataDir)
    .filter((name) => {
      const [, pid] = NAME.exec(name) ?? []
      return pid !== undefined && !isRunning(Number(pid))
    })
    .map((name) => join(dataDir, name))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody uses it meanwhile.
  }
}
