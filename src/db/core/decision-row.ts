import type { Cause } from '../../home/model/events.ts'
import { readCell } from '../database.ts'

/** The columns of an administrator's decision, in every table of what waits for one; null until then. */
export interface DecisionRow {
  decided_by: string | null
  steady_decided_at: number | null
}

interface StoredDecision {
  /** Steady time in ms. */
  readonly steadyAt: number
  readonly by: Cause
}

export function decisionValues(decision: StoredDecision | null): object {
  return { decidedBy: decision && JSON.stringify(decision.by), steadyDecidedAt: decision && decision.steadyAt }
}

export function decisionOf(row: DecisionRow): StoredDecision | null {
  if (row.decided_by === null || row.steady_decided_at === null) return null
  const by = readCell<Cause | null>(row.decided_by, null)
  return by === null ? null : { steadyAt: row.steady_decided_at, by }
}
