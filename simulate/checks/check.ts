import type { World } from '../world/world.ts'

/** Holds a run to one or more of the invariants; throws a Violation. */
export interface Check {
  /** After each act and what followed from it at once. */
  readonly afterAct?: () => void
  /** The home was left alone for a while, and nothing is out of order. */
  readonly atRest?: () => void
}

export type CheckMaker = (world: World) => Check
