import { CliError, NoGateway, readText, ask, listed, size, write } from '../shell/terminal.ts'
import type { BackupContentsView, BackupView, RestoringView } from '../../admin/contract/backups.ts'
import { BackupProblem } from '../../backup/format/problem.ts'
import type { CheckPurpose } from '../../backup/restoring/check-folder.ts'
import type { RolledBack } from '../../backup/restoring/offline-restore.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { errorCode } from '../../lib/files.ts'
import type { CliContext } from './context.ts'
import { resolve } from 'node:path'
import type { CallAnswer, Commands } from './command-group.ts'
import type { HomeTime } from '../shell/home-time.ts'

/** Parses an option with `on` or `off`; undefined if it is missing. */
function onOff(text: string | undefined, option: string): boolean | undefined {
  if (text === undefined || text === 'on' || text === 'off') return text === undefined ? undefined : text === 'on'
  throw new CliError(`${option} is "${text}": it must be on or off.`)
}

/** Exit codes of the faults of a backup (docs/backup.md#what-can-be-wrong). */
const EXIT_CODES = { not_a_backup: 3, newer: 4, cut: 5, damaged: 6, phrase_needed: 7, wrong_phrase: 8 } as const

/** A backup opened as for a restore, with its phrase if one was needed. */
interface OpenedBackup {
  readonly at: number
  readonly contents: BackupContentsView
  readonly phrase: string | null
}

/** Opens a backup, and asks for its phrase at a terminal if needed; throws a CliError on failure. */
async function openBackup(
  context: Pick<CliContext, 'dataDir' | 'during'>,
  file: string,
  phraseFile: string | undefined,
  purpose: CheckPurpose,
): Promise<OpenedBackup> {
  const { dataDir } = context
  const { checkOffline } = await import('../../backup/restoring/offline-restore.ts')
  const opened = async (phrase: string | null): Promise<OpenedBackup> => ({
    ...(await context.during('Opening the backup and checking every part', () =>
      checkOffline({ dataDir, file, phrase }, purpose),
    )),
    phrase,
  })
  const openAskingPhrase = async (): Promise<OpenedBackup> => {
    if (phraseFile !== undefined) return opened(readText(phraseFile))
    return opened(null).catch(async (error: unknown) => {
      const isEncrypted = error instanceof BackupProblem && error.fault === 'phrase_needed'
      if (!isEncrypted || !process.stdin.isTTY) throw error
      return opened(await askPhrase())
    })
  }
  const room = {
    restore: 'Free space on that disk, then run this again.',
    check: 'Free space, or set another folder with --data-dir.',
  }
  return withFaults(openAskingPhrase(), (error) =>
    errorCode(error) === 'ENOSPC'
      ? `${file} cannot be opened: the disk is full, and a backup is unpacked in the data folder ${dataDir}. ${room[purpose]}`
      : `${file} cannot be opened: ${reasonOf(error)}.`,
  )
}

const askPhrase = (): Promise<string> => ask('Its recovery phrase: ')

/** Turns faults of a backup into sentences with exit codes, and errors of the disk into the text of `words`. */
async function withFaults<T>(work: Promise<T>, words: (error: unknown) => string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BackupProblem)
      throw new CliError(error.message, EXIT_CODES[error.fault], { code: error.fault })
    throw errorCode(error) === null ? error : new CliError(words(error))
  }
}

const WHY = {
  nightly: 'at night',
  asked: 'requested',
  operator: 'by an operator token',
  'before-update': 'before an update',
} as const

/** `hm backup …`: the home as one file. */
export function backupCommands(program: Commands): void {
  const backup = program.group('backup', 'make, list, check and encrypt backups of the home')
  makeCommand(backup)
  backup.asks('list', 'list the backups and their settings', 'backups.list', listText)
  checkCommand(backup)
  phraseCommand(backup)
  identityCommand(backup)
  backup
    .command('settings', 'change the settings of backups; without options, show them')
    .option('--encrypt <on|off>', 'encrypt backups outside the data folder')
    .option('--history <on|off>', 'include the history in nightly backups')
    .action(async ({ encrypt, history }: { encrypt?: string; history?: string }) => {
      const body = { encrypted: onOff(encrypt, '--encrypt'), history: onOff(history, '--history') }
      const { encrypted, history: withHistory } = await backup.context.client.ask('backups.choose', { body })
      backup.context.show(
        { encrypted, history: withHistory },
        () =>
          `Backups outside the data folder are ${encrypted ? 'encrypted' : 'not encrypted'}. Nightly backups ${withHistory ? 'include' : 'leave out'} the history.`,
      )
    })
  backup
    .command('copy <file>', 'write only the configuration to a new file, as a database')
    .action(async (file: string) => {
      const answer = await backup.context.client.ask('backup.write', { body: { file: resolve(file) } })
      backup.context.show(
        answer,
        (written) =>
          `Wrote ${written.file} (${size(written.bytes)}). It has no secrets: keys are stored as hashes, and the CA is left out.`,
      )
    })
}

/** `hm backup make`, the default command of the group. */
function makeCommand(backup: Commands): void {
  backup
    .command('make', 'make a backup now', { isDefault: true })
    .option('--to <file>', 'write it to this new file instead of the backup folder')
    .option('--history', 'with the history; by default as in the settings')
    .option('--plain', 'with --to: not encrypted, even with a recovery phrase')
    .action(async ({ to, history, plain }: { to?: string; history?: true; plain?: true }) => {
      if (to !== undefined) return writeTo(backup.context, resolve(to), history, plain === true ? false : undefined)
      if (plain === true) throw new CliError('--plain needs --to. For the backup folder use hm backup settings.')
      const answer = await backup.context.client.ask('backups.make', { body: { history } })
      const { folder, backup: made, lacks } = answer
      backup.context.show(answer, () =>
        [
          `Wrote ${folder}/${made.name} (${size(made.bytes)}), opened and checked.`,
          ...(lacks === null ? [] : [lacks]),
        ].join('\n'),
      )
    })
}

async function writeTo(context: CliContext, file: string, history?: boolean, encrypted?: boolean): Promise<void> {
  const answer = await context.client.ask('backups.write', { body: { file, history, encrypted } })
  context.show(answer, ({ bytes, encrypted: isSealed, contents: { lacks } }) =>
    [
      `Wrote ${file} (${size(bytes)}), opened and checked.`,
      ...(lacks === null ? [] : [lacks]),
      isSealed
        ? 'Its recovery phrase opens it.'
        : 'It is not encrypted and has the private key of the CA: anybody who has it can impersonate this gateway.',
    ].join('\n'),
  )
}

function checkCommand(backup: Commands): void {
  backup
    .command('check <file>', 'open a backup as for a restore, and show its content; needs no gateway')
    .option('--phrase-file <file>', 'a file with the recovery phrase')
    .action(async (file: string, { phraseFile }: { phraseFile?: string }) => {
      const { at, contents } = await openBackup(backup.context, resolve(file), phraseFile, 'check')
      backup.context.show({ at, contents }, () =>
        [
          `${resolve(file)} is complete: ${contentsText(at, contents)}.`,
          ...(contents.lacks === null ? [] : [contents.lacks]),
        ].join('\n'),
      )
    })
}

function identityCommand(backup: Commands): void {
  backup
    .command('identity <file>', 'print the identity by which the tool age opens an encrypted backup; needs no gateway')
    .option('--phrase-file <file>', 'a file with the recovery phrase')
    .action(async (file: string, { phraseFile }: { phraseFile?: string }) => {
      const { ageIdentity } = await import('../../backup/format/backup-file.ts')
      const phrase = phraseFile === undefined ? await askPhrase() : readText(phraseFile)
      const identity = await withFaults(
        ageIdentity(resolve(file), phrase),
        (error) => `${file} cannot be opened: ${reasonOf(error)}.`,
      )
      backup.context.show({ identity }, () => identity)
    })
}

function phraseCommand(backup: Commands): void {
  backup.command('phrase', 'create a recovery phrase, and encrypt backups with it from then on').action(async () => {
    const { client, json } = backup.context
    const { words, asked: places } = await client.ask('backups.phrase')
    if (json) throw new CliError('A recovery phrase belongs on paper: this command has no --json.')
    write(phraseText(words))
    const typed: string[] = []
    for (const place of places) typed.push(await ask(`Word ${place}: `))
    await client.ask('backups.confirmPhrase', { body: { words: typed } })
    write('Backups outside the data folder are encrypted with it from now on. Earlier backups keep their own phrase.')
  })
}

function phraseText(words: readonly string[]): string {
  const lines = words.map((word, index) => `  ${String(index + 1).padStart(2)}  ${word}`)
  return [
    'Write these words down in this order, and keep them away from the gateway. They are shown once and stored',
    'nowhere: without them, no encrypted backup can be opened.',
    '',
    ...lines,
    '',
  ].join('\n')
}

function listText({ state, choice, backups }: CallAnswer<'backups.list'>, time: HomeTime): string {
  return [
    listed(backups, 'There is no backup yet.', {
      backup: ({ name }) => name,
      made: ({ at }) => time.when(at),
      why: ({ why }) => WHY[why],
      size: ({ bytes }) => size(bytes),
      'in it': aboutText,
    }),
    '',
    `The backup folder is ${state.folder}. The next backup is made ${time.when(state.nextAt)}${choice.history ? ', with the history' : ''}.`,
    state.phraseSince === null
      ? 'There is no recovery phrase: bin/hm backup phrase creates one.'
      : `The recovery phrase was created ${time.when(state.phraseSince)}.`,
    ...(state.error === null ? [] : [`${time.when(state.error.at)}  ${state.error.what}`]),
  ].join('\n')
}

function aboutText({ contents, encrypted, unreadable }: BackupView): string {
  if (contents === null) return unreadable ?? ''
  return `${contents.home}${contents.history ? ', with history' : ''}${encrypted ? ', encrypted' : ''}`
}

/** `Sonnenwinkel, 2026-11-23 03:10 UTC, 2 persons, 3 integrations, 4 keys, without history`. */
function contentsText(at: number, { home, counts, history }: BackupContentsView): string {
  const { persons, integrations, keys } = counts
  const made = `${new Date(at).toISOString().slice(0, '2026-11-23T03:10'.length).replace('T', ' ')} UTC`
  return `${home}, ${made}, ${persons} persons, ${integrations} integrations, ${keys} keys and agents, ${history ? 'with' : 'without'} history`
}

interface Options {
  readonly check: boolean
  readonly revive: boolean
  readonly phraseFile?: string
}

/** `hm restore`: replaces the home by a backup, with or without a running gateway. */
export function restoreCommand(program: Commands): void {
  program
    .command('restore <file>', 'restore a backup; the present data is moved aside; needs no gateway')
    .option('--check', 'only show the effect', false)
    .option(
      '--revive',
      'revive keys and agents that were revoked after the backup; removed persons and revoked operator tokens stay so',
      false,
    )
    .option('--phrase-file <file>', 'a file with the recovery phrase of an encrypted backup')
    .action(async (file: string, options: Options) => {
      const answer = await restore(program.context, resolve(file), options)
      program.context.show(answer, (restoring) => restoringText(restoring, options))
    })
}

/** `hm rollback`: restores the databases from before an update. */
export function rollbackCommand(program: Commands): void {
  program
    .command('rollback', 'restore the backup from before an update of the databases; run it with the earlier release')
    .option('--check', 'only show the effect', false)
    .action(async ({ check }: { check: boolean }) => {
      const { rollBackOffline } = await import('../../backup/restoring/offline-restore.ts')
      const how = { check, now: Date.now(), env: process.env }
      const answer = await program.context.during('Looking for the newest backup from before an update', () =>
        withFaults(rollBackOffline(program.context.dataDir, how), restoreErrorText),
      )
      program.context.show(answer, (restore) =>
        [...restore.passedOver.map(skippedText), restoringText(restore, { check, revive: false })].join('\n'),
      )
    })
}

/** Restores through the running gateway, which restarts; without one, in this process. */
async function restore(context: CliContext, file: string, options: Options): Promise<RestoringView> {
  const { check, revive } = options
  const { phrase } = await openBackup(context, file, options.phraseFile, 'restore')
  const step = check ? 'Comparing the backup with the home' : 'Restoring the home'
  return context.during(step, async () => {
    try {
      const body = { file, check, revive, phrase: phrase ?? undefined }
      return await context.client.ask('backups.restoreFile', { body })
    } catch (error) {
      if (!(error instanceof NoGateway)) throw error
      const { restoreOffline } = await import('../../backup/restoring/offline-restore.ts')
      const how = { check, revive, now: Date.now(), env: process.env }
      return await withFaults(restoreOffline({ dataDir: context.dataDir, file, phrase }, how), restoreErrorText)
    }
  })
}

const restoreErrorText = (error: unknown): string =>
  `The restore failed: ${reasonOf(error)}. Fix that, then run it again.`

const skippedText = ({ file, why }: RolledBack['passedOver'][number]): string => `Skipped: ${file}. ${why}`

function restoringText(restoring: RestoringView, { check, revive }: Options): string {
  const { at, contents, present, aside, restarts } = restoring
  return [
    `${check ? 'It holds' : 'Restored'}: ${contentsText(at, contents)}.`,
    ...(contents.lacks === null ? [] : [contents.lacks]),
    ...credentialsText(restoring, check ? 'would ' : '', revive),
    ...personsText(restoring),
    restoredPhraseText(restoring),
    ...(present === 'this' ? [] : [UNKNOWN[present]]),
    ...(aside === null ? [] : [`The present data ${check ? 'would move' : 'moved'} to ${aside} in the data folder.`]),
    ...(check ? [] : [restarts ? 'The gateway restarts with it now.' : 'Start the gateway: clients still trust it.']),
  ].join('\n')
}

function credentialsText({ ended, lost }: RestoringView, would: string, revive: boolean): readonly string[] {
  const names = (all: RestoringView['ended']): string =>
    all.map(({ name, integration, link }) => `${name === '' ? link : name} (${integration})`).join(', ')
  return [
    ...(ended.length === 0
      ? []
      : [`Revoked after the backup, and ${would}${revive ? 'work again' : 'stay revoked'}: ${names(ended)}.`]),
    ...(lost.length === 0 ? [] : [`Newer than the backup, and ${would}stop working: ${names(lost)}.`]),
  ]
}

/** People after the restore, and their passwords. */
function personsText({ persons, lostPersons }: RestoringView): readonly string[] {
  const older = persons.filter(({ password }) => password === 'then').map(({ name }) => name)
  return [
    ...(persons.length === 0
      ? ['Nobody has an account: bin/hm console creates a link to add an administrator.']
      : [`People with an account: ${persons.map(({ name }) => name).join(', ')}.`]),
    ...(older.length === 0 ? [] : [`With the password of the backup, not a later one: ${older.join(', ')}.`]),
    ...(lostPersons.length === 0 ? [] : [`Added after the backup, and missing afterwards: ${lostPersons.join(', ')}.`]),
  ]
}

function restoredPhraseText({ phrase: { from, since } }: RestoringView): string {
  if (since === null) return 'There is no recovery phrase afterwards: bin/hm backup phrase creates one.'
  const day = new Date(since).toISOString().slice(0, '2026-11-23'.length)
  return from === 'now'
    ? `The present recovery phrase, made on ${day}, stays.`
    : `The recovery phrase of the backup, made on ${day}, applies again: have its words at hand.`
}

const UNKNOWN = {
  none: 'The data folder is empty, so keys that were revoked later are unknown: check bin/hm key list.',
  another: 'The data folder has another home, so keys that were revoked later are unknown: check bin/hm key list.',
} as const
