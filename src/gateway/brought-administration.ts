import type { BroughtAdminParts } from '../api/admin/brought.ts'
import { restored, told } from './backup-administration.ts'
import type { BackupKeeping } from './backup-keeping.ts'
import type { GatewayOptions } from './options.ts'

/** What administrators ask of a backup that they bring, as the contract words it. */
export function broughtAdministration(
  options: GatewayOptions,
  { backups, brought }: Pick<BackupKeeping, 'backups' | 'brought'>,
): BroughtAdminParts {
  return {
    begin: (bytes) => told(() => brought.begin(bytes)),
    add: (id, from, piece) => told(() => brought.add(id, from, piece)),
    restore: (id, asked) =>
      told(() =>
        backups.alone(async () => {
          const file = brought.file(id)
          if (file === null) return null
          const view = await restored(options, file, asked)
          if (view.restarts) await brought.drop(id)
          return view
        }),
      ),
    drop: (id) => told(() => brought.drop(id)),
  }
}
