import type { BackupContents } from '../../lib/admin-contract.ts'
import { words } from '../../words/backup.ts'

/** How much is in a backup, in words. */
export const holdsOf = ({ counts: { persons, integrations, keys }, history, lacks }: BackupContents): string =>
  [
    words.holds(persons, integrations, keys),
    ...(history ? [words.withHistory] : []),
    ...(lacks === null ? [] : [words.withoutDamaged]),
  ].join(', ')
