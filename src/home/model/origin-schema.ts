import { z } from 'zod'

/** Origin or author of a scene or rule; null: an administrator. */
export const originSchema = z
  .strictObject({
    integration: z.string().meta({ description: 'The id of the integration.' }),
    link: z.string().meta({ description: 'The id of the credential.' }),
  })
  .meta({ id: 'Origin', description: 'Which integration and credential created the object.' })
  .nullable()
