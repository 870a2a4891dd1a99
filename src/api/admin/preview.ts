import { keysOf } from '../../lib/keys.ts'
import { type Credential, credentialLabel } from '../../auth/credential.ts'
import { ExposedHouse } from '../../exposure/exposed-house.ts'
import type { Integration } from '../../exposure/integration.ts'
import { KNOB_MEANINGS, type KnobName, type Knobs } from '../../exposure/knobs.ts'
import type { House } from '../../home/house/house.ts'
import type { Rules } from '../../home/rules/rules.ts'
import { isRuleVisible } from '../exposed-causes.ts'
import type { CredentialView, IntegrationPreview, ShownThing } from './contract/integrations.ts'

interface PreviewParts {
  readonly house: House
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
  readonly credentials: readonly Credential[]
  readonly stateOf: (credential: Credential, integration: Integration) => CredentialView['state']
}

type Differences = Pick<IntegrationPreview, 'appears' | 'disappears' | 'changes' | 'credentials'>

/** What the programs behind an integration would notice, were it changed from `before` to `after`. */
export function differencesOf(before: Integration, after: Integration, parts: PreviewParts): Differences {
  const [shownBefore, shownAfter] = [shownBy(before, parts), shownBy(after, parts)]
  return {
    appears: [...shownAfter].filter(([key]) => !shownBefore.has(key)).map(([, thing]) => thing),
    disappears: [...shownBefore].filter(([key]) => !shownAfter.has(key)).map(([, thing]) => thing),
    changes: [...enabledChange(before, after), ...knobChanges(before.knobs, after.knobs)],
    credentials: parts.credentials
      .map((each) => ({
        link: each.link,
        label: credentialLabel(each, after.name),
        from: parts.stateOf(each, before),
        to: parts.stateOf(each, after),
      }))
      .filter(({ from, to }) => from !== to),
  }
}

/** Everything that an integration shows, by kind and local id. */
function shownBy(integration: Integration, { house, rules }: PreviewParts): ReadonlyMap<string, ShownThing> {
  // Only local ids are told, so the gateway that others begin with does not matter.
  const view = new ExposedHouse(house, integration, '')
  const { automations, schedules } = integration.knobs
  const visible = <R extends Parameters<typeof isRuleVisible>[0]>(knob: string, list: readonly R[]): readonly R[] =>
    knob === 'on' ? list.filter((rule) => isRuleVisible(rule, view)) : []
  const rooms = [...view.floors.flatMap((floor) => floor.rooms), ...view.rooms]
  const things: readonly ShownThing[] = [
    ...view.floors.map(({ local, name }) => ({ kind: 'floor' as const, id: local, name })),
    ...rooms.map(({ local, name }) => ({ kind: 'room' as const, id: local, name })),
    ...[...view.devices()].flatMap(({ key, name, gang, class: its, onlyGangs }): readonly ShownThing[] => {
      if (gang !== null) return [{ kind: 'gang', id: key, name }]
      if (its !== 'gang_module') return [{ kind: 'unit', id: key, name }]
      return [
        { kind: 'module', id: key, name },
        ...(onlyGangs ? [] : [{ kind: 'whole_module' as const, id: key, name }]),
      ]
    }),
    ...view.scenes.map(({ local, name }) => ({ kind: 'scene' as const, id: local, name })),
    ...visible(automations, rules.automations.list()).map(({ id, name }) => ({
      kind: 'automation' as const,
      id,
      name,
    })),
    ...visible(schedules, rules.schedules.list()).map(({ id, name }) => ({ kind: 'schedule' as const, id, name })),
  ]
  return new Map(things.map((thing) => [`${thing.kind} ${thing.id}`, thing]))
}

function enabledChange(before: Integration, after: Integration): IntegrationPreview['changes'] {
  if (before.enabled === after.enabled) return []
  const [from, to] = [before.enabled, after.enabled].map((enabled) => (enabled ? 'on' : 'off'))
  const means = after.enabled ? 'Its requests are served.' : 'All its requests are refused.'
  return [{ what: 'enabled', from: from ?? '', to: to ?? '', means }]
}

function knobChanges(before: Knobs, after: Knobs): IntegrationPreview['changes'] {
  return keysOf(KNOB_MEANINGS)
    .filter((knob) => before[knob] !== after[knob])
    .map((knob) => ({ what: knob, from: before[knob], to: after[knob], means: meaningOf(knob, after) }))
}

function meaningOf(knob: KnobName, knobs: Knobs): string {
  const meanings: Readonly<Record<string, string>> = KNOB_MEANINGS[knob]
  return meanings[knobs[knob]] ?? ''
}
