import type { RegisterName, RegisterValues } from '../home/model/device.ts'
import type { Result } from '../lib/result.ts'
import { INTENTS } from './catalogue/index.ts'
import {
  applies,
  contextsOf,
  type IntentBase,
  type Intent,
  type IntentContext,
  type WritableIntent,
  POWER_AND_SENSE,
  SHUTTER,
} from './catalogue/intent.ts'
import { anyOf, type Json, type Shape } from './coding/coding.ts'

export { INTENTS }
export { contextOf, type Intent, type IntentContext, type WritableIntent } from './catalogue/intent.ts'
export type { Json, Shape } from './coding/coding.ts'

/** One intent in `GET /v1/intents` (Spec 2.7); `models` and `perGang` are additions. */
interface IntentDef extends Omit<IntentBase, 'gangs' | 'explainRank' | 'unit' | 'meanings' | 'omittedFields'> {
  readonly value: Shape
  readonly access: Intent['access']
  readonly appAction: string | null
  readonly guidance: string | null
  /** True if the gangs of modules have it under their own ids. */
  readonly perGang: boolean
}

/** A device's cached registers, each with the time (epoch ms) of the unit's last confirmation. */
export type CachedRegisters = ReadonlyMap<RegisterName, { readonly value: number; readonly asOf: number }>

/** One entry of a device's list (Spec 2.7). `guidance` and `appAction` only if it is read-only. */
export type IntentItem = {
  readonly intent: string
  readonly title: string
  readonly access: Intent['access']
  /** Null until the unit has confirmed all its registers; raw numbers outside the coding are under `unknown`. */
  readonly value: Json
  readonly source: 'cache'
  readonly asOf: number | null
  readonly guidance?: string
  readonly appAction?: string
}

interface Reading {
  readonly item: IntentItem
  /** Registers whose numbers the coding does not cover, for the log. */
  readonly unknown: RegisterValues | null
}

const BY_ID: ReadonlyMap<string, Intent> = new Map(INTENTS.map((intent) => [intent.id, intent]))

export const intentById = (id: string): Intent | null => BY_ID.get(id) ?? null

/** The intents of a device, in the order of the catalogue. */
export const intentsFor = (context: IntentContext): readonly Intent[] =>
  INTENTS.filter((intent) => applies(intent, context))

const EXPLAINING: readonly Intent[] = INTENTS.filter((intent) => intent.explainRank !== null).toSorted(
  (a, b) => (a.explainRank ?? 0) - (b.explainRank ?? 0),
)

/** The intents of a device that explain why it acts by itself or how it reacts to a touch, most important first. */
export const explainingIntents = (context: IntentContext): readonly Intent[] =>
  EXPLAINING.filter((intent) => applies(intent, context))

/** The whole list of a device from the cache, with raw numbers outside the codings. */
export function readIntents(context: IntentContext, cached: CachedRegisters): readonly Reading[] {
  return intentsFor(context).map((intent) => readIntent(intent, context, cached))
}

/** One intent of a device, or null if the device does not have it. */
export function intentOf(id: string, context: IntentContext): Intent | null {
  const intent = intentById(id)
  return intent !== null && applies(intent, context) ? intent : null
}

/** The shape of an intent's value: on one device, or, without a context, on any device that has it. */
export function shapeOf(intent: Intent, context?: IntentContext): Shape {
  return context ? intent.coding(context).shape : anyOf(contextsOf(intent).map((other) => intent.coding(other).shape))
}

const definitionOf = (intent: Intent): IntentDef => ({
  id: intent.id,
  title: intent.title,
  meaning: intent.meaning,
  when: intent.when,
  notWhen: intent.notWhen,
  prerequisites: intent.prerequisites,
  sideEffects: intent.sideEffects,
  errors: intent.errors,
  examples: intent.examples,
  value: shapeOf(intent),
  access: intent.access,
  appAction: intent.access === 'read_only' ? intent.appAction : null,
  guidance: intent.access === 'read_only' ? intent.guidance : null,
  models: intent.models,
  perGang: intent.gangs.length > 0,
})

/** The body of `GET /v1/intents` without the house: it never changes while the program runs. */
export const INTENT_DEFINITIONS: readonly IntentDef[] = INTENTS.map(definitionOf)

/** The value of one intent from the cache. `asOf` belongs to its oldest register. */
export function readIntent(intent: Intent, context: IntentContext, cached: CachedRegisters): Reading {
  const coding = intent.coding(context)
  const values = Object.fromEntries(
    coding.registers.flatMap((name) => {
      const register = cached.get(name)
      return register === undefined ? [] : [[name, register.value]]
    }),
  )
  const complete = coding.registers.every((name) => cached.has(name))
  const { value, unknown } = complete ? coding.decode(values) : { value: null, unknown: null }
  const app = intent.access === 'read_only' ? { guidance: intent.guidance, appAction: intent.appAction } : {}
  const item = {
    intent: intent.id,
    title: intent.title,
    access: intent.access,
    value,
    source: 'cache' as const,
    asOf: complete ? oldest(coding.uses?.(values) ?? coding.registers, cached) : null,
    ...app,
  }
  return { item, unknown }
}

function oldest(names: readonly RegisterName[], cached: CachedRegisters): number | null {
  const ages = names.flatMap((name) => cached.get(name)?.asOf ?? [])
  return ages.length === 0 ? null : Math.min(...ages)
}

/** The registers to write for a requested value, or one sentence about the wrong value (`422 validation`). */
export function encodeIntent(
  intent: WritableIntent,
  context: IntentContext,
  value: unknown,
): Result<RegisterValues, string> {
  return intent.coding(context).encode(value)
}

/** The `note` of a device's list: the reliability of its values, and the place of the others. */
export function listNote(context: IntentContext): string {
  const note =
    'Values are the last ones that the unit confirmed, at asOf. Null: not read yet. Numbers under unknown have no known meaning.'
  return context.scope === 'module' ? `${note} Settings of single gangs are on the gangs' own ids.` : note
}

/** A stored value as a plain phrase: `off delay is 90 s`. */
export function settingWords(intent: Intent, value: Json): string {
  return `${phrase(intent.title)} is ${plain(value, intent)}`
}

/** A value alone: `90 s`, `never`, `heat on at 19 °C, off at 21 °C`. */
export function valueWords(intent: Intent, value: unknown): string {
  return plain(value, { ...intent, isAlone: true })
}

/**
 * A change as a plain phrase for the activity log: `off delay set to 90 s`, `climate set to cool on 26 °C off 24 °C`.
 */
export function settingChangeWords(intent: Intent, value: Json): string {
  return `${phrase(intent.title)} set to ${plain(value, intent)}`
}

/** A change at the unit itself, by the names of the settings: `off delay and quick off changed at the unit`. */
export function registerChangeWords(context: IntentContext | null, names: readonly RegisterName[]): string {
  const titles =
    context === null
      ? []
      : INTENTS.filter(
          (intent) => applies(intent, context) && intent.coding(context).registers.some((name) => names.includes(name)),
        ).map((intent) => phrase(intent.title))
  const last = titles.pop()
  if (last === undefined) return 'settings changed at the unit'
  return `${titles.length === 0 ? last : `${titles.join(', ')} and ${last}`} changed at the unit`
}

/** Titles stand inside a sentence: only an acronym keeps its capitals. */
const phrase = (title: string): string =>
  /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)

interface ValueStyle extends Pick<Intent, 'unit' | 'meanings' | 'omittedFields'> {
  /** True for a value outside a sentence: a number with a special meaning is replaced by it. */
  readonly isAlone?: boolean
}

function plain(value: unknown, style: ValueStyle, name = 'value', isPart = false): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return numberWords(value, style, style.meanings[name]?.[value])
  if (typeof value === 'string') return value.replaceAll('_', ' ')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value)
  return Object.entries(value)
    .filter(([name]) => !style.omittedFields.includes(name))
    .map(([name, part]) => (name === 'unknown' ? field(name, part, RAW_STYLE) : field(name, part, style)))
    .join(betweenParts(style, isPart))
}

/** Separator of the two temperatures of a rule, and of rules. */
function betweenParts({ isAlone = false, unit }: ValueStyle, isPart: boolean): string {
  if (isPart) return isAlone ? ', ' : ' '
  return isAlone && unit === '°C' ? '; ' : ', '
}

/** `90 s`, `0 min (never)`; alone `never`. */
function numberWords(value: number, { unit, isAlone = false }: ValueStyle, meaning: string | undefined): string {
  if (isAlone && meaning !== undefined) return meaning.replace(/^acts as /, '')
  return `${value}${unit === '' ? '' : ` ${unit}`}${meaning === undefined ? '' : ` (${meaning})`}`
}

/** Raw numbers without a known meaning have no unit of measure. */
const RAW_STYLE: ValueStyle = { unit: '', meanings: {}, omittedFields: [] }

/** Units of measure at the end of field names, their signs, and the words that remain of the ending. */
const UNITS: readonly (readonly [ending: string, sign: string, rest?: string])[] = [
  ['Minutes', 'min'],
  ['Seconds', 's'],
  ['Ms', 'ms'],
  ['Us', 'µs'],
  ['Ma', 'mA'],
  ['Watts', 'W'],
  ['Percent', '%'],
  ['Hz', 'Hz'],
  ['Temp', '°C', ' temperature'],
]

/**
 * `cool on 26 °C off 24 °C`, `power factor 0.9`, `after 360 min`, `after 0 min (never)`, `allowed`, `schedules stay on:
 * no`.
 */
function field(name: string, part: unknown, style: ValueStyle): string {
  const [ending, sign, rest = ''] = UNITS.find(([suffix]) => name.endsWith(suffix)) ?? ['', style.unit]
  const stem = name.slice(0, name.length - ending.length)
  const words = `${stem.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}${rest}`
  if (part === true) return words
  if (part === false) return `${words}: no`
  const value = plain(part, { ...style, unit: sign }, name, true)
  if (style.isAlone !== true || typeof part !== 'number') return `${words} ${value}`
  // The meaning of a number replaces the field's words: `never`, not `after never`.
  if (style.meanings[name]?.[part] !== undefined) return words === 'after' ? value : `${words} ${value}`
  return name === 'on' || name === 'off' ? `${words} at ${value}` : `${words} ${value}`
}

/** A setting that a person chose for one unit and that another one can take. */
export interface SharedSetting {
  readonly intent: string
  /** The equivalent registers of the other unit. */
  readonly values: RegisterValues
  /** `off delay set to 90 s`. */
  readonly what: string
}

/**
 * Settings chosen by people that two devices have in common. Hardware facts and groups are read-only and stay with the
 * old device. Devices with another kind of load share none: a delay for a lamp is not meant for a heater.
 */
export function commonSettings(from: IntentContext, to: IntentContext): readonly WritableIntent[] {
  if (loadOf(from) !== loadOf(to)) return []
  return intentsFor(from).flatMap((intent) =>
    intent.access === 'read_write' && intentOf(intent.id, to) !== null ? [intent] : [],
  )
}

/** The common settings with a known value that is possible on the other device. */
export function sharedSettings(
  from: IntentContext,
  to: IntentContext,
  cached: CachedRegisters,
): readonly SharedSetting[] {
  return commonSettings(from, to).flatMap((intent) => {
    const { item, unknown } = readIntent(intent, from, cached)
    if (item.value === null || unknown !== null) return []
    const values = encodeIntent(intent, to, item.value)
    return values.ok ? [{ intent: intent.id, values: values.value, what: settingChangeWords(intent, item.value) }] : []
  })
}

function loadOf({ model, gangClass }: IntentContext): 'light' | 'power' | 'shutter' {
  if (gangClass === 'shutter_gang' || SHUTTER.includes(model)) return 'shutter'
  return POWER_AND_SENSE.includes(model) ? 'power' : 'light'
}
