import type { Identity } from '../auth/authenticator.ts'
import { opensEntrance, unlockRefusal } from '../exposure/guards.ts'
import type { House } from '../home/house/house.ts'
import type { Step } from '../home/model/house.ts'
import { commandsOf } from '../home/rules/references.ts'
import { Refusal } from './errors.ts'

/**
 * Spec 4 rule 2, also by way of scenes, automations and schedules: with allow_unlock off nothing that goes through an integration
 * opens an entrance. Steps that the integration cannot see count too (docs/decisions/unlocking-by-scene.md).
 */
export function refuseUnlocking(house: House, steps: readonly Step[], identity: Identity): void {
  const opens = commandsOf(steps, (scene) => house.scenes.get(scene)?.steps ?? []).some(({ device, command }) => {
    const found = house.devices.get(device)
    return found !== undefined && opensEntrance(found.class, command.op)
  })
  const refusal = opens ? unlockRefusal(identity) : null
  if (refusal) throw new Refusal(refusal)
}
