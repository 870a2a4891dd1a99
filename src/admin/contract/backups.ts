import { z } from 'zod'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, whether, count, shape, named } from '../../api/contract/fields.ts'
import { FilePath } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const Reason = z
  .enum(['nightly', 'asked', 'operator', 'before-update'])
  .describe('Why it was made: nightly, requested by a person (`asked`) or an operator token, or before an update.')

const Counts = shape('Numbers of the contents.', () => ({
  persons: count('Number of administrators.'),
  integrations: count('Number of integrations.'),
  keys: count('Number of credentials that were not revoked.'),
}))

const Contents = named('BackupContents', 'Contents of a backup.', () => ({
  gateway: text('The id of the gateway.'),
  home: text('The name of the home.'),
  program: text('Version of the program that made it.'),
  history: whether('Whether it has the history.'),
  lacks: textOrNull('A sentence about missing content, or null.'),
  counts: Counts,
}))
export type BackupContentsView = Plain<z.output<typeof Contents>>

const Backup = named('Backup', 'A backup in the backup folder.', () => ({
  name: text('The name of its file.'),
  at: epochMs('When it was made.'),
  why: Reason,
  bytes: count('Its size in bytes.'),
  encrypted: whether('Whether a recovery phrase opens it.'),
  contents: Contents.nullable().describe('Its contents; null if they cannot be read.'),
  unreadable: textOrNull('A sentence why it cannot be read, or null.'),
}))
export type BackupView = Plain<z.output<typeof Backup>>

/** State of the backups, also in the status. */
export const BackupState = named('BackupState', 'State of the backups.', () => ({
  folder: text('The folder that backups go to.'),
  last: shape('The newest backup, which was opened and checked after it was written. Null before the first.', () => ({
    name: text('The name of its file.'),
    at: epochMs('When it was made.'),
    bytes: count('Its size in bytes.'),
    ageSeconds: count('Seconds since then.'),
  })).nullable(),
  nextAt: epochMs('When the next backup is due.'),
  error: shape('Why the latest backup failed or lies elsewhere; null after a backup without trouble.', () => ({
    at: epochMs('When.'),
    what: text('One sentence.'),
  })).nullable(),
  working: whether('Whether a backup is being made or checked now.'),
  phraseSince: z
    .int()
    .nullable()
    .describe('Since when the recovery phrase is valid, in epoch milliseconds; null if there is none.'),
}))
export type BackupStateView = Plain<z.output<typeof BackupState>>

const Choice = named('BackupChoice', 'Settings of the backups.', () => ({
  encrypted: whether('Whether backups outside the data folder are encrypted.'),
  history: whether('Whether nightly backups include the history.'),
}))

const Credential = shape('A credential.', () => ({
  link: text('Its id.'),
  name: text('Its name.'),
  integration: text('The name of its integration.'),
}))

const RestoredPerson = shape('A person of the backup.', () => ({
  name: text('Their name.'),
  password: z
    .enum(['same', 'then', 'none'])
    .describe(
      'The password after the restore: the `same` as now, the one of `then`, when the backup was made, or `none`.',
    ),
}))

const RestoredPhrase = shape('The recovery phrase after the restore.', () => ({
  from: z
    .enum(['now', 'backup', 'none'])
    .describe('The phrase of `now` stays, the phrase of the `backup` is valid again, or there is `none`.'),
  since: z.int().nullable().describe('Since when it is valid, in epoch milliseconds; null if there is none.'),
}))

export const Restoring = named('Restoring', 'Effects of a restore.', () => ({
  at: epochMs('When the backup was made.'),
  contents: Contents,
  present: z
    .enum(['none', 'this', 'another'])
    .describe('The home in the data folder now: `this` home of the backup, `another` one, or `none`.'),
  ended: z
    .array(Credential)
    .describe('Credentials of the backup that ended later. They stay ended unless `revive` is true.'),
  lost: z.array(Credential).describe('Credentials made after the backup, which end.'),
  persons: z.array(RestoredPerson).describe('Administrators and members after the restore.'),
  lostPersons: z.array(z.string()).describe('Names of persons added after the backup, who are lost.'),
  phrase: RestoredPhrase,
  aside: textOrNull('The folder in the data folder that the present files move to; null if there are none.'),
  restarts: whether('Whether the gateway restores it now and restarts; false for a check.'),
}))
export type RestoringView = Plain<z.output<typeof Restoring>>

/** Options of every restore. */
export const restoreBody = {
  check: whether('Only tell the effects, and change nothing.').optional(),
  phrase: z
    .string()
    .max(400)
    .optional()
    .describe('The recovery phrase, if it is another one than the current phrase of this home.'),
  revive: whether('Make credentials valid again that ended after the backup.').optional(),
}

/** A file name, never a path. */
const NameParams = strictObject(() => ({ name: z.string().regex(/^home-[\w.-]{1,120}$/) }))

/** Too many requests at once; a disk that is full or fails. */
export const BUSY_OR_FULL = ['overloaded', 'storage_unavailable'] as const
/** Errors of endpoints that open a backup. */
export const OPENING = [...BUSY_OR_FULL, 'phrase_needed', 'wrong_phrase'] as const

export const backups = {
  'backups.list': endpoint('GET', '/admin/v1/backups', {
    summary: 'List the backups, with their state and settings',
    operator: 'backup',
    answer: looseObject(() => ({
      state: BackupState,
      choice: Choice,
      backups: z.array(Backup).describe('The newest first.'),
    })),
    errors: ['storage_unavailable'],
  }),
  'backups.make': endpoint('POST', '/admin/v1/backups', {
    summary: 'Make a backup in the backup folder; the response comes after it was opened and checked',
    operator: 'backup',
    body: strictObject(() => ({
      history: whether('Whether it includes the history; the settings decide by default.').optional(),
    })),
    answer: looseObject(() => ({
      backup: Backup,
      folder: text('The folder that it is in.'),
      lacks: textOrNull('Sentences why it is in another folder or lacks something, or null.'),
    })),
    errors: BUSY_OR_FULL,
  }),
  'backups.write': endpoint('POST', '/admin/v1/backups/write', {
    summary: 'Write a backup to a new file',
    reach: 'socket',
    body: strictObject(() => ({
      file: FilePath,
      history: whether('Whether it includes the history; the settings decide by default.').optional(),
      encrypted: whether('Whether it is encrypted; by default, if there is a recovery phrase.').optional(),
    })),
    answer: looseObject(() => ({
      file: FilePath,
      bytes: count('The size of the file in bytes.'),
      encrypted: whether('Whether a recovery phrase opens it.'),
      contents: Contents,
    })),
    errors: BUSY_OR_FULL,
  }),
  'backups.check': endpoint('POST', '/admin/v1/backups/{name}/check', {
    summary: 'Open a backup as a restore would, and tell its contents',
    params: NameParams,
    answer: looseObject(() => ({ contents: Contents })),
    errors: ['not_found', ...OPENING],
  }),
  'backups.choose': endpoint('PUT', '/admin/v1/backups/choice', {
    summary: 'Change the settings of the backups; omitted ones stay',
    stepUp: true,
    body: strictObject(() => ({
      encrypted: whether('Whether backups outside the data folder are encrypted.').optional(),
      history: whether('Whether nightly backups include the history.').optional(),
    })),
    answer: Choice,
    errors: ['storage_unavailable'],
  }),
  'backups.phrase': endpoint('POST', '/admin/v1/backups/phrase', {
    summary: 'Create a recovery phrase; no other response has it, and it is valid once two words were typed again',
    stepUp: true,
    answer: looseObject(() => ({
      words: z.array(z.string()).describe('Its twelve words, in order.'),
      asked: z.array(z.int()).describe('Positions, from 1, of the two words that confirm it.'),
      expiresAt: epochMs('Until when it can be confirmed.'),
    })),
  }),
  'backups.confirmPhrase': endpoint('POST', '/admin/v1/backups/phrase/confirm', {
    summary: 'Confirm the phrase by two of its words: later backups are encrypted with it',
    body: strictObject(() => ({
      words: z.array(z.string().max(20)).length(2).describe('In the order of their positions.'),
    })),
    answer: looseObject(() => ({ phraseSince: epochMs('Since when it is valid.') })),
    errors: ['storage_unavailable'],
  }),
  'backups.restore': endpoint('POST', '/admin/v1/backups/{name}/restore', {
    summary: 'Restore a backup; the present files are kept aside, and the gateway restarts',
    stepUp: true,
    params: NameParams,
    body: z.strictObject(restoreBody),
    answer: Restoring,
    errors: ['not_found', 'unauthorized', ...OPENING],
  }),
  'backups.restoreFile': endpoint('POST', '/admin/v1/restore', {
    summary: 'Restore a backup from a file of the machine',
    reach: 'socket',
    body: strictObject(() => ({ file: FilePath, ...restoreBody })),
    answer: Restoring,
    errors: OPENING,
  }),
} as const

/** Path of a download, for fresh sessions. */
export const BACKUP_FILE_PATH = '/admin/v1/backups/{name}/file'

/** Largest piece of an upload: even a slow network carries it within the time of a request (docs/limits.md). */
export const PIECE_BYTES_MAX = 256 * 1024

const UploadParams = strictObject(() => ({ id: z.string().regex(/^[0-9a-z]{1,40}$/) }))

const Piece = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .max(Math.ceil(PIECE_BYTES_MAX / 3) * 4)
  .describe(`The bytes, ${PIECE_BYTES_MAX} at most, as base64.`)

/** Restores a backup from the device of a person, who uploads it. There is one upload at a time. */
export const brought = {
  'brought.begin': endpoint('POST', '/admin/v1/brought-backups', {
    summary: 'Begin the upload of a backup; its pieces follow',
    stepUp: true,
    body: strictObject(() => ({ bytes: count('The size of the file in bytes.') })),
    answer: looseObject(() => ({
      id: text('Id of the upload, which replaces any other.'),
      pieceBytes: count('Largest piece of one request in bytes.'),
    })),
    errors: ['storage_unavailable'],
  }),
  'brought.add': endpoint('PUT', '/admin/v1/brought-backups/{id}', {
    summary: 'Upload the next piece; a repeated one changes nothing',
    params: UploadParams,
    body: strictObject(() => ({ from: count('Position in the file in bytes.'), piece: Piece })),
    answer: looseObject(() => ({
      received: count('Bytes that have arrived, which is the position of the next piece.'),
      encrypted: whether('Whether a recovery phrase opens it.').nullable(),
    })),
    errors: ['not_found', 'storage_unavailable'],
  }),
  'brought.restore': endpoint('POST', '/admin/v1/brought-backups/{id}/restore', {
    summary: 'Restore an uploaded backup; the present files are kept aside, and the gateway restarts',
    stepUp: true,
    params: UploadParams,
    body: z.strictObject(restoreBody),
    answer: Restoring,
    errors: ['not_found', 'unauthorized', ...OPENING],
  }),
  'brought.drop': endpoint('DELETE', '/admin/v1/brought-backups/{id}', {
    summary: 'Remove an upload from the gateway',
    params: UploadParams,
    answer: looseObject(() => ({ id: text('Id of the upload.') })),
    errors: ['not_found'],
  }),
} as const
