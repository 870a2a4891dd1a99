import type { DeviceKey } from '../home/model/device.ts'
import { type Referring, referencesOf } from '../home/model/rule-parts.ts'

/** All automations or all schedules of the home. */
export interface RuleList {
  /** Differs after each change. */
  readonly revision: number
  list(): readonly (Referring & { readonly id: string })[]
}

/** Exposed things, for the references of rules. */
interface Scope {
  byKey(key: DeviceKey): { readonly onlyGangs: boolean } | undefined
  showsScene(local: string): boolean
  showsMode(id: string): boolean
}

/**
 * Visible rules of a view (Spec 2.5), by local id. They are computed at the first request after a change, so that a
 * hidden id costs as much as an unknown one.
 */
export class VisibleRules {
  readonly #view: Scope
  readonly #found = new WeakMap<RuleList, { readonly revision: number; readonly ids: ReadonlySet<string> }>()

  constructor(view: Scope) {
    this.#view = view
  }

  of(rules: RuleList): ReadonlySet<string> {
    const known = this.#found.get(rules)
    if (known?.revision === rules.revision) return known.ids
    const visible = rules.list().filter((rule) => isRuleVisible(rule, this.#view))
    const ids = new Set(visible.map(({ id }) => id))
    this.#found.set(rules, { revision: rules.revision, ids })
    return ids
  }
}

/** A rule is visible if it names nothing hidden. */
export function isRuleVisible(rule: Referring, view: Scope): boolean {
  const { devices, scenes, modes } = referencesOf(rule)
  return (
    [...devices].every((key) => isWhole(key, view)) &&
    [...scenes].every((scene) => view.showsScene(scene)) &&
    [...modes].every((mode) => view.showsMode(mode))
  )
}

/** False for a module exposed only by gangs, which a rule may not name: its sensor and other gangs are hidden. */
export function isWhole(key: DeviceKey, view: Pick<Scope, 'byKey'>): boolean {
  return view.byKey(key)?.onlyGangs === false
}
