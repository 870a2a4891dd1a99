import { checked, sentenceOf } from '../lib/checked.ts'
import { type Result, fail, ok } from '../lib/result.ts'
import type { House } from './house/house.ts'
import { readHouseFile, writeHouseFile } from './house/house-file.ts'
import type { Cause } from './model/cause.ts'
import { type DeviceClass, type DeviceKey, deviceKey } from './model/device.ts'
import type { Scene } from './model/house.ts'
import type { HouseContent } from './ports/house-store.ts'
import { problemWith } from './rules/problems.ts'
import { referencesOf } from './rules/references.ts'
import type { KnownDevice } from './rules/sensing.ts'
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
 * Reads YAML or JSON. The error is one sentence that names the place. `defaultZone` is used where the file names no
 * time zone. Triggers and conditions that the home (`now`) has already, on devices that stay what they are, are not
 * judged anew.
 */
export function readHomeFile(text: string, defaultZone: string, now?: HomeFileParts): Result<HomeFile, string> {
  const read = readHouseFile(text, defaultZone)
  if (!read.ok) return read
  const { automations, schedules, unattributed, ...house } = read.value
  const rules = checked(ruleFileSchema, { automations, schedules })
  if (!rules.ok) return fail(sentenceOf(rules.error, 'The file'))
  const wrong = wrongReference(rules.value, house, now)
  return wrong === null ? ok({ house, rules: rules.value, unattributed }) : fail(wrong)
}

/** Writes the home as YAML that `readHomeFile` reads back to the same. */
export function writeHomeFile({ house, rules }: HomeFileParts): string {
  return writeHouseFile(house.content(), toRuleFile(rules.automations.list(), rules.schedules.list()))
}

/**
 * Puts the file in place of the house and all rules, in one transaction: where any part of it cannot be stored, nothing
 * is. A file that says what the home is already changes nothing: no revision, no activity, no event.
 */
export function importHome(file: HomeFile, parts: HomeFileParts, cause: Cause): void {
  if (saysWhatIs(file, parts)) return
  const { house, rules } = parts
  const automations = rules.automations.replacement(file.rules.automations, cause)
  const schedules = rules.schedules.replacement(file.rules.schedules, cause)
  house.replace(contentOf(file, house), cause, [automations, schedules])
}

/** Whether a file says what the home is already. */
export function saysWhatIs(file: HomeFile, parts: HomeFileParts): boolean {
  return writeHouseFile(contentOf(file, parts.house), namedOnce(file.rules)) === writeHomeFile(parts)
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
  const classesNow = now ? classesOf(now.house.content()) : classes
  const scenes = new Set(house.scenes.map((scene) => scene.id))
  for (const section of ['automations', 'schedules'] as const) {
    for (const rule of file[section]) {
      const place = `${section.slice(0, -1)} ${rule.id}`
      const named = referencesOf(rule)
      const device = [...named.devices].find((key) => !classes.has(key))
      if (device !== undefined) return `The ${place} names ${device}, which is not in the file.`
      const scene = [...named.scenes].find((id) => !scenes.has(id))
      if (scene !== undefined) return `The ${place} names the scene ${scene}, which is not in the file.`
      const stays = [...named.devices].every((key) => classesNow.get(key) === classes.get(key))
      const stored = stays ? now?.rules[section].get(rule.id) : undefined
      const problem = problemWith(rule, (key) => knownAs(key, classes.get(key)), stored)
      if (problem) return `The ${place}: ${problem.field} ${problem.message}.`
    }
  }
  return null
}
