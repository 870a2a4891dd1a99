import type { Step } from '../../model/house.ts'
import type { RunOf, StepFailure } from '../../ports/rule-store.ts'

/**
 * `next`: not begun yet; `waiting`: a delay that is being waited out; `left_out`: the run ended before it; `unknown`:
 * the gateway stopped while it was being made.
 */
export const STEP_STATES = ['next', 'running', 'waiting', 'done', 'failed', 'left_out', 'unknown'] as const
export type StepState = (typeof STEP_STATES)[number]

export interface StepReport {
  readonly step: Step
  readonly state: StepState
  /** Why it failed. */
  readonly reason: StepFailure['reason'] | null
}

/** `queued`: waits for its turn; `waiting`: is inside a delay; `stopped`: ended before its last step. */
export type RunProgress = 'queued' | 'running' | 'waiting' | 'finished' | 'stopped'

/** A run as it stands, whole: who is told of it may see only some of its steps. Times are epoch ms. */
export interface RunReport {
  readonly id: string
  readonly of: RunOf
  readonly progress: RunProgress
  /** When it began, or began to wait for its turn. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** The end of the delay that it is in. */
  readonly until: number | null
  readonly steps: readonly StepReport[]
}

export function isUnderWay({ progress }: Pick<RunReport, 'progress'>): boolean {
  return progress !== 'finished' && progress !== 'stopped'
}
