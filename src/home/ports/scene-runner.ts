import type { Result } from '../../lib/result.ts'
import type { Cause } from '../model/cause.ts'
import type { Priority } from './unit-bus.ts'

/** Runs scenes: a run is answered as soon as it has begun, and goes on by itself (Spec 2.4). */
export interface SceneRunner {
  /** A newer run of the same scene cancels the older. `unavailable`: the adapter cannot carry frames. */
  run(scene: string, cause: Cause, priority: Priority): Result<{ readonly runId: string }, 'not_there' | 'unavailable'>
  running(scene: string): boolean
}
