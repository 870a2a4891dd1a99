import type { Control } from '@hm-gateway/client/src/contract.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'
import { fullName, type Thing, exactMatches, matchesOf, theOne } from '../home/name-match.ts'

type Op = Control['op']

/** Properties that `hm set` may name before the value, with their operations. */
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

/** Operations that devices of a group may take, most likely first. */
const GROUP_OPERATIONS = [
  'set_power',
  'set_brightness',
  'open',
  'close',
  'stop',
  'set_position',
  'set_temp',
  'set_mode',
]

/** Parsed command of `hm group`: `light 40`, `cover position 40`. */
export interface GroupSetting {
  readonly group: string
  readonly control: Control
}

/** @throws Failure without a value that a group takes */
export function groupSettingIn(typed: readonly string[]): GroupSetting {
  const reading = readingsOf(plainWords(typed)).at(-1)
  if (reading === undefined)
    throw new Failure(`Add a value for the group; ${acceptedValues(GROUP)}.`, EXIT_CODES.typed, { code: 'no_value' })
  const { name, ...desired } = reading
  return { group: name, control: controlFor({ ...GROUP, name }, desired) }
}

const GROUP = { name: 'the group', room: null, operations: GROUP_OPERATIONS } as const

/** Words that name an operation by themselves. */
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

/** Example of each operation, for error messages. */
const EXAMPLES: Readonly<Record<string, string>> = {
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

/** A device or group, for its control command. */
type Controlled = Pick<Thing, 'name' | 'room' | 'operations'>

/** Property, if named, and value; in lower case. */
interface DesiredValue {
  readonly property: string | null
  readonly value: string
}

/** True for the name of a property: `brightness`. */
const isProperty = (word: string): boolean => Object.hasOwn(PROPERTIES, word.toLowerCase())

/** True if a device certainly takes this value. Any word may be a key, so a key is never certain. */
function takes({ operations }: Pick<Thing, 'operations'>, { property, value }: DesiredValue): boolean {
  return operationsFor(property, value, operations).some(
    (op) => op !== 'key' && operations.includes(op) && isValueOf(op, value),
  )
}

/**
 * The control command of a value for a device of its class. The gateway checks whether the device takes the value.
 * @throws Failure if there is none, with examples of valid values
 */
export function controlFor(thing: Controlled, { property, value }: DesiredValue): Control {
  const operations = operationsFor(property, value, thing.operations)
  const op =
    operations.find((operation) => thing.operations.includes(operation)) ??
    (property === null ? undefined : operations.at(-1))
  const control = op === undefined ? null : controlOf(op, value)
  if (control !== null) return control
  const sentence = `${fullName(thing)} cannot be set to "${value}"; ${acceptedValues(thing)}.`
  throw new Failure(sentence, EXIT_CODES.typed, { code: 'no_value' })
}

/** Part of a sentence: `it takes: on, off; a brightness such as 40`. */
function acceptedValues({ operations }: Pick<Thing, 'operations'>): string {
  const ways = operations.map((operation) => EXAMPLES[operation] ?? operation)
  return ways.length === 0 ? 'nothing can be set there' : `it takes: ${ways.join('; ')}`
}

const operationsFor = (property: string | null, value: string, operations: readonly string[]): readonly Op[] =>
  property === null ? operationsOfValue(value, operations) : (PROPERTIES[property] ?? [])

/** Operations that a value alone can mean, most likely first. */
function operationsOfValue(value: string, operations: readonly string[]): readonly Op[] {
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

/** True for a known value of the operation. */
function isValueOf(op: Op, value: string): boolean {
  if (op === 'set_fan') return FAN.includes(value)
  if (op === 'set_mode') return MODES.includes(value)
  return op === 'set_ac_mode' ? AC_MODES.includes(value) : controlOf(op, value) !== null
}

/** Control command of an operation with this value; null for an invalid value. */
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

/** Control command with a word; the gateway knows the valid words and reports them. */
function wordControl(op: string, value: string): Control {
  const args = op === 'set_fan' ? { fan: value } : op === 'key' ? { key: value } : { mode: value }
  return { op, args } as Control
}

/** Parses `40`, `40%`, `21,5°C`; null for other texts. */
function numberIn(value: string): number | null {
  const [, digits] = /^(\d+(?:[.,]\d+)?) ?(?:%|°|°?c)?$/.exec(value) ?? []
  return digits === undefined ? null : Number(digits.replace(',', '.'))
}

/** Parsed command of `hm set`. */
interface Setting {
  readonly thing: Thing
  readonly desired: DesiredValue
}

/** One reading of the words: name, property and value. */
interface Reading extends DesiredValue {
  readonly name: string
}

/** Units of measure as separate words: `40 %`, `21 degrees`. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:%|percent|per cent)$/i, '%'],
  [/^(?:°|°?c|degrees?|celsius)$/i, '°c'],
]

/**
 * Parses the words of `hm set` with the known things: in `kitchen fan on` the fan may be a device, in `ac fan low` a
 * property. Exact names come first, then devices that certainly take the value.
 * @throws Failure if no device or several match, or if there is no value
 */
export function settingIn(typed: readonly string[], things: readonly Thing[]): Setting {
  const words = plainWords(typed)
  const readings = readingsOf(words)
  const sure = (find: (name: string, isLikely: (thing: Thing) => boolean) => readonly Thing[]): Setting | null => {
    for (const { name, ...desired } of readings)
      if (find(name, (thing) => takes(thing, desired)).some((thing) => takes(thing, desired)))
        return { thing: theOne(name, things, 'device', (thing) => takes(thing, desired)), desired }
    return null
  }
  const exact = sure((name) => exactMatches(name, things))
  if (exact !== null) return exact
  const whole = words.join(' ')
  const alone = exactMatches(whole, things)
  if (alone.length > 0) throw noValue(theOne(whole, things, 'device'))
  const near = sure((name, isLikely) => matchesOf(name, things, isLikely))
  if (near !== null) return near
  return unsure(words, readings, things)
}

const NUMBER = /^\d+(?:[.,]\d+)?$/

/** Remaining cases: a value that only the gateway knows, an invalid value, or none. */
function unsure(words: readonly string[], readings: readonly Reading[], things: readonly Thing[]): Setting {
  const whole = withoutProperty(words).join(' ')
  const [one, ...others] = matchesOf(whole, things)
  if (one !== undefined && others.length === 0) throw noValue(one)
  const reading = readings.find(({ name }) => matchesOf(name, things).length > 0) ?? readings.at(-1)
  if (reading === undefined) throw noValue(theOne(whole, things, 'device'))
  const { name, ...desired } = reading
  const takesWords = ({ operations }: Thing): boolean => operations.includes('key')
  return { thing: theOne(name, things, 'device', desired.property === null ? takesWords : undefined), desired }
}

function noValue(thing: Thing): Failure {
  return new Failure(`Add a value for ${fullName(thing)}; ${acceptedValues(thing)}.`, EXIT_CODES.typed, {
    code: 'no_value',
  })
}

/** Readings with the longest name first: `kitchen fan` is not a fan of the kitchen. */
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

/**
 * Normalises the words: no `to` before the value, signs for units of measure, and `lamp brightness` for `brightness of
 * lamp`.
 */
function plainWords(typed: readonly string[]): readonly string[] {
  const words = typed.flatMap((word) => word.split(/[\s=]+/)).filter((word) => word !== '')
  const unit = UNITS.find(([pattern]) => pattern.test(words.at(-1) ?? ''))
  if (unit && NUMBER.test(words.at(-2) ?? '')) words.splice(-2, 2, `${words.at(-2) ?? ''}${unit[1]}`)
  if (words.length > 2 && words.at(-2)?.toLowerCase() === 'to') words.splice(-2, 1)
  const [what = '', of, ...rest] = words
  if (!isProperty(what) || of?.toLowerCase() !== 'of' || rest.length < 2) return words
  return [...rest.slice(0, -1), what, ...rest.slice(-1)]
}
