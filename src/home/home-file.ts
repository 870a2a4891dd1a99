import { checked, sentenceOf } from '../lib/checked.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { writeYamlInTurns } from '../lib/yaml.ts'
import { classesOf, type House } from './house/house.ts'
import { houseSections, readHouseFile } from './house/house-file.ts'
import type { Cause } from './model/events.ts'
import type { DeviceClass, DeviceKey } from './model/device.ts'
import type { Scene } from './model/house.ts'
import type { HouseContent } from './ports/house-store.ts'
import { problemWith, operationProblem } from './rules/problems.ts'
import { referencesOf } from './model/rules.ts'
import type { KnownDevice } from './rules/possible.ts'
import { namedOnce, type RuleFile, ruleFileSchema, toRuleFile } from './rules/rule-file.ts'
import type { Rules } from './rules/rules.ts'
import { canonicalJson } from '../lib/canonical-json.ts'

/** A whole home as a file holds it: the house, and the rules with device keys and local ids. */
export interface HomeFile {
  readonly house: HouseContent
  readonly rules: RuleFile
  /** Scenes of which the file does not say who made them. */
  readonly unattributed: ReadonlySet<string>
}

/** What a file is made of and replaces. */
export interface HomeFileParts {
  readonly house: House
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
}

/**
 * Reads YAML or JSON, and holds it to itself. The error is one sentence that names the place. `defaultZone` is used
 * where the file names no time zone.
 */
export function readHomeFile(text: string, defaultZone: string): Result<HomeFile, string> {
  const parsed = parsedHomeFile(text, defaultZone)
  return parsed.ok ? heldToHome(parsed.value) : parsed
}

/** The same before what its rules name and ask is looked at: that takes no other thing than the text. */
export function parsedHomeFile(text: string, defaultZone: string): Result<HomeFile, string> {
  const read = readHouseFile(text, defaultZone)
  if (!read.ok) return read
  const { automations, schedules, unattributed, ...house } = read.value
  const sections = { automations, schedules }
  const rules = checked(ruleFileSchema, sections)
  if (rules.ok) return ok({ house, rules: rules.value, unattributed })
  const classes = classesOf(house.units)
  return fail(
    sentenceOf(
      operationProblem(rules.error, sections, (key) => classes.get(key)),
      'The file',
    ),
  )
}

/**
 * The file, or what its rules name or ask that cannot be, in one sentence. Triggers and conditions that the home (`now`)
 * has already, on devices that stay what they are, are not judged anew.
 */
export function heldToHome(file: HomeFile, now?: HomeFileParts): Result<HomeFile, string> {
  const wrong = wrongReference(file.rules, file.house, now)
  return wrong === null ? ok(file) : fail(wrong)
}

/** Writes the home as it is now, as YAML that `readHomeFile` reads back to the same; nobody waits for a large one. */
export function writeHomeFile(parts: HomeFileParts): Promise<string> {
  return writeYamlInTurns(sectionsOf(parts))
}

const sectionsOf = ({ house, rules }: HomeFileParts): Readonly<Record<string, unknown>> =>
  houseSections(house.content(), toRuleFile(rules.automations.list(), rules.schedules.list()))

/**
 * Puts the file in place of the house and all rules, in one transaction: where any part of it cannot be stored, nothing
 * is. A file that says what the home is already changes nothing: no revision, no activity, no event.
 *
 * @param ready asked just before it is changed; throws where it must not be any more
 */
export async function importHome(
  file: HomeFile,
  parts: HomeFileParts,
  cause: Cause,
  ready: () => unknown = () => {},
): Promise<void> {
  if (saysWhatIs(file, parts)) return
  await nextTurn()
  ready()
  const { house, rules } = parts
  const automations = rules.automations.replacement(file.rules.automations, cause)
  const schedules = rules.schedules.replacement(file.rules.schedules, cause)
  house.replace(contentOf(file, house), cause, [automations, schedules])
}

/** Whether a file says what the home is already. */
function saysWhatIs(file: HomeFile, parts: HomeFileParts): boolean {
  const said = houseSections(contentOf(file, parts.house), namedOnce(file.rules))
  return textOf(said) === textOf(sectionsOf(parts))
}

/** Sections as text, without revisions: they count edits, and a file with other ones says nothing else. */
function textOf(sections: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(sections, (key, value: unknown) => (key === 'revision' ? undefined : value))
}

/** The house of a file, with what the file leaves as it is. */
function contentOf(file: HomeFile, house: House): HouseContent {
  return { ...file.house, scenes: attributed(file, house) }
}

/** Scenes of which the file does not say who made them stay whose they are: a file gives nobody's leave away. */
export function attributed({ house: { scenes }, unattributed }: HomeFile, house: House): readonly Scene[] {
  return scenes.map((scene) => {
    const before = unattributed.has(scene.id) ? house.scenes.get(scene.id) : undefined
    return before ? { ...scene, origin: before.origin, author: before.author } : scene
  })
}

const knownAs = (name: DeviceKey, its: DeviceClass | undefined): KnownDevice | undefined => its && { class: its, name }

/** The first rule that names what the file does not hold, or asks of it what it cannot do. */
function wrongReference(file: RuleFile, house: HouseContent, now?: HomeFileParts): string | null {
  const classes = classesOf(house.units)
  const classNow = (key: DeviceKey): DeviceClass | undefined =>
    now === undefined ? classes.get(key) : now.house.devices.get(key)?.class
  const scenes = new Set(house.scenes.map((scene) => scene.id))
  for (const section of ['automations', 'schedules'] as const) {
    for (const rule of file[section]) {
      const place = `${section.slice(0, -1)} ${rule.id}`
      const named = referencesOf(rule)
      const device = [...named.devices].find((key) => !classes.has(key))
      if (device !== undefined) return `The ${place} names ${device}, which is not in the file.`
      const scene = [...named.scenes].find((id) => !scenes.has(id))
      if (scene !== undefined) return `The ${place} names the scene ${scene}, which is not in the file.`
      const stays = [...named.devices].every((key) => classNow(key) === classes.get(key))
      const stored = stays ? now?.rules[section].get(rule.id) : undefined
      const problem = problemWith(rule, (key) => knownAs(key, classes.get(key)), stored)
      if (problem) return `The ${place}: ${problem.field} ${problem.message}.`
    }
  }
  return null
}

export const PART_KINDS = ['home', 'floor', 'room', 'unit', 'scene', 'automation', 'schedule'] as const

/** One part of the home that an import adds, changes or removes, by its local id. */
interface Difference {
  readonly change: 'added' | 'changed' | 'removed'
  readonly kind: (typeof PART_KINDS)[number]
  readonly id: string
  readonly name: string
  /** What differs of a part that is changed; empty for others. */
  readonly fields: readonly string[]
}

/** What an import of a file would make of the home: the differences, and the house as it would be. */
interface ImportPreview {
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

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * How much of the home an import would remove, in words such as `34 of 34 units and 15 of 15 rooms`, where it is more than
 * half of a kind; else null. A single thing that goes is an ordinary edit.
 */
export function mostRemoved(file: HomeFile, { house, rules }: HomeFileParts): string | null {
  const kinds = [
    ['units', house.units.keys(), file.house.units],
    ['rooms', house.rooms.keys(), file.house.rooms],
    ['scenes', house.scenes.keys(), file.house.scenes],
    ['automations', idsOf(rules.automations.list()), file.rules.automations],
    ['schedules', idsOf(rules.schedules.list()), file.rules.schedules],
  ] as const
  const removed = kinds.flatMap(([kind, ids, list]) => {
    const kept = new Set(idsOf(list))
    const before = [...ids]
    const gone = before.filter((id) => !kept.has(id)).length
    return gone > 1 && gone > before.length / 2 ? [`${gone} of ${before.length} ${kind}`] : []
  })
  return removed.length === 0 ? null : LIST.format(removed)
}

const idsOf = (things: readonly { readonly id: string }[]): readonly string[] => things.map(({ id }) => id)
