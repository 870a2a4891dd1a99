import { z } from 'zod'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, whether, count, shape, named } from '../../api/contract/fields.ts'
import { FilePath } from './shapes.ts'

const WHY = z
  .enum(['nightly', 'asked', 'operator', 'before-update'])
  .describe('Made each night, because a person or an operator token asked, or before an update.')

const Counts = shape('How much is in it.', {
  persons: count('Number of persons who administer the home.'),
  integrations: count('Number of integrations.'),
  keys: count('Number of credentials that were not revoked.'),
})

const Contents = named('BackupContents', 'What a backup says of itself.', {
  gateway: text('The id of the gateway.'),
  home: text('The name of the home.'),
  program: text('The version of the program that made it.'),
  history: whether('Whether the history is in it.'),
  lacks: textOrNull('What should be in it and is not, in one sentence, or null.'),
  counts: Counts,
})
export type BackupContentsView = Plain<z.output<typeof Contents>>

const Backup = named('Backup', 'A backup in the folder of backups.', {
  name: text('The name of its file.'),
  at: epochMs('When it was made.'),
  why: WHY,
  bytes: count('Its size in bytes.'),
  encrypted: whether('Whether it takes the recovery phrase to open it.'),
  contents: Contents.nullable().describe('What it says of itself; null where that cannot be read.'),
  unreadable: textOrNull('Why it cannot be read, in one sentence, or null.'),
})
export type BackupView = Plain<z.output<typeof Backup>>

/** How backups are doing: for the status too. */
export const BackupState = named('BackupState', 'How backups are doing.', {
  folder: text('Where they are kept.'),
  last: shape('The newest; each is opened and checked after it was written. Null before the first.', {
    name: text('The name of its file.'),
    at: epochMs('When it was made.'),
    bytes: count('Its size in bytes.'),
    ageSeconds: count('Seconds since then.'),
  }).nullable(),
  nextAt: epochMs('When the next is made.'),
  error: shape('Why the last one could not be made, or not where it should be; null since it could.', {
    at: epochMs('When.'),
    what: text('One sentence.'),
  }).nullable(),
  working: whether('Whether one is being made or checked now.'),
  phraseSince: z
    .int()
    .nullable()
    .describe('Since when there is a recovery phrase, in epoch milliseconds; null: there is none.'),
})
export type BackupStateView = Plain<z.output<typeof BackupState>>

const Choice = named('BackupChoice', 'How backups are made.', {
  encrypted: whether('Whether those in another folder than the data folder are encrypted.'),
  history: whether('Whether those made at night have the history too.'),
})

const Credential = shape('A credential.', {
  link: text('Its id.'),
  name: text('Its name.'),
  integration: text('The name of its integration.'),
})

const RestoredPerson = shape('A person of the backup.', {
  name: text('Their name.'),
  password: z
    .enum(['same', 'then', 'none'])
    .describe('Which password counts: the `same` as now, or the one of `then`; `none`: they have none.'),
})

const RestoredPhrase = shape('Which recovery phrase backups are encrypted with afterwards.', {
  from: z
    .enum(['now', 'backup', 'none'])
    .describe('The one of `now` stays, or the one of the `backup` holds again; `none`: there is none.'),
  since: z.int().nullable().describe('Since when it holds, in epoch milliseconds; null: there is none.'),
})

export const Restoring = named('Restoring', 'What a restore does.', {
  at: epochMs('When the backup was made.'),
  contents: Contents,
  present: z
    .enum(['none', 'this', 'another'])
    .describe('Whether the data folder holds this home already, another one, or none.'),
  ended: z
    .array(Credential)
    .describe('Credentials that have ended since and would live again; they stay ended unless `revive` says so.'),
  lost: z.array(Credential).describe('Credentials that were made since: they end.'),
  persons: z.array(RestoredPerson).describe('Who administers the home afterwards.'),
  lostPersons: z.array(z.string()).describe('Names of persons who came since: they are gone.'),
  phrase: RestoredPhrase,
  aside: textOrNull('The folder in the data folder that what is there moves to, or null.'),
  restarts: whether('Whether the gateway restores it now and starts anew; false where it was only looked at.'),
})
export type RestoringView = Plain<z.output<typeof Restoring>>

/** How a backup is restored, wherever it lies. */
export const restoreBody = {
  check: whether('Only say what would happen.').optional(),
  phrase: z
    .string()
    .max(400)
    .optional()
    .describe('The recovery phrase, where it is another than the one that this home has now.'),
  revive: whether('Let credentials live again that have ended since.').optional(),
}

/** A name of a file, never a path. */
const NameParams = z.strictObject({ name: z.string().regex(/^home-[\w.-]{1,120}$/) })

/** Too much is asked at once; the disk is full, or cannot be read or written. */
export const BUSY_OR_FULL = ['overloaded', 'storage_unavailable'] as const
/** Of what opens a backup. */
export const OPENING = [...BUSY_OR_FULL, 'phrase_needed', 'wrong_phrase'] as const

export const backups = {
  'backups.list': endpoint('GET', '/admin/v1/backups', {
    summary: 'Which backups there are, the newest first, and how they are made',
    operator: 'backup',
    answer: z.looseObject({
      state: BackupState,
      choice: Choice,
      backups: z.array(Backup).describe('The newest first.'),
    }),
    errors: ['storage_unavailable'],
  }),
  'backups.make': endpoint('POST', '/admin/v1/backups', {
    summary: 'Make a backup now, in the folder of backups; it is opened and checked before this is answered',
    operator: 'backup',
    body: z.strictObject({ history: whether('Whether the history is to be in it; else as chosen.').optional() }),
    answer: z.looseObject({
      backup: Backup,
      folder: text('Where it lies.'),
      lacks: textOrNull('Why it does not lie where it should, or what it lacks, in sentences, or null.'),
    }),
    errors: BUSY_OR_FULL,
  }),
  'backups.write': endpoint('POST', '/admin/v1/backups/write', {
    summary: 'Write a backup to a new file',
    reach: 'socket',
    body: z.strictObject({
      file: FilePath,
      history: whether('Whether the history is to be in it; else as chosen.').optional(),
      encrypted: whether('Whether it is encrypted; else where there is a recovery phrase.').optional(),
    }),
    answer: z.looseObject({
      file: FilePath,
      bytes: count('The size of the file in bytes.'),
      encrypted: whether('Whether it takes the recovery phrase to open it.'),
      contents: Contents,
    }),
    errors: BUSY_OR_FULL,
  }),
  'backups.check': endpoint('POST', '/admin/v1/backups/{name}/check', {
    summary: 'Open a backup as a restore would, and say what is in it',
    params: NameParams,
    answer: z.looseObject({ contents: Contents }),
    errors: ['not_found', ...OPENING],
  }),
  'backups.choose': endpoint('PUT', '/admin/v1/backups/choice', {
    summary: 'Choose how backups are made; what is left out stays',
    stepUp: true,
    body: z.strictObject({
      encrypted: whether('Whether those in another folder than the data folder are encrypted.').optional(),
      history: whether('Whether those made at night have the history too.').optional(),
    }),
    answer: Choice,
    errors: ['storage_unavailable'],
  }),
  'backups.phrase': endpoint('POST', '/admin/v1/backups/phrase', {
    summary: 'Make a recovery phrase; it is shown here alone, and holds once two of its words were typed again',
    stepUp: true,
    answer: z.looseObject({
      words: z.array(z.string()).describe('Its twelve words, in order.'),
      asked: z.array(z.int()).describe('The places, from 1, of the two words that confirm it.'),
      expiresAt: epochMs('Until when it can be confirmed.'),
    }),
  }),
  'backups.confirmPhrase': endpoint('POST', '/admin/v1/backups/phrase/confirm', {
    summary: 'Type two words of the phrase again: from now on backups are encrypted with it',
    body: z.strictObject({
      words: z.array(z.string().max(20)).length(2).describe('In the order of their places.'),
    }),
    answer: z.looseObject({ phraseSince: epochMs('Since when it holds.') }),
    errors: ['storage_unavailable'],
  }),
  'backups.restore': endpoint('POST', '/admin/v1/backups/{name}/restore', {
    summary: 'Put a backup in the place of what there is now, which is kept aside; the gateway starts anew',
    stepUp: true,
    params: NameParams,
    body: z.strictObject(restoreBody),
    answer: Restoring,
    errors: ['not_found', 'unauthorized', ...OPENING],
  }),
  'backups.restoreFile': endpoint('POST', '/admin/v1/restore', {
    summary: 'The same from a file',
    reach: 'socket',
    body: z.strictObject({ file: FilePath, ...restoreBody }),
    answer: Restoring,
    errors: OPENING,
  }),
} as const

/** What a browser takes a backup by, in a fresh session alone. */
export const BACKUP_FILE_PATH = '/admin/v1/backups/{name}/file'

/** Bytes of a piece at most: also a slow network carries one in the time that a request has (docs/limits.md). */
export const PIECE_BYTES_MAX = 256 * 1024

const BroughtParams = z.strictObject({ id: z.string().regex(/^[0-9a-z]{1,40}$/) })

const Piece = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .max(Math.ceil(PIECE_BYTES_MAX / 3) * 4)
  .describe(`The bytes, ${PIECE_BYTES_MAX} at most, as base64.`)

/** A backup that is restored from the machine of the person who has it. One is held at a time, on the disk alone. */
export const brought = {
  'brought.begin': endpoint('POST', '/admin/v1/brought-backups', {
    summary: 'Bring a backup from elsewhere: say how large its file is, then send it piece by piece',
    stepUp: true,
    body: z.strictObject({ bytes: count('The size of the file in bytes.') }),
    answer: z.looseObject({
      id: text('What it is called until it is restored; it takes the place of any other that was brought.'),
      pieceBytes: count('How many bytes of it one request takes.'),
    }),
    errors: ['storage_unavailable'],
  }),
  'brought.add': endpoint('PUT', '/admin/v1/brought-backups/{id}', {
    summary: 'The next piece of it; one that came already changes nothing',
    params: BroughtParams,
    body: z.strictObject({ from: count('Where in the file it begins, in bytes.'), piece: Piece }),
    answer: z.looseObject({
      received: count('How many bytes of the file are there: the next piece begins behind them.'),
      encrypted: whether('Whether it takes a recovery phrase to open it.').nullable(),
    }),
    errors: ['not_found', 'storage_unavailable'],
  }),
  'brought.restore': endpoint('POST', '/admin/v1/brought-backups/{id}/restore', {
    summary: 'Put it in the place of what there is now, which is kept aside; the gateway starts anew',
    stepUp: true,
    params: BroughtParams,
    body: z.strictObject(restoreBody),
    answer: Restoring,
    errors: ['not_found', 'unauthorized', ...OPENING],
  }),
  'brought.drop': endpoint('DELETE', '/admin/v1/brought-backups/{id}', {
    summary: 'Restore nothing from it: it is removed from the gateway',
    params: BroughtParams,
    answer: z.looseObject({ id: text('What it was called.') }),
    errors: ['not_found'],
  }),
} as const
