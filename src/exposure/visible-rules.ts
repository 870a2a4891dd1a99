import type { DeviceKey } from '../home/model/device.ts'
import type { GroupTarget } from '../home/model/groups.ts'
import type { Author } from '../home/model/house.ts'
import type { Removable } from '../home/model/missing.ts'
import {
  linkedRules,
  type NamedRule,
  type ReferenceLists,
  referenceListsOf,
  type Referring,
} from '../home/model/rule-parts.ts'
import { parseRuleReference, type RuleKind } from '../home/model/rules.ts'

/** All automations or all schedules of the home. */
export interface RuleList {
  /** Differs after each change of a rule of the home: rules name each other. */
  readonly homeRevision: number
  list(): readonly (Referring & { readonly id: string })[]
  readonly named: NamedRule
}

/** Exposed things, for the references of rules. */
export interface RuleScope {
  byKey(key: DeviceKey): { readonly onlyGangs: boolean } | undefined
  showsScene(local: string): boolean
  showsMode(id: string): boolean
  /** True if rules of a kind may be seen at all. */
  showsRules(kind: RuleKind): boolean
  showsCalendar(id: string): boolean
  showsPerson(id: string): boolean
  showsGroup(id: string): boolean
  showsRoom(local: string): boolean
  showsFloor(local: string): boolean
  /** True for a removed thing that the integration would see if it were still there. */
  missesOpenly(kind: Removable, id: string): boolean
  readonly groupMembers: GroupDevices
}

interface GroupDevices {
  /** Devices that may be in a group. */
  of(target: GroupTarget, author: Author): Iterable<DeviceKey>
  /** Another object after each change of the integration. */
  integration(id: string): object | undefined
}

interface Found {
  readonly revision: number
  readonly ids: ReadonlySet<string>
  /** The authors of rules with groups; a change of their exposure may hide or show a rule. */
  readonly authors: ReadonlyMap<string, object | undefined>
}

/**
 * Visible rules of a view (Spec 2.5), by local id. They are computed at the first request after a change, so that a
 * hidden id costs as much as an unknown one.
 */
export class VisibleRules {
  readonly #view: RuleScope
  readonly #found = new WeakMap<RuleList, Found>()

  constructor(view: RuleScope) {
    this.#view = view
  }

  of(rules: RuleList): ReadonlySet<string> {
    const known = this.#found.get(rules)
    if (known?.revision === rules.homeRevision && this.#isCurrent(known)) return known.ids
    const authors = new Map<string, object | undefined>()
    const note = ({ targets = [] }: ReferenceLists): void => {
      for (const { author } of targets)
        if (author !== null) authors.set(author.integration, this.#view.groupMembers.integration(author.integration))
    }
    const visible = rules.list().filter((rule) => isRuleVisible(rule, rules.named, this.#view, note))
    const ids = new Set(visible.map(({ id }) => id))
    this.#found.set(rules, { revision: rules.homeRevision, ids, authors })
    return ids
  }

  #isCurrent({ authors }: Found): boolean {
    return [...authors].every(([id, integration]) => this.#view.groupMembers.integration(id) === integration)
  }
}

/**
 * A rule is visible if it names nothing hidden, its groups have no hidden device, and the same holds for the rules that
 * it switches. A removed thing hides it only where it could be a hidden one. `note` gets the references that decide it.
 */
export function isRuleVisible(
  rule: Referring,
  named: NamedRule,
  view: RuleScope,
  note?: (references: ReferenceLists) => void,
): boolean {
  for (const { reference, rule: one } of linkedRules(rule, named)) {
    const isOffered = reference === null || view.showsRules(parseRuleReference(reference).kind)
    if (!isOffered) return false
    if (one === undefined) {
      if (!view.missesOpenly('rules', reference ?? '')) return false
      continue
    }
    const references = referenceListsOf(one)
    note?.(references)
    if (!showsAll(references, view)) return false
  }
  return true
}

/** True if all of these things are visible, or were before they were removed. */
export function showsAll(
  { devices = [], scenes = [], modes = [], calendars = [], people = [], ...rest }: ReferenceLists,
  view: RuleScope,
): boolean {
  return (
    devices.every((key) => isWhole(key, view)) &&
    scenes.every((id) => view.showsScene(id) || view.missesOpenly('scenes', id)) &&
    modes.every((id) => view.showsMode(id) || view.missesOpenly('modes', id)) &&
    calendars.every((id) => view.showsCalendar(id) || view.missesOpenly('calendars', id)) &&
    people.every((id) => view.showsPerson(id) || view.missesOpenly('people', id)) &&
    showsTargets(rest, view)
  )
}

/** True if named groups, rooms and floors are visible, and so are all devices of the groups. */
function showsTargets(
  { groups = [], rooms = [], floors = [], targets = [] }: ReferenceLists,
  view: RuleScope,
): boolean {
  return (
    groups.every((id) => view.showsGroup(id) || view.missesOpenly('groups', id)) &&
    rooms.every((id) => view.showsRoom(id) || view.missesOpenly('rooms', id)) &&
    floors.every((id) => view.showsFloor(id) || view.missesOpenly('floors', id)) &&
    targets.every((target) => [...view.groupMembers.of(target, target.author)].every((key) => isWhole(key, view)))
  )
}

/** False for a module exposed only by gangs, which a rule may not name: its sensor and other gangs are hidden. */
export function isWhole(key: DeviceKey, view: Pick<RuleScope, 'byKey'>): boolean {
  return view.byKey(key)?.onlyGangs === false
}
