import { z } from 'zod'
import { text } from '../../api/contract/fields.ts'

export const LocalId = text('The local id.')

/** What the house knows a thing by: its local id, of a gang `UNIT:N`. */
export const LocalParams = z.strictObject({ id: z.string().min(1).max(60) })

/** A file on the gateway's own disk. */
export const FilePath = z.string().max(4_096).describe("The path of a file on the gateway's own disk.")

/** In the answer to what ends somebody's access. */
export const unstored = {
  unstored: z
    .literal(true)
    .optional()
    .describe(
      'There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it.',
    ),
}
