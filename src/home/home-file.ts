import { checked, sentenceOf } from '../lib/checked.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { writeYamlInTurns } from '../lib/yaml.ts'
import type { House } from './house/house.ts'
import { houseSections, readHouseFile } from './house/house-file.ts'
import type { Cause } from './model/cause.ts'
import { type DeviceClass, type DeviceKey, deviceKey } from './model/device.ts'
import type { Scene } from './model/house.ts'
import type { HouseContent } from './ports/house-store.ts'
import { problemWith } from './rules/problems.ts'
import { referencesOf } from './rules/references.ts'
import type { KnownDevice } from './rules/sensing.ts'
import { operationProblem } from './rules/step-operations.ts'
import { namedOnce, type RuleFile, ruleFileSchema, toRuleFile } from './rules/rule-file.ts'
import type { Rules } from './rules/rules.ts'

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
  const classes = classesOf(house)
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
export function saysWhatIs(file: HomeFile, parts: HomeFileParts): boolean {
  const said = houseSections(contentOf(file, parts.house), namedOnce(file.rules))
  return textOf(said) === textOf(sectionsOf(parts))
}

/** Sections as text, without revisions: they count edits, and a file with other ones says nothing else. */
function textOf(sections: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(sections, (key, value: unknown) => (key === 'revision' ? undefined : value))
}

/** The house of a file, with what the file leaves as it is. */
export function contentOf(file: HomeFile, house: House): HouseContent {
  return { ...file.house, scenes: attributed(file, house) }
}

/** Scenes of which the file does not say who made them stay whose they are: a file gives nobody's leave away. */
export function attributed({ house: { scenes }, unattributed }: HomeFile, house: House): readonly Scene[] {
  return scenes.map((scene) => {
    const before = unattributed.has(scene.id) ? house.scenes.get(scene.id) : undefined
    return before ? { ...scene, origin: before.origin, author: before.author } : scene
  })
}

/** The class of every unit and gang, by device key. */
export function classesOf({ units }: Pick<HouseContent, 'units'>): ReadonlyMap<DeviceKey, DeviceClass> {
  return new Map(
    units.flatMap((unit) => [
      [unit.id, unit.class] as const,
      ...unit.gangs.map((gang) => [deviceKey({ unit: unit.id, gang: gang.gang }), gang.class] as const),
    ]),
  )
}

const knownAs = (name: DeviceKey, its: DeviceClass | undefined): KnownDevice | undefined => its && { class: its, name }

/** The first rule that names what the file does not hold, or asks of it what it cannot do. */
function wrongReference(file: RuleFile, house: HouseContent, now?: HomeFileParts): string | null {
  const classes = classesOf(house)
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
