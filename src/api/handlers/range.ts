import type { Refuse } from '../errors.ts'

/** Refuses a range of time that ends before it begins. */
export function refuseBackwards(from: number, to: number, refuse: Refuse): void {
  if (from > to) refuse('validation', { message: 'from: lies after to.' })
}
