import { z } from 'zod'

/** A text of an answer, and what it is. */
export const text = (description: string) => z.string().meta({ description })
export const textOrNull = (description: string) => z.string().nullable().meta({ description })
export const whether = (description: string) => z.boolean().meta({ description })
/** How many of something. */
export const count = (description: string) => z.int().min(0).meta({ description })

export const LocalId = text('The local id.')

/** What the house knows a thing by: its local id, of a gang `UNIT:N`. */
export const LocalParams = z.strictObject({ id: z.string().min(1).max(60) })

/** A file on the gateway's own disk. */
export const FilePath = z.string().max(4_096).meta({ description: "The path of a file on the gateway's own disk." })

/** In the answer to what ends somebody's access. */
export const unstored = {
  unstored: z.literal(true).optional().meta({
    description:
      'There where the disk takes no writes now: it holds at once, and is stored as soon as the disk takes it; a start before that may undo it.',
  }),
}
