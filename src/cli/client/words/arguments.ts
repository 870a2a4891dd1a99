import type { Control } from '@hm-gateway/client/src/contract.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { fullName, type Thing, called, meant, theOne } from '../home/name-match.ts'

type Op = Control['op']

/** What `hm set` may name before the value, and the operation that it is. */
const PROPERTIES: Readonly<Record<string, readonly Op[]>> = {
  power: ['set_power'],
  brightness: ['set_brightness'],
  bri: ['set_brightness'],
  position: ['set_position'],
  pos: ['set_position'],
  temperature: ['set_temp'],
  temp: ['set_temp'],
  mode: ['set_ac_mode', 'set_mode'],
  fan: ['set_fan'],
  key: ['key'],
}

const MODES: readonly string[] = ['auto', 'eco', 'manual']
const AC_MODES: readonly string[] = ['auto', 'cool', 'heat', 'dry', 'fan_only']
const FAN: readonly string[] = ['auto', 'low', 'medium', 'high']

/** Words that are an operation by themselves. */
const VERBS: Readonly<Record<string, Op>> = {
  open: 'open',
  unlock: 'open',
  unlocked: 'open',
  close: 'close',
  closed: 'close',
  lock: 'close',
  locked: 'close',
  stop: 'stop',
}

/** How each operation is asked for, for who typed something else. */
const HOW: Readonly<Record<string, string>> = {
  set_power: 'on, off',
  set_brightness: 'a brightness such as 40',
  set_position: 'a position such as 40',
  set_temp: 'a temperature such as 21.5',
  set_mode: `mode ${MODES.join(', ')}`,
  set_ac_mode: `mode ${AC_MODES.join(', ')}`,
  set_fan: `fan ${FAN.join(', ')}`,
  key: 'a key such as volume_up',
  open: 'open',
  close: 'close',
  stop: 'stop',
}

/** What is to be set, where that was said, and to what; in lower case. */
interface Wanted {
  readonly property: string | null
  readonly value: string
}

/** Whether a word names what is set: `brightness`. */
const isProperty = (word: string): boolean => Object.hasOwn(PROPERTIES, word.toLowerCase())

/** Whether a device takes this for sure. A key may be any word, so that none is sure. */
function takes({ operations }: Pick<Thing, 'operations'>, { property, value }: Wanted): boolean {
  return operationsFor(property, value, operations).some(
    (op) => op !== 'key' && operations.includes(op) && isValueOf(op, value),
  )
}

/**
 * The operation that a value means for a device of its class. Whether the value is one that the device takes is the
 * gateway's to say.
 * @throws Failure for what means none, with what does
 */
export function wantedControl(thing: Thing, { property, value }: Wanted): Control {
  const operations = operationsFor(property, value, thing.operations)
  const op =
    operations.find((operation) => thing.operations.includes(operation)) ??
    (property === null ? undefined : operations.at(-1))
  const control = op === undefined ? null : controlOf(op, value)
  if (control !== null) return control
  const sentence = `"${value}" is nothing to set ${fullName(thing)} to; ${whatItTakes(thing)}.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_value' })
}

/** As a part of a sentence: `what it takes: on, off; a brightness such as 40`. */
function whatItTakes({ operations }: Thing): string {
  const ways = operations.map((operation) => HOW[operation] ?? operation)
  return ways.length === 0 ? 'nothing can be set there' : `what it takes: ${ways.join('; ')}`
}

const operationsFor = (property: string | null, value: string, operations: readonly string[]): readonly Op[] =>
  property === null ? meantBy(value, operations) : (PROPERTIES[property] ?? [])

/** The operations that a value alone can mean, the likeliest first. */
function meantBy(value: string, operations: readonly string[]): readonly Op[] {
  const verb = VERBS[value]
  if (verb !== undefined) return [verb]
  if (value === 'on' || value === 'off') return ['set_power']
  if (numberIn(value) !== null) {
    if (value.endsWith('%')) return ['set_brightness', 'set_position']
    return /[°c]/.test(value) ? ['set_temp'] : ['set_brightness', 'set_position', 'set_temp']
  }
  if (AC_MODES.includes(value) && operations.includes('set_ac_mode')) return ['set_ac_mode']
  if (MODES.includes(value)) return ['set_mode']
  return FAN.includes(value) ? ['set_fan', 'key'] : ['key']
}

/** Whether a value is one that is known for an operation. */
function isValueOf(op: Op, value: string): boolean {
  if (op === 'set_fan') return FAN.includes(value)
  if (op === 'set_mode') return MODES.includes(value)
  return op === 'set_ac_mode' ? AC_MODES.includes(value) : controlOf(op, value) !== null
}

/** The control that an operation with this value is; null where the value is none for it. */
function controlOf(op: Op, value: string): Control | null {
  const number = numberIn(value)
  switch (op) {
    case 'set_power':
      return value === 'on' || value === 'off' ? { op, args: { on: value === 'on' } } : null
    case 'set_brightness':
      return number === null ? null : { op, args: { bri: number } }
    case 'set_position':
      return number === null ? null : { op, args: { pos: number } }
    case 'set_temp':
      return number === null ? null : { op, args: { temp: number } }
    case 'open':
    case 'close':
    case 'stop':
      return { op }
    default:
      return wordControl(op, value)
  }
}

/** What takes a word: the gateway knows which words there are, and says so. */
function wordControl(op: string, value: string): Control {
  const args = op === 'set_fan' ? { fan: value } : op === 'key' ? { key: value } : { mode: value }
  return { op, args } as Control
}

/** `40`, `40%`, `21,5°C` as a number; null for what is none. */
function numberIn(value: string): number | null {
  const [, digits] = /^(\d+(?:[.,]\d+)?) ?(?:%|°|°?c)?$/.exec(value) ?? []
  return digits === undefined ? null : Number(digits.replace(',', '.'))
}

/** What `hm set` is to do. */
interface Setting {
  readonly thing: Thing
  readonly wanted: Wanted
}

/** One way to take the words: what is the name in them, what is set, and the value. */
interface Reading extends Wanted {
  readonly name: string
}

/** A unit of measure that was typed as a word of its own: `40 %`, `21 degrees`. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:%|percent|per cent)$/i, '%'],
  [/^(?:°|°?c|degrees?|celsius)$/i, '°c'],
]

/**
 * Takes the words of `hm set` apart, by what there is: in `kitchen fan on` the fan may be a device, in `ac fan low`
 * what is set of one. What is called just as it was typed comes first, then what surely takes the value.
 * @throws Failure where no device is meant, more than one, or nothing is said to set it to
 */
export function settingIn(typed: readonly string[], things: readonly Thing[]): Setting {
  const words = plainWords(typed)
  const readings = readingsOf(words)
  const sure = (find: (name: string, isLikely: (thing: Thing) => boolean) => readonly Thing[]): Setting | null => {
    for (const { name, ...wanted } of readings)
      if (find(name, (thing) => takes(thing, wanted)).some((thing) => takes(thing, wanted)))
        return { thing: theOne(name, things, 'device', (thing) => takes(thing, wanted)), wanted }
    return null
  }
  const exact = sure((name) => called(name, things))
  if (exact !== null) return exact
  const whole = words.join(' ')
  const alone = called(whole, things)
  if (alone.length > 0) throw noValue(theOne(whole, things, 'device'))
  const near = sure((name, isLikely) => meant(name, things, isLikely))
  if (near !== null) return near
  return unsure(words, readings, things)
}

const NUMBER = /^\d+(?:[.,]\d+)?$/

/** What is left: a value that only the gateway knows, or that is none, or none at all. */
function unsure(words: readonly string[], readings: readonly Reading[], things: readonly Thing[]): Setting {
  const whole = withoutProperty(words).join(' ')
  const [one, ...others] = meant(whole, things)
  if (one !== undefined && others.length === 0) throw noValue(one)
  const reading = readings.find(({ name }) => meant(name, things).length > 0) ?? readings.at(-1)
  if (reading === undefined) throw noValue(theOne(whole, things, 'device'))
  const { name, ...wanted } = reading
  const takesWords = ({ operations }: Thing): boolean => operations.includes('key')
  return { thing: theOne(name, things, 'device', wanted.property === null ? takesWords : undefined), wanted }
}

function noValue(thing: Thing): Failure {
  return new Failure(`Say what to set ${fullName(thing)} to; ${whatItTakes(thing)}.`, EXIT_CODES.typed, {
    code: 'no_value',
  })
}

/** The longest name first: what is called `kitchen fan` is no fan of the kitchen. */
function readingsOf(words: readonly string[]): readonly Reading[] {
  const value = (words.at(-1) ?? '').toLowerCase()
  const property = (words.at(-2) ?? '').toLowerCase()
  const readings: Reading[] = []
  if (words.length > 1) readings.push({ name: words.slice(0, -1).join(' '), property: null, value })
  if (words.length > 2 && isProperty(property)) readings.push({ name: words.slice(0, -2).join(' '), property, value })
  return readings
}

const withoutProperty = (words: readonly string[]): readonly string[] =>
  words.length > 1 && isProperty(words.at(-1) ?? '') ? words.slice(0, -1) : words

/** As people say it: without `to` before the value, units of measure as signs, `brightness of lamp` as `lamp brightness`. */
function plainWords(typed: readonly string[]): readonly string[] {
  const words = typed.flatMap((word) => word.split(/[\s=]+/)).filter((word) => word !== '')
  const unit = UNITS.find(([pattern]) => pattern.test(words.at(-1) ?? ''))
  if (unit && NUMBER.test(words.at(-2) ?? '')) words.splice(-2, 2, `${words.at(-2) ?? ''}${unit[1]}`)
  if (words.length > 2 && words.at(-2)?.toLowerCase() === 'to') words.splice(-2, 1)
  const [what = '', of, ...rest] = words
  if (!isProperty(what) || of?.toLowerCase() !== 'of' || rest.length < 2) return words
  return [...rest.slice(0, -1), what, ...rest.slice(-1)]
}
