import { checked, sentenceOf } from '../lib/checked.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { writeYamlInTurns } from '../lib/yaml.ts'
import { classesOf, type House } from './house/house.ts'
import { houseSections, readHouseFile } from './house/house-file.ts'
import type { Cause, SubjectKey } from './model/events.ts'
import type { DeviceClass, DeviceKey } from './model/device.ts'
import type { Scene } from './model/house.ts'
import { type IsThere, missingFrom, thereIn } from './model/missing.ts'
import { completeModes } from './model/modes.ts'
import type { HouseContent } from './ports/house-store.ts'
import type { HomePerson } from './model/presence.ts'
import { peopleIn, withOwnPeople } from './people-in-file.ts'
import { type MemberClasses, problemWith, operationProblem } from './rules/problems.ts'
import { referencesOf } from './model/rule-parts.ts'
import type { KnownDevice } from './rules/possible.ts'
import { withoutRepeatedAuthors, type RuleFile, ruleFileSchema, toRuleFile } from './rules/rule-file.ts'
import type { Rules } from './rules/rules.ts'
import { removedWords } from './words/values.ts'
import { canonicalJson } from '../lib/canonical-json.ts'

/** A whole home as a file holds it: the house, and the rules with device keys and local ids. */
export interface HomeFile {
  readonly house: HouseContent
  readonly rules: RuleFile
  /** Names of the persons whom its rules name. */
  readonly people: readonly HomePerson[]
  /** References to things that its rules name although they were removed. */
  readonly missing: ReadonlySet<string>
  /** Scenes and groups whose origin is missing in the file. */
  readonly unattributed: ReadonlySet<SubjectKey>
}

/** The house and rules that a file is made from and replaces. */
export interface HomeFileParts {
  readonly house: House
  readonly rules: Pick<Rules, 'automations' | 'schedules'>
}

/**
 * Reads YAML or JSON and checks its references. The error is one sentence that names the place. `defaultZone` is used
 * if the file names no time zone.
 */
export function readHomeFile(text: string, defaultZone: string): Result<HomeFile, string> {
  const parsed = parsedHomeFile(text, defaultZone)
  return parsed.ok ? checkedAgainstHome(parsed.value) : parsed
}

/** Reads the file without checking the references of its rules; only this step needs the text alone. */
export function parsedHomeFile(text: string, defaultZone: string): Result<HomeFile, string> {
  const read = readHouseFile(text, defaultZone)
  if (!read.ok) return read
  const { automations, schedules, people, missing, unattributed, ...house } = read.value
  const sections = { automations, schedules }
  const rules = checked(ruleFileSchema, sections)
  if (rules.ok) return ok({ house, rules: rules.value, people, missing: new Set(missing), unattributed })
  const classes = classesOf(house.units)
  return fail(
    sentenceOf(
      operationProblem(rules.error, sections, (key) => classes.get(key)),
      'The file',
    ),
  )
}

/**
 * Checks the references and operations of the file's rules. The error is one sentence. Triggers and conditions that the
 * home (`now`) already has are not checked again while the classes of their devices stay the same.
 */
export function checkedAgainstHome(file: HomeFile, now?: HomeFileParts): Result<HomeFile, string> {
  const problem = referenceProblem(file, now)
  if (problem !== null) return fail(problem)
  const rules = now === undefined ? ok(file.rules) : withOwnPeople(file, now.house.people)
  return rules.ok ? ok({ ...file, rules: rules.value }) : rules
}

/**
 * Writes the current home as YAML that `readHomeFile` reads back unchanged. Yields between parts, so that a large home
 * blocks no request.
 */
export function writeHomeFile(parts: HomeFileParts): Promise<string> {
  return writeYamlInTurns(sectionsOf(parts))
}

function sectionsOf({ house, rules }: HomeFileParts): Readonly<Record<string, unknown>> {
  const file = toRuleFile(rules.automations.list(), rules.schedules.list())
  const isThere = thereIn(house, rules.automations.named)
  const missing = new Set([...file.automations, ...file.schedules].flatMap((rule) => missingFrom(rule, isThere)))
  return houseSections(house.content(), file, peopleIn(file, house.people), [...missing].toSorted())
}

/**
 * Replaces the house and all rules by the file in one transaction: all of it is stored, or none. A file equal to the
 * home changes nothing: no revision, no activity, no event.
 *
 * @param ready called just before the change; throws if the change is no longer allowed
 */
export async function importHome(
  file: HomeFile,
  parts: HomeFileParts,
  cause: Cause,
  ready: () => unknown = () => {},
): Promise<void> {
  if (equalsHome(file, parts)) return
  await nextTurn()
  ready()
  const { house, rules } = parts
  const automations = rules.automations.replacement(file.rules.automations, cause)
  const schedules = rules.schedules.replacement(file.rules.schedules, cause)
  house.replace(contentOf(file, house), cause, [automations, schedules])
}

/** True if the file equals the current home. */
function equalsHome(file: HomeFile, parts: HomeFileParts): boolean {
  const people = peopleIn(file.rules, parts.house.people)
  const sections = houseSections(contentOf(file, parts.house), withoutRepeatedAuthors(file.rules), people)
  return textOf(sections) === textOf(sectionsOf(parts))
}

/** Sections as text without revisions: those only count edits. */
function textOf(sections: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(sections, (key, value: unknown) => (key === 'revision' ? undefined : value))
}

/** The file's house, completed with the origins that the file leaves out. */
function contentOf(file: HomeFile, house: House): HouseContent {
  const groups = file.house.groups.map((group) => {
    const before = file.unattributed.has(`group:${group.id}`) ? house.groups.get(group.id) : undefined
    return before ? { ...group, origin: before.origin } : group
  })
  return { ...file.house, scenes: attributed(file, house), groups }
}

/** Scenes without an origin in the file keep their current one: a file cannot give away a permission. */
export function attributed({ house: { scenes }, unattributed }: HomeFile, house: House): readonly Scene[] {
  return scenes.map((scene) => {
    const before = unattributed.has(`scene:${scene.id}`) ? house.scenes.get(scene.id) : undefined
    return before ? { ...scene, origin: before.origin, author: before.author } : scene
  })
}

const knownAs = (name: DeviceKey, deviceClass: DeviceClass | undefined): KnownDevice | undefined =>
  deviceClass && { class: deviceClass, name }

/** The first rule that names something missing in the file, or uses an operation that its device does not have. */
function referenceProblem({ rules: file, house, missing }: HomeFile, now?: HomeFileParts): string | null {
  const classes = classesOf(house.units)
  const classNow = (key: DeviceKey): DeviceClass | undefined =>
    now === undefined ? classes.get(key) : now.house.devices.get(key)?.class
  const isThere = thereInFile(house, file)
  const membersOf: MemberClasses = (id) =>
    (house.groups.find((group) => group.id === id)?.members ?? []).flatMap((key) => classes.get(key) ?? [])
  for (const section of ['automations', 'schedules'] as const) {
    for (const rule of file[section]) {
      const place = `${section.slice(0, -1)} ${rule.id}`
      const named = referencesOf(rule)
      const device = [...named.devices].find((key) => !classes.has(key))
      if (device !== undefined) return `The ${place} names ${device}, which is not in the file.`
      const absent = missingFrom(rule, isThere).find((reference) => !missing.has(reference))
      if (absent !== undefined) return `The ${place} names ${removedWords(absent)}, which is not in the file.`
      const stays = [...named.devices].every((key) => classNow(key) === classes.get(key))
      const stored = stays ? now?.rules[section].get(rule.id) : undefined
      const problem = problemWith(rule, (key) => knownAs(key, classes.get(key)), stored, membersOf)
      if (problem) return `The ${place}: ${problem.field} ${problem.message}.`
    }
  }
  return null
}

/** Things in a file; its persons have their accounts elsewhere. */
function thereInFile(house: HouseContent, file: RuleFile): IsThere {
  const { scenes, modes = [], calendars = [], groups, rooms, floors } = house
  const idsOf = (things: readonly { readonly id: string }[]): ReadonlySet<string> => new Set(things.map(({ id }) => id))
  const ids = {
    ...{ scenes: idsOf(scenes), modes: idsOf(completeModes(modes)), calendars: idsOf(calendars) },
    ...{ groups: idsOf(groups), rooms: idsOf(rooms), floors: idsOf(floors) },
    rules: new Set(
      (['automation', 'schedule'] as const).flatMap((kind) => file[`${kind}s`].map(({ id }) => `${kind}:${id}`)),
    ),
  }
  return (kind, id) => kind === 'people' || ids[kind].has(id)
}

export const PART_KINDS = [
  'home',
  'floor',
  'room',
  'unit',
  'scene',
  'group',
  'mode',
  'calendar',
  'automation',
  'schedule',
] as const

/** One part of the home that an import adds, changes or removes, by its local id. */
interface Difference {
  readonly change: 'added' | 'changed' | 'removed'
  readonly kind: (typeof PART_KINDS)[number]
  readonly id: string
  readonly name: string
  /** Names of the fields that differ in a changed part; else empty. */
  readonly fields: readonly string[]
}

/** Result of an import before it runs: the differences, and the house after it. */
interface ImportPreview {
  readonly differences: readonly Difference[]
  readonly after: HouseContent
}

interface Part {
  readonly id: string
  readonly name: string
}

/** A home has thousands of parts. */
const COMPARED_IN_A_TURN = 250

/** Fields that change with every edit, and the place of a part in its list. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(['position', 'revision', 'edits', 'changedAt', 'paused'])

/**
 * Computes the result of `importHome` for the home at one moment. Yields between parts, so that a large home blocks no
 * request.
 */
export async function previewImport(file: HomeFile, parts: HomeFileParts): Promise<ImportPreview> {
  const isEqual = equalsHome(file, parts)
  await nextTurn()
  const { house, rules } = parts
  const before = house.content()
  if (isEqual) return { differences: [], after: before }
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
    ['group', before.groups, after.groups],
    ['mode', before.modes ?? [], after.modes ?? []],
    ['calendar', before.calendars ?? [], after.calendars ?? []],
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
  const present: Difference[] = []
  for (const [index, part] of after.entries()) {
    if (index % COMPARED_IN_A_TURN === 0) await nextTurn()
    const { id, name } = part
    const known = old?.get(id)
    const fields = known ? fieldsOf(known, part) : []
    if (!known || fields.length > 0) present.push({ change: known ? 'changed' : 'added', kind, id, name, fields })
  }
  const removed = before.filter(({ id }) => now?.has(id) !== true)
  return [...present, ...removed.map(({ id, name }) => ({ change: 'removed' as const, kind, id, name, fields: [] }))]
}

function fieldsOf(before: object, after: object): readonly string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (field) => !IGNORED_FIELDS.has(field) && differs(old.get(field), now.get(field)),
  )
}

const differs = (one: unknown, other: unknown): boolean =>
  one !== other && canonicalJson(one ?? null) !== canonicalJson(other ?? null)

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * Share of the home that an import would remove, such as `34 of 34 units and 15 of 15 rooms`. Lists the kinds that lose
 * more than half; null if there are none. Removing a single object is an ordinary edit.
 */
export function mostRemoved(file: HomeFile, { house, rules }: HomeFileParts): string | null {
  const kinds = [
    ['units', house.units.keys(), file.house.units],
    ['rooms', house.rooms.keys(), file.house.rooms],
    ['scenes', house.scenes.keys(), file.house.scenes],
    ['groups', house.groups.keys(), file.house.groups],
    ['automations', idsOf(rules.automations.list()), file.rules.automations],
    ['schedules', idsOf(rules.schedules.list()), file.rules.schedules],
  ] as const
  const removed = kinds.flatMap(([kind, ids, list]) => {
    const remaining = new Set(idsOf(list))
    const before = [...ids]
    const count = before.filter((id) => !remaining.has(id)).length
    return count > 1 && count > before.length / 2 ? [`${count} of ${before.length} ${kind}`] : []
  })
  return removed.length === 0 ? null : LIST.format(removed)
}

const idsOf = (things: readonly { readonly id: string }[]): readonly string[] => things.map(({ id }) => id)
