import type { Refuse } from '../errors.ts'

/** The beginning of a range that was only given an end: no time before 1970 is ever answered. */
export function beginningOf(to: number, span: number): number {
  return Math.max(0, to - span)
}

/** Refuses a range of time that ends before it begins. */
export function refuseBackwards(from: number, to: number, refuse: Refuse): void {
  if (from > to) refuse('validation', { message: 'from: lies after to.' })
}
