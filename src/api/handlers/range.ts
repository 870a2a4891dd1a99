import type { Refuse } from '../errors.ts'

/** Start of a range with a known end; never before 1970. */
export function beginningOf(to: number, span: number): number {
  return Math.max(0, to - span)
}

/** Refuses a range of time that ends before it begins. */
export function refuseBackwards(from: number, to: number, refuse: Refuse): void {
  if (from > to) refuse('validation', { message: 'from: is after to.' })
}
