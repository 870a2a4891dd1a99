import { Refusal } from '../api/errors.ts'
import { BackupProblem } from '../backup/format/problem.ts'
import { BackupRefused, refusalCodeOf } from '../backup/keeping/backup-folder.ts'
import type { Backups } from '../backup/keeping/backups.ts'
import type { NewPhrase } from '../backup/keeping/new-phrase.ts'
import { contentsOf } from '../backup/keeping/parts.ts'
import { decideRestore, previewRestore } from '../backup/restoring/restore.ts'
import type { UploadedBackup } from '../backup/restoring/uploaded-backup.ts'
import type { Cause } from '../home/model/events.ts'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import type { Clock } from '../lib/clock.ts'
import { reasonOf } from '../lib/file-reasons.ts'
import { errorCode } from '../lib/files.ts'
import type { Log } from '../lib/log.ts'
import type { DataFolder } from '../settings/data-folder.ts'
import { SettingsError } from '../settings/settings.ts'
import { PIECE_BYTES_MAX, type RestoringView } from '../admin/contract/backups.ts'
import type { AdminContract } from '../admin/contract/index.ts'
import type { AdminCaller, AdminHandlersOf } from '../admin/dispatch.ts'

/** The response is sent before the restart. */
const RESTART_AFTER_MS = 500

export interface BackupAdminParts {
  readonly backups: Backups
  readonly phrase: NewPhrase
  readonly uploaded: UploadedBackup
  readonly folder: DataFolder
  readonly clock: Clock
  readonly log: Log
  /** Restarts the gateway, which finishes a restore; undefined where it cannot. */
  readonly restart?: (() => void) | undefined
  /** Records an entry for administrators in the activity. */
  readonly record: (what: string, cause: Cause) => void
}

type Handlers<Prefix extends string> = AdminHandlersOf<
  Pick<AdminContract, Extract<keyof AdminContract, `${Prefix}.${string}`>>
>

export function backupAdminHandlers(parts: BackupAdminParts): Handlers<'backups' | 'brought'> {
  return { ...makingHandlers(parts), ...restoreHandlers(parts), ...uploadHandlers(parts) }
}

type Restore = 'backups.restore' | 'backups.restoreFile'

function makingHandlers(parts: BackupAdminParts): Omit<Handlers<'backups'>, Restore> {
  const { backups, phrase, clock } = parts
  const { settings } = backups
  return {
    'backups.list': () =>
      withRefusals(async () => {
        const list = await backups.list()
        return { state: backups.state(), choice: settings.choice, backups: list }
      }),
    'backups.make': ({ body, by }) => makeBackup(parts, by, body.history),
    'backups.write': ({ body, cause }) =>
      withRefusals(async () => {
        const { manifest, ...written } = await backups.write(body)
        note(parts, `A backup was written to ${body.file}`, cause)
        return { file: body.file, ...written, contents: contentsOf(manifest) }
      }),
    'backups.check': ({ params: { name } }) =>
      withRefusals(async () => ({ contents: contentsOf(await backups.check(name)) })),
    'backups.choose': ({ body, cause }) =>
      withRefusals(async () => {
        await settings.choose(body)
        const { encrypted, history } = settings.choice
        const words = `Backups outside the data folder are ${encrypted ? 'encrypted' : 'not encrypted'}`
        note(parts, `${words}; nightly backups ${history ? 'include' : 'leave out'} the history`, cause)
        return settings.choice
      }),
    'backups.phrase': () => phrase.create(),
    'backups.confirmPhrase': ({ body, cause }) =>
      withRefusals(async () => {
        await phrase.confirm(body.words)
        note(parts, 'Backups are encrypted with a new recovery phrase from now on', cause)
        return { phraseSince: settings.phraseSince ?? clock.now() }
      }),
  }
}

function restoreHandlers(parts: BackupAdminParts): Pick<Handlers<'backups'>, Restore> {
  const { backups } = parts
  return {
    'backups.restore': ({ params: { name }, body, by, refuse }) =>
      withRefusals(async () => {
        const { file } = await backups.find(name)
        return backups.runRequest(() => restore(parts, file, body, () => by.holds() || refuse('unauthorized')))
      }),
    'backups.restoreFile': ({ body }) =>
      withRefusals(() => backups.runRequest(() => restore(parts, body.file, body, () => {}))),
  }
}

function uploadHandlers(parts: BackupAdminParts): Handlers<'brought'> {
  const { backups, uploaded } = parts
  return {
    'brought.begin': ({ body: { bytes } }) =>
      withRefusals(async () => ({ id: await uploaded.begin(bytes), pieceBytes: PIECE_BYTES_MAX })),
    'brought.add': ({ params: { id }, body: { from, piece } }) =>
      withRefusals(async () => {
        const { received, encrypted } = await uploaded.add(id, from, Buffer.from(piece, 'base64'))
        return { received, encrypted }
      }),
    'brought.restore': ({ params: { id }, body, by, refuse }) =>
      withRefusals(() =>
        backups.runRequest(async () => {
          const requireStillAllowed = (): unknown => by.holds() || refuse('unauthorized')
          const view = await uploaded.use(id, (file) => restore(parts, file, body, requireStillAllowed))
          // The restore is decided. If the file cannot be removed now, the next start does it.
          if (view.restarts) await uploaded.drop(id).catch(() => {})
          return view
        }),
      ),
    'brought.drop': ({ params: { id } }) =>
      withRefusals(async () => {
        await uploaded.drop(id)
        return { id }
      }),
  }
}

/** Makes a backup in the backup folder. By default, the settings say whether it has the history. @throws Refusal */
export function makeBackup(
  parts: BackupAdminParts,
  { cause, isOperator }: Pick<AdminCaller, 'cause' | 'isOperator'>,
  history?: boolean,
): ReturnType<Backups['make']> {
  return withRefusals(async () => {
    const made = await parts.backups.make(isOperator ? 'operator' : 'asked', history)
    note(parts, 'A backup was made', cause)
    return made
  })
}

/** The encrypted bytes of a backup, for a download. @throws Refusal */
export function downloadBackup(
  parts: BackupAdminParts,
  name: string,
  cause: Cause,
): ReturnType<Backups['encryptedBytes']> {
  return withRefusals(async () => {
    const bytes = await parts.backups.encryptedBytes(name)
    note(parts, `The backup ${name} was downloaded`, cause)
    return bytes
  })
}

interface RestoreChoice {
  readonly check?: boolean | undefined
  readonly phrase?: string | undefined
  readonly revive?: boolean | undefined
}

/** Decides for a restore unless `requireStillAllowed` throws, and restarts the gateway, which finishes it. */
async function restore(
  { folder, clock, restart }: BackupAdminParts,
  file: string,
  { check, phrase, revive = false }: RestoreChoice,
  requireStillAllowed: () => unknown,
): Promise<RestoringView> {
  const request = { folder, file, phrase: phrase ?? null, revive, now: clock.now() }
  if (check === true) return { ...(await previewRestore(request)), restarts: false }
  if (restart === undefined) throw new BackupRefused('This gateway cannot restart itself: stop it, then restore.')
  const done = await decideRestore(request, requireStillAllowed)
  clock.after(RESTART_AFTER_MS, restart)
  return { ...done, restarts: true }
}

/** A disk that refuses the entry must not prevent the backup. */
function note({ record, log }: BackupAdminParts, what: string, cause: Cause): void {
  try {
    record(what, cause)
  } catch (error) {
    log.warn({ err: error, what }, 'The activity takes no entry about a backup.')
  }
}

/** Turns a failure that an administrator can mend into a Refusal with a sentence. Any other error is a defect. */
async function withRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal || error instanceof StorageUnavailable) return error
  if (error instanceof BackupProblem) {
    const { fault, message } = error
    return new Refusal(fault === 'phrase_needed' || fault === 'wrong_phrase' ? fault : 'validation', { message })
  }
  if (error instanceof SettingsError) return new Refusal('validation', { message: error.message })
  if (error instanceof BackupRefused) return new Refusal(error.code, { message: error.message })
  if (errorCode(error) === null) return error
  return new Refusal(refusalCodeOf(error), { message: `The backup task failed: ${reasonOf(error)}.` })
}
