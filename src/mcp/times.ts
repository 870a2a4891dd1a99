import { z } from 'zod'

/** The service counts in milliseconds since 1970, which models misread: the tools speak ISO 8601. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** A moment as an argument; becomes text of epoch milliseconds, as queries carry them. */
export const Time = z
  .string()
  .max(40)
  .refine(
    (text) => ISO.test(text) && !Number.isNaN(Date.parse(text)),
    'must be ISO 8601 with an offset, like 2026-03-01T18:00:00+01:00',
  )
  .transform((text) => String(Date.parse(text)))
  .optional()

/** Fields that are moments wherever they stand in an answer as a number. */
const MOMENTS: readonly string[] = ['at', 'asOf', 'from', 'to', 'nextTo', 'next']

/** An answer with every moment in ISO 8601 (UTC). */
export function readable<T>(value: T): T {
  return readableValue(value) as T
}

function readableValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readableValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      MOMENTS.includes(key) && typeof each === 'number' ? new Date(each).toISOString() : readableValue(each),
    ]),
  )
}
