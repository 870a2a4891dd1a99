import { ExposedHouse } from '../exposure/exposed-house.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import type { Integration, IntegrationReader } from '../exposure/integration.ts'
import { isRuleVisible } from '../exposure/visible-rules.ts'
import type { House } from '../home/house/house.ts'
import type { Author } from '../home/model/house.ts'
import { ANYONE } from '../home/model/presence.ts'
import { namedIn, type Referring } from '../home/model/rule-parts.ts'
import type { IntegrationPreview, ShownThing } from './contract/integrations.ts'

/** The present home, or a planned one. */
export interface ShownHome {
  readonly house: House
  readonly automations: readonly NamedRule[]
  readonly schedules: readonly NamedRule[]
  readonly integrations: Pick<IntegrationReader, 'get'>
}
type NamedRule = Referring & {
  readonly id: string
  readonly name: string
  readonly origin: Author
  /** Missing in a file: the origin. */
  readonly author?: Author | undefined
}

/** Things that appear and disappear for an integration after a change of it or of the home. */
export function visibleDifferences(
  before: readonly [Integration, ShownHome],
  after: readonly [Integration, ShownHome],
): Pick<IntegrationPreview, 'appears' | 'disappears'> {
  const [old, now] = [visibleThings(...before), visibleThings(...after)]
  return {
    appears: [...now].filter(([key]) => !old.has(key)).map(([, thing]) => thing),
    disappears: [...old].filter(([key]) => !now.has(key)).map(([, thing]) => thing),
  }
}

/** A rule with the author that it has after an import. */
function authored<R extends NamedRule>(rule: R): R {
  return rule.author === undefined ? { ...rule, author: rule.origin } : rule
}

/** All things that an integration shows, by kind and local id. */
function visibleThings(
  integration: Integration,
  { house, integrations, ...rules }: ShownHome,
): ReadonlyMap<string, ShownThing> {
  const members = new GroupMembers(house, {
    get: (id) => (id === integration.id ? integration : integrations.get(id)),
  })
  // Only local ids are used, so the gateway's serial does not matter.
  const view = new ExposedHouse(house, integration, '', members)
  const { automations, schedules } = integration.knobs
  const all = { automations: rules.automations.map(authored), schedules: rules.schedules.map(authored) }
  const named = namedIn(all)
  const visible = (knob: string, list: readonly NamedRule[]): readonly NamedRule[] =>
    knob === 'on' ? list.filter((rule) => isRuleVisible(rule, named, view)) : []
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
    ...[...view.scenes, ...view.groups].map(({ type: kind, local: id, name }) => ({ kind, id, name })),
    ...view.calendars.map(({ id, name }) => ({ kind: 'calendar' as const, id, name })),
    ...(view.modes.length === 0 ? [] : [{ kind: 'mode' as const, id: '', name: 'mode of the home' }]),
    ...(view.showsAnyone ? [{ kind: 'person' as const, id: ANYONE, name: 'whether anyone is home' }] : []),
    ...view.people.map(({ id, name }) => ({ kind: 'person' as const, id, name })),
    ...visible(automations, rules.automations).map(({ id, name }) => ({
      kind: 'automation' as const,
      id,
      name,
    })),
    ...visible(schedules, rules.schedules).map(({ id, name }) => ({ kind: 'schedule' as const, id, name })),
  ]
  return new Map(things.map((thing) => [`${thing.kind} ${thing.id}`, thing]))
}
