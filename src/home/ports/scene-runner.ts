import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/cause.ts'
import type { BusFailure, Priority } from './unit-bus.ts'

/** `unavailable`: the adapter cannot carry frames. */
export type RunFailure = { readonly kind: 'not_there' } | Extract<BusFailure, { kind: 'unavailable' }>

/** Runs scenes: a run is answered as soon as it has begun, and goes on by itself (Spec 2.4). */
export interface SceneRunner {
  /** What every run would fail with now; null where one can begin. */
  obstacle(): RunFailure | null
  /** A newer run of the same scene cancels the older. */
  run(scene: string, cause: Cause, priority: Priority): Result<{ readonly runId: string }, RunFailure>
  running(scene: string): boolean
}
