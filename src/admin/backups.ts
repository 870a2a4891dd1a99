import type { Cause } from '../home/model/events.ts'
import type { Result } from '../lib/result.ts'
import type {
  BackupChoiceView,
  BackupContentsView,
  BackupStateView,
  BackupView,
  RestoringView,
} from './contract/backups.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminBy, AdminHandlersOf } from './dispatch.ts'

/** What cannot be done is one sentence. */
type Told<T> = Promise<Result<T, string>>

export interface RestoreAsked {
  readonly check: boolean
  readonly phrase: string | null
  readonly revive: boolean
}

/** What administrators can ask of the backups. */
export interface BackupAdminParts {
  readonly state: () => BackupStateView
  readonly choice: () => BackupChoiceView
  readonly list: () => Told<readonly BackupView[]>
  readonly has: (name: string) => Told<boolean>
  /** `history` as chosen where it is undefined; those of programs are counted by themselves. */
  readonly make: (
    history: boolean | undefined,
    by: Pick<AdminBy, 'cause' | 'isOperator'>,
  ) => Told<{ readonly backup: BackupView; readonly folder: string; readonly lacks: string | null }>
  readonly write: (
    file: string,
    wish: { readonly history: boolean | undefined; readonly encrypted: boolean | undefined },
    cause: Cause,
  ) => Told<{ readonly bytes: number; readonly encrypted: boolean; readonly contents: BackupContentsView }>
  readonly check: (name: string) => Told<BackupContentsView>
  readonly choose: (choice: Partial<BackupChoiceView>, cause: Cause) => Told<BackupChoiceView>
  readonly showPhrase: () => {
    readonly words: readonly string[]
    readonly asked: readonly number[]
    readonly expiresAt: number
  }
  readonly confirmPhrase: (words: readonly string[], cause: Cause) => Told<number>
  /** Of one in the folder, by its name, or of a file; `ready` is asked last, and throws where nothing is to change. */
  readonly restore: (
    from: { readonly name: string } | { readonly file: string },
    asked: RestoreAsked,
    ready: () => void,
  ) => Told<RestoringView>
}

type BackupNames = Extract<keyof AdminContract, `backups.${string}`>

export function backupAdminHandlers(parts: BackupAdminParts): AdminHandlersOf<Pick<AdminContract, BackupNames>> {
  return { ...makingHandlers(parts), ...phraseHandlers(parts), ...restoreHandlers(parts) }
}

type Making = 'backups.list' | 'backups.make' | 'backups.write' | 'backups.check' | 'backups.choose'

function makingHandlers(parts: BackupAdminParts): AdminHandlersOf<Pick<AdminContract, Making>> {
  return {
    'backups.list': async ({ refuse }) => {
      const all = await parts.list()
      if (!all.ok) return refuse('validation', { message: all.error })
      return { state: parts.state(), choice: parts.choice(), backups: all.value }
    },
    'backups.make': async ({ body, by, refuse }) => {
      const made = await parts.make(body.history, by)
      return made.ok ? made.value : refuse('validation', { message: made.error })
    },
    'backups.write': async ({ body: { file, history, encrypted }, cause, refuse }) => {
      const made = await parts.write(file, { history, encrypted }, cause)
      return made.ok ? { file, ...made.value } : refuse('validation', { message: made.error })
    },
    'backups.check': async ({ params: { name }, refuse }) => {
      if (await isMissing(parts, name)) refuse('not_found', { message: noBackup(name) })
      const checked = await parts.check(name)
      return checked.ok ? { contents: checked.value } : refuse('validation', { message: checked.error })
    },
    'backups.choose': async ({ body, cause, refuse }) => {
      const chosen = await parts.choose(body, cause)
      return chosen.ok ? chosen.value : refuse('validation', { message: chosen.error })
    },
  }
}

type Phrase = 'backups.phrase' | 'backups.confirmPhrase'

function phraseHandlers(parts: BackupAdminParts): AdminHandlersOf<Pick<AdminContract, Phrase>> {
  return {
    'backups.phrase': () => parts.showPhrase(),
    'backups.confirmPhrase': async ({ body, cause, refuse }) => {
      const since = await parts.confirmPhrase(body.words, cause)
      return since.ok ? { phraseSince: since.value } : refuse('validation', { message: since.error })
    },
  }
}

type Restore = 'backups.restore' | 'backups.restoreFile'

function restoreHandlers(parts: BackupAdminParts): AdminHandlersOf<Pick<AdminContract, Restore>> {
  return {
    'backups.restore': async ({ params: { name }, body, by, refuse }) => {
      if (await isMissing(parts, name)) refuse('not_found', { message: noBackup(name) })
      const done = await parts.restore({ name }, askedIn(body), () => by.holds() || refuse('unauthorized'))
      return done.ok ? done.value : refuse('validation', { message: done.error })
    },
    'backups.restoreFile': async ({ body, refuse }) => {
      const done = await parts.restore({ file: body.file }, askedIn(body), () => {})
      return done.ok ? done.value : refuse('validation', { message: done.error })
    },
  }
}

/** A folder that cannot be read says so itself when it is asked for the backup. */
async function isMissing(parts: BackupAdminParts, name: string): Promise<boolean> {
  const found = await parts.has(name)
  return found.ok && !found.value
}

const noBackup = (name: string): string => `There is no backup ${name}.`

export function askedIn(body: {
  readonly check?: boolean | undefined
  readonly phrase?: string | undefined
  readonly revive?: boolean | undefined
}): RestoreAsked {
  return { check: body.check ?? false, phrase: body.phrase ?? null, revive: body.revive ?? false }
}
