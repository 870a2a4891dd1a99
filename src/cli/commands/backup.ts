import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { BackupContentsView, BackupView } from '../../admin/contract/backups.ts'
import type { AnswerOf } from '../../api/client.ts'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import type { HomeTime } from '../home-time.ts'
import { onOff } from '../on-off.ts'
import { openedBackup } from '../opened-backup.ts'
import { size, table, write } from '../print.ts'
import { asked } from '../questions.ts'

type Backups = AnswerOf<AdminContract['backups.list']>

const WHY = {
  nightly: 'at night',
  asked: 'asked for',
  operator: 'by an operator token',
  'before-update': 'before an update',
} as const

/** `hm backup …`: the home as one file. */
export function backupCommands(program: Command, context: () => CliContext): void {
  const backup = program.command('backup').description('the home as one file: made, listed, checked, encrypted')
  makeCommand(backup, context)
  backup
    .command('list')
    .description('which backups there are, and how they are made')
    .action(async () => context().showTimes(await context().client.ask('backups.list'), listText))
  checkCommand(backup, context)
  phraseCommand(backup, context)
  backup
    .command('settings')
    .description('how backups are made; without options, say it')
    .option('--encrypt <on|off>', 'encrypt those that are kept outside the data folder')
    .option('--history <on|off>', 'have the history in those made at night')
    .action(async ({ encrypt, history }: { encrypt?: string; history?: string }) => {
      const body = { encrypted: onOff(encrypt, '--encrypt'), history: onOff(history, '--history') }
      const { encrypted, history: withHistory } = await context().client.ask('backups.choose', { body })
      context().show(
        { encrypted, history: withHistory },
        () =>
          `Backups outside the data folder are ${encrypted ? 'encrypted' : 'not encrypted'}. Those made at night ${withHistory ? 'have' : 'leave out'} the history.`,
      )
    })
  backup
    .command('copy <file>')
    .description('write the configuration alone to a new file, as a database')
    .action(async (file: string) => {
      const answer = await context().client.ask('backup.write', { body: { file: resolve(file) } })
      context().show(
        answer,
        (each) =>
          `Wrote ${each.file} (${size(each.bytes)}). It holds no secrets: keys are in it as hashes, and the CA is not in it.`,
      )
    })
}

/** What `hm backup` does without another word. */
function makeCommand(backup: Command, context: () => CliContext): void {
  backup
    .command('make', { isDefault: true })
    .description('make a backup now')
    .option('--to <file>', 'write it to this new file instead of the folder of backups')
    .option('--history', 'with the history, else as in the settings')
    .option('--plain', 'with --to: not encrypted, though there is a recovery phrase')
    .action(async ({ to, history, plain }: { to?: string; history?: true; plain?: true }) => {
      if (to !== undefined) return writeTo(context(), resolve(to), history, plain === true ? false : undefined)
      if (plain === true) throw new CliError('--plain is for --to: for the folder of backups, see hm backup settings.')
      const answer = await context().client.ask('backups.make', { body: { history } })
      const { folder, backup: made, lacks } = answer
      context().show(answer, () =>
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
        : 'It is not encrypted, and holds the private key of the CA: whoever has it can pretend to be this gateway.',
    ].join('\n'),
  )
}

function checkCommand(backup: Command, context: () => CliContext): void {
  backup
    .command('check <file>')
    .description('open a backup as a restore would, and say what is in it; needs no gateway')
    .option('--phrase-file <file>', 'a file with the recovery phrase')
    .action(async (file: string, { phraseFile }: { phraseFile?: string }) => {
      const { at, contents } = await openedBackup(context(), resolve(file), phraseFile, 'check')
      context().show({ at, contents }, () =>
        [
          `${resolve(file)} is whole: ${contentsText(at, contents)}.`,
          ...(contents.lacks === null ? [] : [contents.lacks]),
        ].join('\n'),
      )
    })
}

function phraseCommand(backup: Command, context: () => CliContext): void {
  backup
    .command('phrase')
    .description('make a recovery phrase, and encrypt backups with it from then on')
    .action(async () => {
      const { client, json } = context()
      const { words, asked: places } = await client.ask('backups.phrase')
      if (json) throw new CliError('A recovery phrase is for paper: this command has no --json.')
      write(phraseText(words))
      const typed: string[] = []
      for (const place of places) typed.push(await asked(`Word ${place}: `))
      await client.ask('backups.confirmPhrase', { body: { words: typed } })
      write(
        'Backups outside the data folder are encrypted with it from now on. Those made before keep their own phrase.',
      )
    })
}

function phraseText(words: readonly string[]): string {
  const lines = words.map((word, index) => `  ${String(index + 1).padStart(2)}  ${word}`)
  return [
    'Write these words down, in this order, and keep them where the gateway is not. They are shown once and stored',
    'nowhere: without them no encrypted backup can be opened, by nobody.',
    '',
    ...lines,
    '',
  ].join('\n')
}

function listText({ state, choice, backups }: Backups, time: HomeTime): string {
  const rows = backups.map((each) => [each.name, time.when(each.at), WHY[each.why], size(each.bytes), aboutText(each)])
  return [
    rows.length === 0 ? 'There is no backup yet.' : table(['backup', 'made', 'why', 'size', 'in it'], rows),
    '',
    `They are kept in ${state.folder}. The next is made ${time.when(state.nextAt)}${choice.history ? ', with the history' : ''}.`,
    state.phraseSince === null
      ? 'There is no recovery phrase: bin/hm backup phrase makes one.'
      : `The recovery phrase is of ${time.when(state.phraseSince)}.`,
    ...(state.error === null ? [] : [`${time.when(state.error.at)}  ${state.error.what}`]),
  ].join('\n')
}

function aboutText({ contents, encrypted, unreadable }: BackupView): string {
  if (contents === null) return unreadable ?? ''
  return `${contents.home}${contents.history ? ', with history' : ''}${encrypted ? ', encrypted' : ''}`
}

/** `Sonnenwinkel, 2026-11-23 03:10 UTC, 2 persons, 3 integrations, 4 keys, without history`. */
export function contentsText(at: number, { home, counts, history }: BackupContentsView): string {
  const { persons, integrations, keys } = counts
  const made = `${new Date(at).toISOString().slice(0, '2026-11-23T03:10'.length).replace('T', ' ')} UTC`
  return `${home}, ${made}, ${persons} persons, ${integrations} integrations, ${keys} keys and agents, ${history ? 'with' : 'without'} history`
}
