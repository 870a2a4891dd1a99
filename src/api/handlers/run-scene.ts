import type { Identity } from '../../auth/authenticator.ts'
import type { ExposedScene } from '../../exposure/exposed-house.ts'
import type { House } from '../../home/house/house.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import { Refusal } from '../errors.ts'
import { refuseUnlocking } from '../unlocking.ts'

/** Runs an exposed scene; the control operation `run` and `POST /v1/scenes/{id}/run` are the same. */
export function runScene(runner: SceneRunner, house: House, scene: ExposedScene, identity: Identity, cause: Cause): { device: string; run: { runId: string } } {
  refuseUnlocking(house, house.scenes.get(scene.local)?.steps ?? [], identity)
  const run = runner.run(scene.local, cause, 'person')
  if (!run.ok) throw new Refusal(run.error === 'unavailable' ? 'hmhc_unavailable' : 'not_found')
  return { device: scene.id, run: { runId: run.value.runId } }
}
