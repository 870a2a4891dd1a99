import { z } from 'zod'

/** What the house knows a thing by: its local id, of a gang `UNIT:N`. */
export const LocalParams = z.strictObject({ id: z.string().min(1).max(60) })

/** A file on the gateway's own disk. */
export const FilePath = z.string().max(4_096)
