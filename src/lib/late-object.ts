import { z } from 'zod'

const UNKNOWN = z.unknown()
const NEVER = z.never()

/** Like `z.looseObject`, but the fields are made when the object is first used. A home uses few of all objects. */
export function looseObject<F extends z.ZodRawShape>(fields: () => F): z.ZodObject<F, z.core.$loose> {
  return lateObject(fields, UNKNOWN) as z.ZodObject<F, z.core.$loose>
}

/** Like `z.strictObject`, but the fields are made when the object is first used. */
export function strictObject<F extends z.ZodRawShape>(
  fields: () => F,
  error?: z.core.$ZodErrorMap,
): z.ZodObject<F, z.core.$strict> {
  return lateObject(fields, NEVER, error) as z.ZodObject<F, z.core.$strict>
}

function lateObject(fields: () => z.ZodRawShape, catchall: z.ZodType, error?: z.core.$ZodErrorMap): z.ZodObject {
  return new z.ZodObject({
    type: 'object',
    catchall,
    ...(error && { error }),
    get shape() {
      const shape = fields()
      Object.defineProperty(this, 'shape', { value: shape })
      return shape
    },
  })
}
