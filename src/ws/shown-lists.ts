import { type ListTopic, type ListChange, LISTS } from '../api/contract/events.ts'
import { isRuleShown, type ShownRules } from '../api/exposed-causes.ts'
import type { ExposedHouse, ExposedScene } from '../exposure/exposed-house.ts'
import type { Automation, Schedule } from '../home/model/rules.ts'
import { visibleRevision } from '../home/rules/scenes/scene-edit.ts'
import { viewScene } from '../home/rules/scenes/visible-steps.ts'
import type { ListSight } from './stream-event.ts'

const KIND_OF = { automations: 'automation', schedules: 'schedule' } as const

/** An entry of a list as an integration sees it. */
interface Entry {
  readonly id: string
  readonly revision: number
  readonly enabled: boolean
  readonly paused: boolean
  /** Content for comparison; equal for entries that look the same. */
  readonly content: unknown
}
/** Entries of a list by local id; null while its knob is off. */
type ListContent = ReadonlyMap<string, Entry> | null

/** A change of one entry, with `id`, `revision` and `change` as in events. */
export interface EntryChange {
  readonly list: ListTopic
  readonly local: string
  readonly id: string
  readonly revision: number
  readonly change: ListChange
}

/**
 * The lists of scenes, automations and schedules as one integration sees them, and their changes. Only visible content
 * is compared, so hidden content makes no difference (docs/stream.md#lists).
 */
export class ShownLists {
  readonly #rules: ShownRules
  readonly #contents = new Map<ListTopic, ListContent>()
  /** Lists that may have changed. */
  readonly #stale = new Set<ListTopic>(LISTS)

  constructor(rules: ShownRules) {
    this.#rules = rules
  }

  changed(list: ListTopic): void {
    this.#stale.add(list)
  }

  viewChanged(): void {
    for (const list of LISTS) this.#stale.add(list)
  }

  /** True if a list shows an entry; without an id, true if the list may be read. */
  readonly shows: ListSight = (list, id, view) => {
    if (list === 'scenes') return id === null || view.showsScene(id)
    if (id === null) return view.integration.knobs[list] === 'on'
    return isRuleShown(KIND_OF[list], id, view, this.#rules)
  }

  /** Changes since the last call, list by list. A list that was or is hidden has none. */
  changes(view: ExposedHouse): readonly EntryChange[] {
    const changes = LISTS.filter((list) => this.#stale.has(list)).flatMap((list) => {
      const [before, now] = [this.#contents.get(list) ?? null, this.#read(list, view)]
      this.#contents.set(list, now)
      return before === null || now === null ? [] : changesOf(list, before, now)
    })
    this.#stale.clear()
    return changes
  }

  #read(list: ListTopic, view: ExposedHouse): ListContent {
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

/** A rule is visible as a whole, and is a new object after every change. */
function ruleEntry(rule: Automation | Schedule, id: string): Entry {
  const paused = 'paused' in rule && rule.paused
  return { id, revision: rule.revision, enabled: rule.enabled, paused, content: rule }
}

/** A scene is visible without its hidden steps; only the rest and the number of hidden devices count. */
function sceneEntry(scene: ExposedScene, view: ExposedHouse): Entry {
  const isVisible = (device: string): boolean => view.byKey(device) !== undefined
  const stored = view.sceneContent(scene)
  const revision = stored ? visibleRevision(stored, isVisible) : 1
  const { members, hiddenMembers } = stored ? viewScene(stored, isVisible) : { members: [], hiddenMembers: 0 }
  const content = JSON.stringify([scene.name, scene.room, scene.floor, stored?.icon, revision, members, hiddenMembers])
  return { id: scene.id, revision, enabled: true, paused: false, content }
}

function changesOf(
  list: ListTopic,
  before: ReadonlyMap<string, Entry>,
  now: ReadonlyMap<string, Entry>,
): readonly EntryChange[] {
  const changeAs = (local: string, { id, revision }: Entry, change: ListChange): EntryChange => ({
    list,
    local,
    id,
    revision,
    change,
  })
  const deletions = [...before]
    .filter(([local]) => !now.has(local))
    .map(([local, entry]) => changeAs(local, entry, 'deleted'))
  const updates = [...now].flatMap(([local, entry]) => {
    const change = changeOf(before.get(local), entry)
    return change === null ? [] : [changeAs(local, entry, change)]
  })
  return [...deletions, ...updates]
}

function changeOf(before: Entry | undefined, now: Entry): ListChange | null {
  if (before === undefined) return 'created'
  if (before.content === now.content) return null
  if (before.enabled !== now.enabled) return now.enabled ? 'enabled' : 'disabled'
  return now.paused && !before.paused ? 'paused' : 'edited'
}
