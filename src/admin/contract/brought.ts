import { z } from 'zod'
import { endpoint } from '../../api/contract/endpoint.ts'
import { OPENING, Restoring, restoreBody } from './backups.ts'
import { count, text, whether } from './shapes.ts'

/** Bytes of a piece at most: also a slow network carries one in the time that a request has (docs/limits.md). */
export const PIECE_BYTES_MAX = 256 * 1024

const BroughtParams = z.strictObject({ id: z.string().regex(/^[0-9a-z]{1,40}$/) })

const Piece = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .max(Math.ceil(PIECE_BYTES_MAX / 3) * 4)
  .meta({ description: `The bytes, ${PIECE_BYTES_MAX} at most, as base64.` })

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
