import { closeWithTimeout } from '../lib/closing.ts'
import { writeHomeFile } from '../home/home-file.ts'
import { UploadedBackup } from '../backup/restoring/uploaded-backup.ts'
import { NewPhrase } from '../backup/keeping/new-phrase.ts'
import { BackupSettings } from '../backup/keeping/backup-settings.ts'
import { BackupFolders } from '../backup/keeping/backup-folder.ts'
import { Backups } from '../backup/keeping/backups.ts'
import type { BackupAdminParts } from '../operations/backup-requests.ts'
import { programVersion } from '../operations/release.ts'
import type { HomeParts } from './home.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

/** The backups of the home, their recovery phrase, and an uploaded backup. */
export type BackupKeeping = AsyncDisposable & Pick<BackupAdminParts, 'backups' | 'phrase' | 'uploaded'>

/** Starts the nightly backups. */
export function openBackups(options: GatewayOptions, stores: Stores, home: HomeParts): BackupKeeping {
  const { settings: chosen, folder, clock, random, log } = options
  const { serial, core, history } = stores
  const settings = new BackupSettings(folder.backupSettings, log)
  const folders = new BackupFolders({ serial, external: chosen.backupDir, internal: folder.backups, settings })
  const backups = new Backups({
    folder,
    serial,
    folders,
    settings,
    clock,
    random,
    log,
    program: programVersion(),
    zone: () => home.house.info.timeZone,
    databases: () => {
      history.writer.flush()
      return { core: core.db.name, history: history.file.inMemory ? null : folder.historyDb }
    },
    house: () => writeHomeFile(home),
  })
  const phrase = new NewPhrase({ settings, clock, random })
  const uploaded = new UploadedBackup({ folder, clock, random })
  const opened = new AsyncDisposableStack()
  closeWithTimeout(opened, 'backups', () => Promise.all([uploaded.stop(), backups.stop()]), options)
  return { backups, phrase, uploaded, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
