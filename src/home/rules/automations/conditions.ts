import type { Test, Value, Condition } from '../../model/rules.ts'
import type { StateReader } from '../../ports/unit-bus.ts'
import { type Where, inWindow } from '../time/occurrence.ts'

/** True if a value passes a test; an unknown value never does. */
export function passes(test: Test, value: Value | null | undefined): boolean {
  if (value === null || value === undefined) return false
  if (test.is !== undefined) return value === test.is
  if (typeof value !== 'number') return false
  return (test.above === undefined || value > test.above) && (test.below === undefined || value < test.below)
}

export interface Verdict {
  readonly condition: Condition
  /** The tested value; null if unknown, and for a time window. */
  readonly value: Value | null
  readonly holds: boolean
}

/** Tests one condition now. An unknown value fails the test. */
export function judge(condition: Condition, states: StateReader, now: number, where: Where): Verdict {
  if (!('device' in condition)) return { condition, value: null, holds: inWindow(condition, now, where) }
  const value =
    'state' in condition
      ? field(states.state(condition.device), condition.state)
      : field(states.readings(condition.device), condition.reading)
  return { condition, value, holds: passes(condition, value) }
}

function field(record: object | null, name: string): Value | null {
  // States and readings are flat records of primitives; their fields depend on the device.
  return (record as Readonly<Record<string, Value | null | undefined>> | null)?.[name] ?? null
}
