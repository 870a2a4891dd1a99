import { canonicalJson } from '../lib/canonical-json.ts'
import { nextTurn } from '../lib/next-turn.ts'
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

/** A home has thousands. */
const COMPARED_IN_A_TURN = 250

/** What comes with every change by itself, and where a part stands in its list. */
const NOT_TOLD: ReadonlySet<string> = new Set(['position', 'revision', 'edits', 'changedAt', 'paused'])

/**
 * The same as `importHome` would do, without doing it, to the home as it is at one moment; nobody waits for a large
 * one.
 */
export async function previewImport(file: HomeFile, parts: HomeFileParts): Promise<ImportPreview> {
  const isTheSame = saysWhatIs(file, parts)
  await nextTurn()
  const { house, rules } = parts
  const before = house.content()
  if (isTheSame) return { differences: [], after: before }
  const after = house.replacing(contentOf(file, house))
  const automations = rules.automations.replacing(file.rules.automations)
  const schedules = rules.schedules.replacing(file.rules.schedules)
  const differences: Difference[] = []
  for (const [kind, old, now] of [
    ['home', [{ ...before.info, id: 'home' }], [{ ...after.info, id: 'home' }]],
    ['floor', before.floors, after.floors],
    ['room', before.rooms, after.rooms],
    ['unit', before.units, after.units],
    ['scene', before.scenes, after.scenes],
    ['automation', automations.before, automations.after],
    ['schedule', schedules.before, schedules.after],
  ] as const)
    differences.push(...(await partsOf(kind, old, now)))
  return { after, differences }
}

async function partsOf(
  kind: Difference['kind'],
  before: readonly Part[],
  after: readonly Part[],
): Promise<readonly Difference[]> {
  const [old, now] = [before, after].map((list) => new Map(list.map((part) => [part.id, part])))
  const kept: Difference[] = []
  for (const [index, part] of after.entries()) {
    if (index % COMPARED_IN_A_TURN === 0) await nextTurn()
    const { id, name } = part
    const known = old?.get(id)
    const fields = known ? fieldsOf(known, part) : []
    if (!known || fields.length > 0) kept.push({ change: known ? 'changed' : 'added', kind, id, name, fields })
  }
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
