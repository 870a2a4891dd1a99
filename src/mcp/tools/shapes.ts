import { z } from 'zod'

/** Shapes that several tools take or answer. Short: every client pays for them with every conversation. */
export const DeviceId = z.string().min(1).max(256)
export const Cursor = z.string().max(64).optional()
/** How many rows an answer has unless told otherwise, and at most. */
export const LIMIT_DEFAULT = 30
export const LIMIT_MAX = 200
export const Limit = z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT)

export const Rows = z.array(z.looseObject({}))
export const NextCursor = z.string().nullable()
