import type { Result } from '../lib/result.ts'
import { askedIn, type RestoreAsked } from './backups.ts'
import { type brought, PIECE_BYTES_MAX } from './contract/brought.ts'
import type { RestoringView } from './contract/backups.ts'
import type { AdminHandlersOf } from './dispatch.ts'

/** What cannot be done is one sentence; null is an id of which nothing is held. */
type Told<T> = Promise<Result<T, string>>

/** What administrators can ask of a backup that they bring from elsewhere. */
export interface BroughtAdminParts {
  readonly begin: (bytes: number) => Told<string>
  readonly add: (
    id: string,
    from: number,
    piece: Buffer,
  ) => Told<{ readonly received: number; readonly encrypted: boolean | null } | null>
  readonly restore: (id: string, asked: RestoreAsked, ready: () => void) => Told<RestoringView | null>
  readonly drop: (id: string) => Told<boolean>
}

export function broughtAdminHandlers(parts: BroughtAdminParts): AdminHandlersOf<typeof brought> {
  return {
    'brought.begin': async ({ body: { bytes }, refuse }) => {
      const begun = await parts.begin(bytes)
      return begun.ok
        ? { id: begun.value, pieceBytes: PIECE_BYTES_MAX }
        : refuse('validation', { message: begun.error })
    },
    'brought.add': async ({ params: { id }, body: { from, piece }, refuse }) => {
      const arrived = await parts.add(id, from, Buffer.from(piece, 'base64'))
      if (!arrived.ok) return refuse('validation', { message: arrived.error })
      if (arrived.value === null) return refuse('not_found', { message: NOT_HELD })
      const { received, encrypted } = arrived.value
      return { received, encrypted }
    },
    'brought.restore': async ({ params: { id }, body, by, refuse }) => {
      const done = await parts.restore(id, askedIn(body), () => by.holds() || refuse('unauthorized'))
      if (!done.ok) return refuse('validation', { message: done.error })
      return done.value ?? refuse('not_found', { message: NOT_HELD })
    },
    'brought.drop': async ({ params: { id }, refuse }) => {
      const dropped = await parts.drop(id)
      if (!dropped.ok) return refuse('validation', { message: dropped.error })
      return dropped.value ? { id } : refuse('not_found', { message: NOT_HELD })
    },
  }
}

const NOT_HELD =
  'The gateway does not have this file any more: it waited too long, or another one was brought. Choose it again.'
