import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { RestoringView } from '../../admin/contract/backups.ts'
import { reasonOf } from '../../lib/file-reasons.ts'
import { errorCode } from '../../lib/files.ts'
import type { RolledBack } from '../../backup/restoring/restore-at-rest.ts'
import { CliError, NoGateway } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { faultTold, openedBackup } from '../opened-backup.ts'
import { contentsText } from './backup.ts'

interface Options {
  readonly check: boolean
  readonly revive: boolean
  readonly phraseFile?: string
}

/** `hm restore`: a backup in the place of what there is, with a gateway that runs, or without one. */
export function restoreCommand(program: Command, context: () => CliContext): void {
  program
    .command('restore <file>')
    .description('put a backup in the place of what there is, which is kept aside; needs no gateway')
    .option('--check', 'only say what would happen', false)
    .option(
      '--revive',
      'let keys and agents live again that have ended since the backup was made; persons and operators that ended stay so',
      false,
    )
    .option('--phrase-file <file>', 'a file with the recovery phrase of an encrypted backup')
    .action(async (file: string, options: Options) => {
      const answer = await restored(context(), resolve(file), options)
      context().show(answer, (each) => restoringText(each, options))
    })
}

/** `hm rollback`: back to the databases from before an update. */
export function rollbackCommand(program: Command, context: () => CliContext): void {
  program
    .command('rollback')
    .description('put back the backup that was made before an update changed the databases; for the earlier program')
    .option('--check', 'only say what would happen', false)
    .action(async ({ check }: { check: boolean }) => {
      const { rollBackAtRest } = await import('../../backup/restoring/restore-at-rest.ts')
      const how = { check, now: Date.now(), env: process.env }
      const answer = await context().during('Looking for the newest backup from before an update', () =>
        told(rollBackAtRest(context().dataDir, how)),
      )
      context().show(answer, (each) =>
        [...each.passedOver.map(passedOverText), restoringText(each, { check, revive: false })].join('\n'),
      )
    })
}

/** By the gateway that runs, which starts anew; by this process where none does. */
async function restored(context: CliContext, file: string, options: Options): Promise<RestoringView> {
  const { check, revive } = options
  const { phrase } = await openedBackup(context, file, options.phraseFile, 'restore')
  const step = check ? 'Comparing the backup with the home' : 'Restoring the home'
  return context.during(step, async () => {
    try {
      const body = { file, check, revive, phrase: phrase ?? undefined }
      return await context.client.ask('backups.restoreFile', { body })
    } catch (error) {
      if (!(error instanceof NoGateway)) throw error
      const { restoreAtRest } = await import('../../backup/restoring/restore-at-rest.ts')
      const how = { check, revive, now: Date.now(), env: process.env }
      return await told(restoreAtRest({ dataDir: context.dataDir, file, phrase }, how))
    }
  })
}

/** What is wrong with a backup, and what the disk refuses, is a sentence. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { backupFault } = await import('../../backup/restoring/restore-at-rest.ts')
    const fault = backupFault(error)
    if (fault !== null) throw faultTold(fault)
    if (errorCode(error) === null) throw error
    throw new CliError(`It could not be restored: ${reasonOf(error)}. Mend that, then run it again.`)
  }
}

const passedOverText = ({ file, why }: RolledBack['passedOver'][number]): string => `Passed over: ${file}. ${why}`

function restoringText(restoring: RestoringView, { check, revive }: Options): string {
  const { at, contents, present, aside, restarts } = restoring
  return [
    `${check ? 'It holds' : 'Restored'}: ${contentsText(at, contents)}.`,
    ...(contents.lacks === null ? [] : [contents.lacks]),
    ...credentialsText(restoring, check ? 'would ' : '', revive),
    ...personsText(restoring),
    phraseText(restoring),
    ...(present === 'this' ? [] : [UNKNOWN[present]]),
    ...(aside === null ? [] : [`What is there now ${check ? 'would move' : 'moved'} to ${aside} in the data folder.`]),
    ...(check
      ? []
      : [restarts ? 'The gateway starts anew on it now.' : 'Start the gateway: clients go on trusting it.']),
  ].join('\n')
}

function credentialsText({ ended, lost }: RestoringView, would: string, revive: boolean): readonly string[] {
  const names = (all: RestoringView['ended']): string =>
    all.map(({ name, integration, link }) => `${name === '' ? link : name} (${integration})`).join(', ')
  return [
    ...(ended.length === 0
      ? []
      : [`Ended since then, and ${would}${revive ? 'live again' : 'stay ended'}: ${names(ended)}.`]),
    ...(lost.length === 0 ? [] : [`Made since then, and ${would}end: ${names(lost)}.`]),
  ]
}

/** Who comes in afterwards, and by which password. */
function personsText({ persons, lostPersons }: RestoringView): readonly string[] {
  const older = persons.filter(({ password }) => password === 'then').map(({ name }) => name)
  return [
    ...(persons.length === 0
      ? ['No person administers it: bin/hm console makes a link for one.']
      : [`Who administers it: ${persons.map(({ name }) => name).join(', ')}.`]),
    ...(older.length === 0 ? [] : [`With the password of then, not one of later: ${older.join(', ')}.`]),
    ...(lostPersons.length === 0 ? [] : [`Came since then, and not in it: ${lostPersons.join(', ')}.`]),
  ]
}

function phraseText({ phrase: { from, since } }: RestoringView): string {
  if (since === null) return 'There is no recovery phrase afterwards: bin/hm backup phrase makes one.'
  const day = new Date(since).toISOString().slice(0, '2026-11-23'.length)
  return from === 'now'
    ? `The recovery phrase stays the one of now, made on ${day}.`
    : `The recovery phrase is the one that the backup was made with, of ${day}: have its words at hand.`
}

const UNKNOWN = {
  none: 'The data folder is empty, so nobody can tell which keys were revoked since: look at bin/hm key list.',
  another:
    'The data folder holds another home, so nobody can tell which keys were revoked since: look at bin/hm key list.',
} as const
