import { refuse } from '../api/errors.ts'

/** A page of a list, and where the next begins; null at the end. */
export interface Page<T> {
  readonly page: readonly T[]
  readonly total: number
  readonly nextCursor: string | null
}

/** Cuts a page. A cursor says where it goes on, so that nothing is kept for a client between two calls. */
export function pageOf<T>(all: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  const from = beginOf(cursor)
  return { page: all.slice(from, from + limit), total: all.length, nextCursor: cursorAfter(from + limit, all.length) }
}

/** Where the page of a cursor begins. */
export function beginOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : offsetOf(cursor)
}

/** Null at the end of a list of `total`. */
export function cursorAfter(to: number, total: number): string | null {
  return to < total ? cursorAt(to) : null
}

function cursorAt(offset: number): string {
  return Buffer.from(`p${offset}`).toString('base64url')
}

function offsetOf(cursor: string): number {
  const offset = /^p(\d{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (offset === undefined) refuse('validation', { message: 'cursor: is not one that this tool gave.' })
  return Number(offset)
}
