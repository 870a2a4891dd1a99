import type { Test, Value, Condition } from '../../model/rules.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { type Where, inWindow } from '../time/occurrence.ts'

/** Whether a value passes a test; what is not known passes none. */
export function passes(test: Test, value: Value | null | undefined): boolean {
  if (value === null || value === undefined) return false
  if (test.is !== undefined) return value === test.is
  if (typeof value !== 'number') return false
  return (test.above === undefined || value > test.above) && (test.below === undefined || value < test.below)
}

export interface Verdict {
  readonly condition: Condition
  /** The value that was tested; null where it is not known, and for a time window. */
  readonly value: Value | null
  readonly holds: boolean
}

/** Tests one condition against what is known right now. A value that is not known fails the test. */
export function judge(condition: Condition, states: StateReader, now: number, where: Where): Verdict {
  if (!('device' in condition)) return { condition, value: null, holds: inWindow(condition, now, where) }
  const value =
    'state' in condition
      ? field(states.state(condition.device), condition.state)
      : field(states.readings(condition.device), condition.reading)
  return { condition, value, holds: passes(condition, value) }
}

function field(record: object | null, name: string): Value | null {
  // States and readings are flat records of primitives; which fields there are depends on the device.
  return (record as Readonly<Record<string, Value | null | undefined>> | null)?.[name] ?? null
}
