import type { RegisterName } from '../home/model/register.ts'
import { INTENTS } from './catalogue/index.ts'
import { applies, type Intent, type IntentContext, type WritableIntent } from './intent.ts'
import type { Json } from './shape.ts'

/** What a unit holds as a plain phrase: `off delay is 90 s`. */
export function settingWords(intent: Intent, value: Json): string {
  const sign =
    intent.access === 'read_write' && typeof value === 'number' && intent.unit !== '' ? ` ${intent.unit}` : ''
  return `${phrase(intent.title)} is ${plain(value)}${sign}`
}

/** A change as a plain phrase for the activity log: `off delay set to 90 s`, `climate set to cool on 26 off 24`. */
export function settingChangeWords(intent: WritableIntent, value: Json): string {
  const sign = typeof value === 'number' && intent.unit !== '' ? ` ${intent.unit}` : ''
  return `${phrase(intent.title)} set to ${plain(value)}${sign}`
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

function plain(value: Json, between = ', '): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string') return value.replaceAll('_', ' ')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value)
  return Object.entries(value)
    .map(([name, part]) => field(name, part))
    .join(between)
}

/** `cool on 26 off 24`, `power factor 0.9`, `allowed`, `schedules stay on: no`. */
function field(name: string, part: Json): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  if (part === true) return words
  return part === false ? `${words}: no` : `${words} ${plain(part, ' ')}`
}
