import { keysOf } from '../lib/keys.ts'
import { type Credential, credentialLabel } from '../auth/credentials/credentials.ts'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import type { Integration } from '../exposure/integration.ts'
import { KNOB_MEANINGS, type KnobName, type Knobs } from '../exposure/knobs.ts'
import type { House } from '../home/house/house.ts'
import type { Referring } from '../home/model/rules.ts'
import { isRuleVisible } from '../exposure/visible-rules.ts'
import type { CredentialView, IntegrationPreview, ShownThing } from './contract/integrations.ts'

/** A home, or what would become of it. */
export interface ShownHome {
  readonly house: House
  readonly automations: readonly NamedRule[]
  readonly schedules: readonly NamedRule[]
}
type NamedRule = Referring & { readonly id: string; readonly name: string }

interface PreviewParts {
  readonly home: ShownHome
  readonly credentials: readonly Credential[]
  readonly stateOf: (credential: Credential, integration: Integration) => CredentialView['state']
}

type Differences = Pick<IntegrationPreview, 'appears' | 'disappears' | 'changes' | 'credentials'>

/** What the programs behind an integration would notice, were it changed from `before` to `after`. */
export function differencesOf(before: Integration, after: Integration, parts: PreviewParts): Differences {
  return {
    ...shownDifferences([before, parts.home], [after, parts.home]),
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

/** What appears and disappears for an integration when it, or the home, becomes another. */
export function shownDifferences(
  before: readonly [Integration, ShownHome],
  after: readonly [Integration, ShownHome],
): Pick<Differences, 'appears' | 'disappears'> {
  const [old, now] = [shownBy(...before), shownBy(...after)]
  return {
    appears: [...now].filter(([key]) => !old.has(key)).map(([, thing]) => thing),
    disappears: [...old].filter(([key]) => !now.has(key)).map(([, thing]) => thing),
  }
}

/** Everything that an integration shows, by kind and local id. */
function shownBy(integration: Integration, { house, ...rules }: ShownHome): ReadonlyMap<string, ShownThing> {
  // Only local ids are told, so the gateway that others begin with does not matter.
  const view = new ExposedHouse(house, integration, '')
  const { automations, schedules } = integration.knobs
  const visible = (knob: string, list: readonly NamedRule[]): readonly NamedRule[] =>
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
    ...visible(automations, rules.automations).map(({ id, name }) => ({
      kind: 'automation' as const,
      id,
      name,
    })),
    ...visible(schedules, rules.schedules).map(({ id, name }) => ({ kind: 'schedule' as const, id, name })),
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
