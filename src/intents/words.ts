import type { RegisterName } from '../home/model/state.ts'
import { INTENTS } from './catalogue/index.ts'
import { applies, type Intent, type IntentContext } from './catalogue/intent.ts'
import type { Json } from './coding/coding.ts'

/** What a unit holds as a plain phrase: `off delay is 90 s`. */
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

/** What changed at the unit itself, by the names of the settings: `off delay and quick off changed at the unit`. */
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

/** Titles stand inside a sentence: only a name in capitals keeps them. */
const phrase = (title: string): string =>
  /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1)

interface Said extends Pick<Intent, 'unit' | 'meanings' | 'unsaid'> {
  /** It stands by itself, for people alone: where a number means something else, that is said and not the number. */
  readonly isAlone?: boolean
}

function plain(value: unknown, said: Said, name = 'value', isPart = false): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return numberWords(value, said, said.meanings[name]?.[value])
  if (typeof value === 'string') return value.replaceAll('_', ' ')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value)
  return Object.entries(value)
    .filter(([name]) => !said.unsaid.includes(name))
    .map(([name, part]) => (name === 'unknown' ? field(name, part, NOTHING_MORE) : field(name, part, said)))
    .join(betweenParts(said, isPart))
}

/** Between the two temperatures of a rule, and between rules. */
function betweenParts({ isAlone = false, unit }: Said, isPart: boolean): string {
  if (isPart) return isAlone ? ', ' : ' '
  return isAlone && unit === '°C' ? '; ' : ', '
}

/** `90 s`, `0 min (never)`; alone `never`. */
function numberWords(value: number, { unit, isAlone = false }: Said, meaning: string | undefined): string {
  if (isAlone && meaning !== undefined) return meaning.replace(/^acts as /, '')
  return `${value}${unit === '' ? '' : ` ${unit}`}${meaning === undefined ? '' : ` (${meaning})`}`
}

/** Raw numbers without a known meaning have no unit of measure. */
const NOTHING_MORE: Said = { unit: '', meanings: {}, unsaid: [] }

/** Units of measure that end the name of a field, their signs, and what is left of the ending in words. */
const UNITS: readonly (readonly [ending: string, sign: string, left?: string])[] = [
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
function field(name: string, part: unknown, said: Said): string {
  const [ending, sign, left = ''] = UNITS.find(([each]) => name.endsWith(each)) ?? ['', said.unit]
  const stem = name.slice(0, name.length - ending.length)
  const words = `${stem.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}${left}`
  if (part === true) return words
  if (part === false) return `${words}: no`
  const value = plain(part, { ...said, unit: sign }, name, true)
  if (said.isAlone !== true || typeof part !== 'number') return `${words} ${value}`
  // The meaning of a number takes the place of what the field says of it: `never` and not `after never`.
  if (said.meanings[name]?.[part] !== undefined) return words === 'after' ? value : `${words} ${value}`
  return name === 'on' || name === 'off' ? `${words} at ${value}` : `${words} ${value}`
}
