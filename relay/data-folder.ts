import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '@hm-gateway/lib/lock.ts'
import { errorCode, makeFolders } from '@hm-gateway/lib/files.ts'
import { type RelaySettings, SettingsError } from './model/relay-settings.ts'

/**
 * Creates the data folder. A relay of one process locks it, because two processes would serve different homes.
 * @throws SettingsError if the folder is not writable or another relay uses it.
 */
export function takeDataFolder(
  opened: AsyncDisposableStack,
  { dataDir, nats }: Pick<RelaySettings, 'dataDir' | 'nats'>,
): void {
  try {
    makeFolders(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new SettingsError(
      `The data folder ${dataDir} cannot be written (${errorCode(error) ?? 'unknown reason'}): make it writable for this user, or choose another with HM_RELAY_DATA_DIR.`,
    )
  }
  if (nats !== null) return
  const lock = takeLock(join(dataDir, 'lock'))
  if (lock === null)
    throw new SettingsError(
      `A relay already runs on the data folder ${dataDir}: stop it first, or choose another folder with HM_RELAY_DATA_DIR.`,
    )
  opened.use(lock)
}
