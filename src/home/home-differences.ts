import { canonicalJson } from '../lib/canonical-json.ts'
import { contentOf, type HomeFile, type HomeFileParts, saysWhatIs } from './home-file.ts'
import type { HouseContent } from './ports/house-store.ts'

export const PART_KINDS = ['home', 'floor', 'room', 'unit', 'scene', 'automation', 'schedule'] as const

/** One part of the home that an import adds, changes or removes, by its local id. */
export interface Difference {
  readonly change: 'added' | 'changed' | 'removed'
  readonly kind: (typeof PART_KINDS)[number]
  readonly id: string
  readonly name: string
  /** What differs of a part that is changed; empty for others. */
  readonly fields: readonly string[]
}

/** What an import of a file would make of the home: the differences, and the house as it would be. */
export interface ImportPreview {
  readonly differences: readonly Difference[]
  readonly after: HouseContent
}

interface Part {
  readonly id: string
  readonly name: string
}

/** What comes with every change by itself, and where a part stands in its list. */
const NOT_TOLD: ReadonlySet<string> = new Set(['position', 'revision', 'edits', 'changedAt', 'paused'])

/** The same as `importHome` would do, without doing it. */
export function previewImport(file: HomeFile, parts: HomeFileParts): ImportPreview {
  const { house, rules } = parts
  const before = house.content()
  if (saysWhatIs(file, parts)) return { differences: [], after: before }
  const after = house.replacing(contentOf(file, house))
  const automations = rules.automations.replacing(file.rules.automations)
  const schedules = rules.schedules.replacing(file.rules.schedules)
  return {
    after,
    differences: [
      ...partsOf('home', [{ ...before.info, id: 'home' }], [{ ...after.info, id: 'home' }]),
      ...partsOf('floor', before.floors, after.floors),
      ...partsOf('room', before.rooms, after.rooms),
      ...partsOf('unit', before.units, after.units),
      ...partsOf('scene', before.scenes, after.scenes),
      ...partsOf('automation', automations.before, automations.after),
      ...partsOf('schedule', schedules.before, schedules.after),
    ],
  }
}

function partsOf(kind: Difference['kind'], before: readonly Part[], after: readonly Part[]): readonly Difference[] {
  const [old, now] = [before, after].map((list) => new Map(list.map((part) => [part.id, part])))
  const kept = after.flatMap((part): readonly Difference[] => {
    const { id, name } = part
    const known = old?.get(id)
    if (!known) return [{ change: 'added', kind, id, name, fields: [] }]
    const fields = fieldsOf(known, part)
    return fields.length === 0 ? [] : [{ change: 'changed', kind, id, name, fields }]
  })
  const removed = before.filter(({ id }) => now?.has(id) !== true)
  return [...kept, ...removed.map(({ id, name }) => ({ change: 'removed' as const, kind, id, name, fields: [] }))]
}

function fieldsOf(before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (field) => !NOT_TOLD.has(field) && differs(old.get(field), now.get(field)),
  )
}

const differs = (one: unknown, other: unknown): boolean =>
  one !== other && canonicalJson(one ?? null) !== canonicalJson(other ?? null)
