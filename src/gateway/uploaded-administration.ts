import type { BroughtAdminParts } from '../admin/brought.ts'
import { restored, told } from './backup-administration.ts'
import type { BackupKeeping } from './backups.ts'
import type { GatewayOptions } from './options.ts'

/** What administrators ask of a backup that they bring, as the contract words it. */
export function broughtAdministration(
  options: GatewayOptions,
  { backups, brought }: Pick<BackupKeeping, 'backups' | 'brought'>,
): BroughtAdminParts {
  return {
    begin: (bytes) => told(() => brought.begin(bytes)),
    add: (id, from, piece) => told(() => brought.add(id, from, piece)),
    restore: (id, asked, ready) =>
      told(() =>
        backups.alone(async () => {
          const view = await brought.opened(id, (file) => restored(options, file, asked, ready))
          // The restore is decided: what cannot be removed now is at the next start.
          if (view?.restarts) await brought.drop(id).catch(() => {})
          return view
        }),
      ),
    drop: (id) => told(() => brought.drop(id)),
  }
}
