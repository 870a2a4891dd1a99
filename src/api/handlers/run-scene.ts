import type { ExposedScene } from '../../exposure/exposed-house.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import type { Refuse } from '../errors.ts'
import { refuseRun } from '../unit-refusal.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'

/** Runs an exposed scene; the control operation `run` and `POST /v1/scenes/{id}/run` are the same. */
export function runScene(
  parts: { scenes: SceneRunner; unlocking: Unlocking },
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): { device: string; run: { runId: string } } {
  const run = parts.scenes.run(scene.local, parts.unlocking.run(scene, call), 'person')
  if (!run.ok) return refuseRun(run.error, call.refuse)
  return { device: scene.id, run: { runId: run.value.runId } }
}
