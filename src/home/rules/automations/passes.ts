import type { Test, Value } from '../model.ts'

/** Whether a value passes a test; what is not known passes none. */
export function passes(test: Test, value: Value | null | undefined): boolean {
  if (value === null || value === undefined) return false
  if (test.is !== undefined) return value === test.is
  if (typeof value !== 'number') return false
  return (test.above === undefined || value > test.above) && (test.below === undefined || value < test.below)
}
