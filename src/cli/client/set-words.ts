import { EXIT_CODES } from './exit-codes.ts'
import { Failure } from './failure.ts'
import type { Thing } from './home-things.ts'
import { called, fullName, meant, theOne } from './name-match.ts'
import { isProperty, takes, type Wanted, whatItTakes } from './wanted.ts'

/** What `hm set` is to do. */
export interface Setting {
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
  const words = typed.flatMap((each) => each.split(/[\s=]+/)).filter((each) => each !== '')
  const unit = UNITS.find(([pattern]) => pattern.test(words.at(-1) ?? ''))
  if (unit && NUMBER.test(words.at(-2) ?? '')) words.splice(-2, 2, `${words.at(-2) ?? ''}${unit[1]}`)
  if (words.length > 2 && words.at(-2)?.toLowerCase() === 'to') words.splice(-2, 1)
  const [what = '', of, ...rest] = words
  if (!isProperty(what) || of?.toLowerCase() !== 'of' || rest.length < 2) return words
  return [...rest.slice(0, -1), what, ...rest.slice(-1)]
}
