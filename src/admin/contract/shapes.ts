import { z } from 'zod'
import { text } from '../../api/contract/fields.ts'
import { strictObject } from '../../lib/late-object.ts'

export const LocalId = text('The local id.')

/** Parameter with the local id of a thing of the house; a gang has `UNIT:N`. */
export const LocalParams = strictObject(() => ({ id: z.string().min(1).max(60) }))

/** Query of the removal of a thing that rules may name. */
export const force = {
  query: strictObject(() => ({
    force: z.enum(['true', 'false']).optional().describe('true: also if rules name it, which are turned off.'),
  })),
} as const

export const UsedBy = z
  .array(z.string())
  .describe('Automations and schedules that name it, in words: `automation Dusk (id)`.')

/** A file on the gateway's own disk. */
export const FilePath = z.string().max(4_096).describe("The path of a file on the gateway's own disk.")

/** Field of responses to requests that end an access. */
export const unstored = {
  unstored: z
    .literal(true)
    .optional()
    .describe(
      'Present if the disk accepts no writes now: the change holds at once and is stored as soon as possible; a restart before that may undo it.',
    ),
}
