import { z } from 'zod'

/** Origin or author of a scene or rule; null: an administrator. */
export const originSchema = z.strictObject({ integration: z.string(), link: z.string() }).nullable()
