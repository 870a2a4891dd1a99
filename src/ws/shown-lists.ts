import { type List, type ListChange, LISTS } from '../api/contract/events.ts'
import { isRuleShown, type ShownRules } from '../api/exposed-causes.ts'
import type { ExposedHouse, ExposedScene } from '../exposure/exposed-house.ts'
import type { Automation, Schedule } from '../home/model/rules.ts'
import { visibleRevision } from '../home/rules/scenes/scene-edit.ts'
import { viewScene } from '../home/rules/scenes/visible-steps.ts'
import type { ListSight } from './stream-event.ts'

const KIND_OF = { automations: 'automation', schedules: 'schedule' } as const

/** One thing of a list as an integration is shown it. */
interface Entry {
  readonly id: string
  readonly revision: number
  readonly enabled: boolean
  readonly paused: boolean
  /** Equal for two entries that read the same. */
  readonly says: unknown
}
/** What a list shows, by local id; null while its knob is off. */
type Shown = ReadonlyMap<string, Entry> | null

/** A change of one thing: its `id`, `revision` and `change` as events tell them. */
export interface Change {
  readonly list: List
  readonly local: string
  readonly id: string
  readonly revision: number
  readonly change: ListChange
}

/**
 * What one integration is shown of the lists of scenes, automations and schedules, and how that differs from what it
 * was shown before. Only what is shown is compared, so what is hidden makes no difference (docs/stream.md#lists).
 */
export class ShownLists {
  readonly #rules: ShownRules
  readonly #shown = new Map<List, Shown>()
  /** Lists that may show something else than they did. */
  readonly #stale = new Set<List>(LISTS)

  constructor(rules: ShownRules) {
    this.#rules = rules
  }

  changed(list: List): void {
    this.#stale.add(list)
  }

  viewChanged(): void {
    for (const list of LISTS) this.#stale.add(list)
  }

  /** Whether a list shows a thing now; without an id, whether it may be read at all. */
  readonly shows: ListSight = (list, id, view) => {
    if (list === 'scenes') return id === null || view.showsScene(id)
    if (id === null) return view.integration.knobs[list] === 'on'
    return isRuleShown(KIND_OF[list], id, view, this.#rules)
  }

  /** What changed since the last call, list by list; nothing where a list was not, or is not, shown at all. */
  changes(view: ExposedHouse): readonly Change[] {
    const changes = LISTS.filter((list) => this.#stale.has(list)).flatMap((list) => {
      const [before, now] = [this.#shown.get(list) ?? null, this.#read(list, view)]
      this.#shown.set(list, now)
      return before === null || now === null ? [] : changesOf(list, before, now)
    })
    this.#stale.clear()
    return changes
  }

  #read(list: List, view: ExposedHouse): Shown {
    if (!this.shows(list, null, view)) return null
    if (list === 'scenes') return new Map(view.scenes.map((scene) => [scene.local, sceneEntry(scene, view)]))
    const rules: readonly (Automation | Schedule)[] = this.#rules[list].list()
    const visible = view.rules.of(this.#rules[list])
    return new Map(
      rules
        .filter(({ id }) => visible.has(id))
        .map((rule) => [rule.id, ruleEntry(rule, view.ids.of(KIND_OF[list], rule.id))]),
    )
  }
}

/** A rule is shown whole, and another object whenever it changed. */
function ruleEntry(rule: Automation | Schedule, id: string): Entry {
  const paused = 'paused' in rule && rule.paused
  return { id, revision: rule.revision, enabled: rule.enabled, paused, says: rule }
}

/** A scene is shown without its hidden steps: only what is left of it counts, and how many devices are hidden. */
function sceneEntry(scene: ExposedScene, view: ExposedHouse): Entry {
  const isVisible = (device: string): boolean => view.byKey(device) !== undefined
  const stored = view.sceneContent(scene)
  const revision = stored ? visibleRevision(stored, isVisible) : 1
  const { members, hiddenMembers } = stored ? viewScene(stored, isVisible) : { members: [], hiddenMembers: 0 }
  const says = JSON.stringify([scene.name, scene.room, scene.floor, stored?.icon, revision, members, hiddenMembers])
  return { id: scene.id, revision, enabled: true, paused: false, says }
}

function changesOf(list: List, before: ReadonlyMap<string, Entry>, now: ReadonlyMap<string, Entry>): readonly Change[] {
  const told = (local: string, { id, revision }: Entry, change: ListChange): Change => ({
    list,
    local,
    id,
    revision,
    change,
  })
  const gone = [...before].filter(([local]) => !now.has(local)).map(([local, entry]) => told(local, entry, 'deleted'))
  const others = [...now].flatMap(([local, entry]) => {
    const change = changeOf(before.get(local), entry)
    return change === null ? [] : [told(local, entry, change)]
  })
  return [...gone, ...others]
}

function changeOf(before: Entry | undefined, now: Entry): ListChange | null {
  if (before === undefined) return 'created'
  if (before.says === now.says) return null
  if (before.enabled !== now.enabled) return now.enabled ? 'enabled' : 'disabled'
  return now.paused && !before.paused ? 'paused' : 'edited'
}
