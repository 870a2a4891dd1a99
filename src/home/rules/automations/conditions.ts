import type { StateReader } from '../../ports/state-reader.ts'
import type { Condition, Value } from '../model.ts'
import type { Where } from '../time/occurrence.ts'
import { inWindow } from '../time/window.ts'
import { passes } from './passes.ts'

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
