import { z } from 'zod'

/** Shapes that several tools take or answer. Short: every client pays for them with every conversation. */
export const Id = z.string().min(1).max(256).meta({ description: 'Its id.' })
export const Cursor = z.string().max(200).optional().meta({ description: 'nextCursor of the page before.' })

/** How many rows an answer has unless told otherwise, and at most. */
export const LIMIT_DEFAULT = 30
export const Limit = z.int().min(1).max(200).optional().meta({ description: 'Rows at most.' })

/** A row or object whose fields the descriptions name. */
export const Row = z.looseObject({})
export const NextCursor = z.string().nullable()
