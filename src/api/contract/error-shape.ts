import { z } from 'zod'
import { type ErrorCode, ERRORS } from '../../wire/errors.ts'
import { growing } from './fields.ts'

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[] as readonly [ErrorCode, ...ErrorCode[]]

export const ErrorDetail = z
  .looseObject({
    code: growing(ERROR_CODES, 'Why not, for programs.'),
    message: z.string().meta({ description: 'One plain sentence for a person.' }),
    appAction: z
      .string()
      .optional()
      .meta({ description: 'The screen or permission of the app where the user can fix it.' }),
    retryAfter: z.int().min(1).optional().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'Why not.' })

/** The one shape of every refusal (Spec 7). */
export const ErrorShape = z
  .looseObject({
    error: ErrorDetail,
  })
  .meta({ id: 'Error', description: 'Every refusal has this shape.' })
