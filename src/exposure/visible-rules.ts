import type { DeviceKey } from '../home/model/device.ts'
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
  /** True for a removed thing that the integration would see if it were still there. */
  missesOpenly(kind: Removable, id: string): boolean
}

/**
 * Visible rules of a view (Spec 2.5), by local id. They are computed at the first request after a change, so that a
 * hidden id costs as much as an unknown one.
 */
export class VisibleRules {
  readonly #view: RuleScope
  readonly #found = new WeakMap<RuleList, { readonly revision: number; readonly ids: ReadonlySet<string> }>()

  constructor(view: RuleScope) {
    this.#view = view
  }

  of(rules: RuleList): ReadonlySet<string> {
    const known = this.#found.get(rules)
    if (known?.revision === rules.homeRevision) return known.ids
    const visible = rules.list().filter((rule) => isRuleVisible(rule, rules.named, this.#view))
    const ids = new Set(visible.map(({ id }) => id))
    this.#found.set(rules, { revision: rules.homeRevision, ids })
    return ids
  }
}

/**
 * A rule is visible if it names nothing hidden, and so do the rules that it switches. A removed thing hides it only
 * where it could be a hidden one.
 */
export function isRuleVisible(rule: Referring, named: NamedRule, view: RuleScope): boolean {
  for (const { reference, rule: one } of linkedRules(rule, named)) {
    const isOffered = reference === null || view.showsRules(parseRuleReference(reference).kind)
    if (!isOffered) return false
    const isShown =
      one === undefined ? view.missesOpenly('rules', reference ?? '') : showsAll(referenceListsOf(one), view)
    if (!isShown) return false
  }
  return true
}

/** True if all of these things are visible, or were before they were removed. */
export function showsAll(
  { devices = [], scenes = [], modes = [], calendars = [], people = [] }: ReferenceLists,
  view: RuleScope,
): boolean {
  return (
    devices.every((key) => isWhole(key, view)) &&
    scenes.every((id) => view.showsScene(id) || view.missesOpenly('scenes', id)) &&
    modes.every((id) => view.showsMode(id) || view.missesOpenly('modes', id)) &&
    calendars.every((id) => view.showsCalendar(id) || view.missesOpenly('calendars', id)) &&
    people.every((id) => view.showsPerson(id) || view.missesOpenly('people', id))
  )
}

/** False for a module exposed only by gangs, which a rule may not name: its sensor and other gangs are hidden. */
export function isWhole(key: DeviceKey, view: Pick<RuleScope, 'byKey'>): boolean {
  return view.byKey(key)?.onlyGangs === false
}
