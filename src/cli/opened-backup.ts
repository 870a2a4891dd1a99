import type { BackupContentsView } from '../admin/contract/backups.ts'
import type { CheckPurpose } from '../backup/restoring/restore-at-rest.ts'
import { reasonOf } from '../lib/file-reasons.ts'
import { errorCode } from '../lib/files.ts'
import { CliError } from './cli-error.ts'
import type { CliContext } from './context.ts'
import { readText } from './files.ts'
import { asked } from './questions.ts'

/** What the process ends with, so that scripts know one fault from another (docs/backup.md#what-can-be-wrong). */
export const EXIT_CODES = { not_a_backup: 3, newer: 4, cut: 5, damaged: 6, phrase_needed: 7, wrong_phrase: 8 } as const

/** A backup that was opened as a restore would, and the phrase that opened it where one was needed. */
export interface OpenedBackup {
  readonly at: number
  readonly contents: BackupContentsView
  readonly phrase: string | null
}

/** Opens a backup, and asks for its phrase at a terminal where that is needed; throws a CliError where it cannot. */
export async function openedBackup(
  context: Pick<CliContext, 'dataDir' | 'during'>,
  file: string,
  phraseFile: string | undefined,
  purpose: CheckPurpose,
): Promise<OpenedBackup> {
  const { dataDir } = context
  const { backupFault, checkAtRest } = await import('../backup/restoring/restore-at-rest.ts')
  const opened = async (phrase: string | null): Promise<OpenedBackup> => ({
    ...(await context.during('Opening the backup and checking every part', () =>
      checkAtRest({ dataDir, file, phrase }, purpose),
    )),
    phrase,
  })
  try {
    if (phraseFile !== undefined) return await opened(readText(phraseFile))
    return await opened(null).catch(async (error: unknown) => {
      if (backupFault(error)?.fault !== 'phrase_needed' || !process.stdin.isTTY) throw error
      return opened(await asked('Its recovery phrase: '))
    })
  } catch (error) {
    throw told(error, { file, dataDir, purpose, fault: backupFault(error) })
  }
}

interface Fault {
  readonly fault: keyof typeof EXIT_CODES
  readonly message: string
}

/** What is wrong with a backup, as the sentence and the exit code of its kind. */
export const faultTold = ({ fault, message }: Fault): CliError =>
  new CliError(message, EXIT_CODES[fault], { code: fault })

/** What is wrong with a backup, or with its file, as a sentence. */
function told(
  error: unknown,
  {
    file,
    dataDir,
    purpose,
    fault,
  }: { readonly file: string; readonly dataDir: string; readonly purpose: CheckPurpose; readonly fault: Fault | null },
): unknown {
  if (fault !== null) return faultTold(fault)
  if (errorCode(error) === 'ENOSPC')
    return new CliError(
      `${file} cannot be opened: the disk is full, and a backup is taken apart in the data folder ${dataDir}. ${purpose === 'restore' ? 'Make room on that disk, then run this again.' : 'Make room, or name another folder with --data-dir.'}`,
    )
  return errorCode(error) === null ? error : new CliError(`${file} cannot be opened: ${reasonOf(error)}.`)
}
