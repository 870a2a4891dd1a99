import type { World } from '../world/world.ts'

/** Checks one or more invariants of a run. Its functions throw a Violation. */
export interface RunCheck {
  /** Called after each act and its immediate effects. */
  readonly afterAct?: () => void
  /** Called when the home has been idle for a while without a fault. */
  readonly atRest?: () => void
}

export type CheckMaker = (world: World) => RunCheck
