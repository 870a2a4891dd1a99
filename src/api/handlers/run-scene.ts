import type { ExposedScene } from '../../exposure/exposed-house.ts'
import type { Cause } from '../../home/model/events.ts'
import type { SceneRunner } from '../../home/ports/unit-bus.ts'
import type { Refuse } from '../errors.ts'
import { refuseRun } from '../unit-refusal.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'

interface RunParts {
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

/** Runs an exposed scene; the control operation `run` and `POST /v1/scenes/{id}/run` are the same. */
export function runScene(
  parts: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): { device: string; run: { runId: string } } {
  const run = parts.scenes.run(scene.local, allowedToRun(parts, scene, call), 'person')
  if (!run.ok) return refuseRun(run.error, call.refuse)
  return { device: scene.id, run: { runId: run.value.runId } }
}

/** The cause with which a scene may run now, or the refusal of its run. */
export function allowedToRun(
  { scenes, unlocking }: RunParts,
  scene: ExposedScene,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): Cause {
  const cause = unlocking.run(scene, call)
  const obstacle = scenes.obstacle()
  return obstacle === null ? cause : refuseRun(obstacle, call.refuse)
}
