import type { BackupAdminParts, RestoreAsked } from '../admin/backups.ts'
import type { BackupChoiceView, RestoringView } from '../admin/contract/backups.ts'
import { Refusal } from '../api/errors.ts'
import { BackupProblem } from '../backup/format/problem.ts'
import type { Cause } from '../home/model/events.ts'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import type { BackupDownloads } from '../http/backup-download.ts'
import { errorCode } from '../lib/files.ts'
import { reasonOf } from '../lib/file-reasons.ts'
import { fail, ok, type Result } from '../lib/result.ts'
import { contentsOf } from '../backup/keeping/parts.ts'
import type { BackupKeeping } from './backups.ts'
import { BackupRefused, refusalCodeOf } from '../backup/keeping/backup-folder.ts'
import { type Backups, NO_PHRASE } from '../backup/keeping/backups.ts'
import type { GatewayOptions } from './options.ts'
import { toldInActivity } from './relay.ts'
import { decideRestore, previewRestore } from '../backup/restoring/restore.ts'
import { SettingsError } from '../settings/settings.ts'
import type { Stores } from './stores.ts'

/** The answer is on its way by then. */
const RESTART_AFTER_MS = 500

/** What administrators ask of the backups, as the contract words it. */
export function backupAdministration(
  options: GatewayOptions,
  stores: Stores,
  { backups, phrase }: BackupKeeping,
): BackupAdminParts {
  const { settings } = backups
  const note = (what: string, cause: Cause): void => noted(options, stores, what, cause)
  return {
    state: () => backups.state(),
    choice: () => settings.choice,
    list: () => told(async () => backups.list()),
    has: (name) => told(() => backups.has(name)),
    make: (history, { cause, isOperator }) =>
      told(async () => {
        const made = await backups.make(isOperator ? 'operator' : 'asked', history)
        note('A backup was made', cause)
        return made
      }),
    write: (file, wish, cause) =>
      told(async () => {
        const encrypted = wish.encrypted ?? settings.key !== null
        if (encrypted && settings.key === null) throw new BackupRefused(NO_PHRASE)
        const key = encrypted ? settings.key : null
        const { manifest, bytes } = await backups.write(file, { history: wish.history ?? settings.choice.history, key })
        note(`A backup was written to ${file}`, cause)
        return { bytes, encrypted, contents: contentsOf(manifest) }
      }),
    check: (name) => told(async () => contentsOf(await backups.check(name))),
    choose: (choice, cause) =>
      told(async () => {
        await settings.choose(choice)
        note(choiceWords(settings.choice), cause)
        return settings.choice
      }),
    showPhrase: () => phrase.show(),
    confirmPhrase: (words, cause) =>
      told(async () => {
        const wrong = await phrase.confirm(words)
        if (wrong !== null) throw new BackupRefused(wrong)
        note('A new recovery phrase holds for backups', cause)
        return settings.phraseSince ?? options.clock.now()
      }),
    restore: (from, asked, ready) =>
      told(async () => {
        const file = 'file' in from ? from.file : (await backups.named(from.name)).file
        return backups.alone(() => restored(options, file, asked, ready))
      }),
  }
}

/** Backups as they leave the machine, each with an entry of who took it. */
export function backupDownloads(
  options: GatewayOptions,
  stores: Stores,
  backups: Backups,
  failed: BackupDownloads['failed'],
): BackupDownloads {
  return {
    take: async (name, cause) => {
      const bytes = await told(async () => ((await backups.has(name)) ? backups.taken(name) : null))
      if (!bytes.ok) return { refused: bytes.error }
      if (bytes.value === null) return null
      noted(options, stores, `The backup ${name} was taken`, cause)
      return { bytes: bytes.value }
    },
    failed,
  }
}

/** What was done is done: a disk that takes no entry of it keeps nobody from a backup, least of all then. */
function noted(options: GatewayOptions, stores: Stores, what: string, cause: Cause): void {
  try {
    toldInActivity(options, stores, what, cause)
  } catch (error) {
    options.log.warn({ err: error, what }, 'What was done with a backup could not be noted in the activity.')
  }
}

/** Decides for a restore, where `ready` lets it at last, and starts anew, which finishes it. */
export async function restored(
  options: GatewayOptions,
  file: string,
  asked: RestoreAsked,
  ready: () => void,
): Promise<RestoringView> {
  const { folder, clock, restart } = options
  const wish = { folder, file, phrase: asked.phrase, revive: asked.revive, now: clock.now(), ready }
  if (asked.check) return { ...(await previewRestore(wish)), restarts: false }
  if (restart === undefined) throw new BackupRefused('This gateway cannot start itself anew: stop it, then restore.')
  const done = await decideRestore(wish)
  clock.after(RESTART_AFTER_MS, restart)
  return { ...done, restarts: true }
}

/**
 * What cannot be done for a reason that administrators can mend is a sentence; anything else is a defect.
 * @throws Refusal where the reason is the disk, that too much is under way, or that another recovery phrase is needed.
 */
export async function told<T>(work: () => Promise<T>): Promise<Result<T, string>> {
  try {
    return ok(await work())
  } catch (error) {
    if (error instanceof BackupProblem) return unusable(error)
    if (error instanceof SettingsError) return fail(error.message)
    if (error instanceof BackupRefused) return refusedFor(error.code, error.message)
    if (errorCode(error) === null || error instanceof Refusal || error instanceof StorageUnavailable) throw error
    return refusedFor(refusalCodeOf(error), `It could not be done: ${reasonOf(error)}.`)
  }
}

/** A backup that takes another phrase is told from one that no phrase opens: whoever asks types it then. */
function unusable({ fault, message }: BackupProblem): Result<never, string> {
  if (fault === 'phrase_needed' || fault === 'wrong_phrase') throw new Refusal(fault, { message })
  return fail(message)
}

/** @throws Refusal where the reason is not what was asked. */
function refusedFor(code: BackupRefused['code'], message: string): Result<never, string> {
  if (code === 'validation') return fail(message)
  throw new Refusal(code, { message })
}

function choiceWords({ encrypted, history }: BackupChoiceView): string {
  return `Backups elsewhere are ${encrypted ? 'encrypted' : 'readable by everybody'}; the history is ${history ? 'in them' : 'left out'}`
}
