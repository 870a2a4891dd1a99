import { isRuleVisible } from '../../../../src/exposure/visible-rules.ts'
import type { NoninterferenceHome } from './home.ts'
import { ANNA, watchedView } from './watched-view.ts'

/** An administrator edits, switches or deletes a visible rule. */
export function editVisibleRule(tested: NoninterferenceHome, which: number, value: number): void {
  const kind = which % 2 === 0 ? 'automations' : 'schedules'
  const view = watchedView(tested)
  const seen = tested.home.rules[kind]
    .list()
    .filter((rule) => view.integration.knobs[kind] === 'on' && isRuleVisible(rule, tested.home.rules.named, view))
  const rule = seen[value % Math.max(1, seen.length)]
  if (!rule) return
  if (value % 7 === 0) tested.home.rules[kind].delete(rule.id, ANNA)
  else
    tested.home.rules[kind].update(
      rule.id,
      value % 3 === 0 ? { enabled: !rule.enabled } : { name: `Seen ${value}` },
      rule.revision,
      ANNA,
      null,
    )
}

/** Changes of rules that no watched integration sees, different in each home. */
export const HIDDEN_RULES: readonly ((tested: NoninterferenceHome) => void)[] = [
  (tested) => {
    // About missing or hidden things, so no watched integration sees it.
    tested.home.rules.automations.create(
      {
        name: tested.disguise.name('Scheme'),
        enabled: true,
        when: [{ time: '12:04' }, { device: 'spy', detection: 'motion' }],
        if: [{ device: 'spy', reading: 'temperature', above: 900 }],
        then: [{ device: 'safe', op: 'set_power', args: { on: true } }],
        mode: 'single',
      },
      null,
      ANNA,
    )
  },
  (tested) => {
    // A group of an administrator has hidden devices too. Its trigger and condition follow visible ones.
    if (watchedView(tested).byKey('safe') !== undefined) return
    tested.home.rules.automations.create(
      {
        name: tested.disguise.name('Scheme'),
        enabled: true,
        when: [{ group: 'any', state: 'on', is: true }],
        if: [{ group: 'light', state: 'on', is: tested.dice.chance(0.5), of: 'any' }],
        then: [{ device: 'safe', op: 'toggle' }],
        mode: 'single',
      },
      null,
      ANNA,
    )
  },
  (tested) => {
    const rule = tested.dice.chance(0.5) ? hiddenRule(tested, 'automations') : undefined
    if (rule)
      tested.home.rules.automations.update(
        rule.id,
        { name: tested.disguise.name('Scheme'), enabled: tested.dice.chance(0.5) },
        rule.revision,
        ANNA,
        null,
      )
  },
  (tested) => {
    const rule = hiddenRule(tested, 'schedules')
    if (rule)
      tested.home.rules.schedules.update(rule.id, { name: tested.disguise.name('Ritual') }, rule.revision, ANNA, null)
  },
  (tested) => {
    const rule = hiddenRule(tested, 'automations')
    if (rule && tested.dice.chance(0.3)) tested.home.rules.automations.delete(rule.id, ANNA)
  },
]

function hiddenRule(tested: NoninterferenceHome, kind: 'automations' | 'schedules') {
  const view = watchedView(tested)
  const seesRules = view.integration.knobs[kind] === 'on'
  const { named } = tested.home.rules
  const isHidden = (rule: Parameters<typeof isRuleVisible>[0]): boolean =>
    !seesRules || !isRuleVisible(rule, named, view)
  const tame = tested.home.rules[kind]
    .list()
    .filter(
      (rule) =>
        isHidden(rule) &&
        (!rule.enabled ||
          kind === 'automations' ||
          rule.then.every((step) => 'device' in step && !view.byKey(step.device))),
    )
  return tame[tested.dice.whole(0, Math.max(0, tame.length - 1))]
}
