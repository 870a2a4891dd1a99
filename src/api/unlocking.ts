import type { Identity } from '../auth/authenticator.ts'
import type { Integration } from '../exposure/integration.ts'
import { opensEntrance, unlockRefusal } from '../exposure/guards.ts'
import type { House } from '../home/house/house.ts'
import type { Step } from '../home/model/house.ts'
import type { Cause } from '../home/model/cause.ts'
import type { DraftOf, RuleKind } from '../home/rules/model.ts'
import { commandsOf } from '../home/rules/references.ts'
import type { RuleBook } from '../home/rules/rule-book.ts'
import type { Rules } from '../home/rules/rules.ts'
import { Refusal } from './errors.ts'

/**
 * Spec 4 rule 2, also by way of scenes, automations and schedules: with allow_unlock off nothing that goes through an integration
 * opens an entrance. Steps that the integration cannot see count too (docs/decisions/unlocking-by-scene.md).
 */
export function refuseUnlocking(house: House, steps: readonly Step[], identity: Identity): void {
  const refusal = opensSomething(house, steps) ? unlockRefusal(identity) : null
  if (refusal) throw new Refusal(refusal)
}

/** Whether the steps open a lock or gate, themselves or by a scene that they run. */
function opensSomething(house: House, steps: readonly Step[]): boolean {
  return commandsOf(steps, (scene) => house.scenes.get(scene)?.steps ?? []).some(({ device, command }) => {
    const found = house.devices.get(device)
    return found !== undefined && opensEntrance(found.class, command.op)
  })
}

/**
 * What an integration made while it was allowed to open must not go on opening once it is not: its automations and schedules that
 * do are switched off. Answers their names.
 */
export function switchOffOpeners(house: House, rules: Pick<Rules, 'automations' | 'schedules'>, integration: Integration, cause: Cause): readonly string[] {
  if (integration.knobs.allow_unlock === 'on') return []
  const off = <K extends RuleKind>(book: RuleBook<K>): string[] => book.list()
    .filter((rule) => rule.enabled && rule.origin?.integration === integration.id && opensSomething(house, rule.then))
    .map((rule) => {
      book.update(rule.id, { enabled: false } as Partial<DraftOf[K]>, rule.revision, cause)
      return rule.name
    })
  return [...off(rules.automations), ...off(rules.schedules)]
}
