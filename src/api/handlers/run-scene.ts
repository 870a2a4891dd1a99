import type { Identity } from '../../auth/authenticator.ts'
import type { ExposedScene } from '../../exposure/exposed-house.ts'
import { opensEntrance, unlockRefusal } from '../../exposure/guards.ts'
import type { House } from '../../home/house/house.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import { Refusal } from '../errors.ts'

/** Says whether a scene opens a lock or gate. */
export type SceneUnlocks = (scene: string) => boolean

/**
 * Hidden steps count too: with allow_unlock off nothing that goes through an integration opens an entrance, also not by way of a
 * scene whose lock it cannot see (docs/decisions/unlocking-by-scene.md).
 */
export function sceneUnlocks(house: House): SceneUnlocks {
  return (id) => (house.scenes.get(id)?.steps ?? []).some((step) => {
    if (!('device' in step)) return false
    const device = house.devices.get(step.device)
    return device !== undefined && opensEntrance(device.class, step.op)
  })
}

/** Runs an exposed scene; the control operation `run` and `POST /v1/scenes/{id}/run` are the same. */
export function runScene(runner: SceneRunner, unlocks: SceneUnlocks, scene: ExposedScene, identity: Identity, cause: Cause): { device: string; run: { runId: string } } {
  if (unlocks(scene.local)) {
    const refusal = unlockRefusal(identity)
    if (refusal) throw new Refusal(refusal)
  }
  const run = runner.run(scene.local, cause, 'person')
  if (!run.ok) throw new Refusal(run.error === 'unavailable' ? 'hmhc_unavailable' : 'not_found')
  return { device: scene.id, run: { runId: run.value.runId } }
}
