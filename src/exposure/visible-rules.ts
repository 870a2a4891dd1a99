import type { DeviceKey } from '../home/model/device.ts'
import { type Referring, referencesOf } from '../home/model/rules.ts'

/** All automations, or all schedules, of the home. */
export interface RuleList {
  /** Another number after each change. */
  readonly revision: number
  list(): readonly (Referring & { readonly id: string })[]
}

/** What a view shows of the things that rules name. */
interface Scope {
  byKey(key: DeviceKey): { readonly onlyGangs: boolean } | undefined
  showsScene(local: string): boolean
}

/**
 * Which rules a view shows (Spec 2.5), by local id. They are found when first asked for after a change, so that asking
 * for a hidden id costs what asking for an invented one does.
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
    const shown = rules.list().filter((rule) => isRuleVisible(rule, this.#view))
    const ids = new Set(shown.map(({ id }) => id))
    this.#found.set(rules, { revision: rules.revision, ids })
    return ids
  }
}

/** A rule is visible if it names nothing hidden. */
export function isRuleVisible(rule: Referring, view: Scope): boolean {
  const { devices, scenes } = referencesOf(rule)
  return [...devices].every((key) => isWhole(key, view)) && [...scenes].every((scene) => view.showsScene(scene))
}

/** A rule may not name a module of which only gangs are shown: the module's sensor and its other gangs are hidden. */
export function isWhole(key: DeviceKey, view: Scope): boolean {
  return view.byKey(key)?.onlyGangs === false
}
