import { fail, ok, type Result } from '../../lib/result.ts'
import type { RegisterName } from '../../home/model/register.ts'
import { single, type WritableCoding } from './coding.ts'
import { flag, time, whole, words } from './fields.ts'

const SIXTY = 60

/** Names what arrived in a sentence about a wrong type. */
export function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return (
    { undefined: 'nothing', boolean: 'true or false', number: 'a number', string: 'a text', object: 'an object' }[
      typeof value as string
    ] ?? 'something else'
  )
}

/** A whole number within limits, or what is wrong with it; `what` names it with its unit. */
function wholeNumber(value: unknown, lowest: number, highest: number, what: string): Result<number, string> {
  const wish = `value: must be a whole number of ${what} from ${lowest} to ${highest}`
  if (typeof value !== 'number') return fail(`${wish}, not ${nameType(value)}.`)
  if (!Number.isInteger(value)) return fail(`${wish}, without a fraction.`)
  if (value < lowest || value > highest) return fail(`${wish}; ${value} is too ${value < lowest ? 'low' : 'high'}.`)
  // JSON has a -0, registers have not.
  return ok(value === 0 ? 0 : value)
}

/** A whole number that one register holds as it is. */
export function writableWhole(
  name: RegisterName,
  lowest: number,
  highest: number,
  what: string,
  description: string,
): WritableCoding {
  return {
    ...single(whole(name, lowest, highest, description)),
    encode: (value) => {
      const number = wholeNumber(value, lowest, highest, what)
      return number.ok ? ok({ [name]: number.value }) : number
    },
  }
}

/** A time that two registers hold: in minutes as h:min, or in seconds as min:sec. */
export function writableTime(
  big: RegisterName,
  small: RegisterName,
  bigMax: number,
  lowest: number,
  what: string,
  description: string,
): WritableCoding {
  const highest = bigMax * SIXTY + SIXTY - 1
  return {
    ...single(time(big, small, bigMax, lowest, description)),
    encode: (value) => {
      const total = wholeNumber(value, lowest, highest, what)
      return total.ok ? ok({ [big]: Math.floor(total.value / SIXTY), [small]: total.value % SIXTY }) : total
    },
  }
}

export function writableFlag(name: RegisterName, description: string): WritableCoding {
  return {
    ...single(flag(name, description)),
    encode: (value) =>
      typeof value === 'boolean'
        ? ok({ [name]: value ? 1 : 0 })
        : fail(`value: must be true or false, not ${nameType(value)}.`),
  }
}

export function writableWords(
  name: RegisterName,
  coding: Readonly<Record<number, string>>,
  description: string,
): WritableCoding {
  const list = Object.values(coding)
  return {
    ...single(words(name, coding, description)),
    encode: (value) => {
      const raw = Object.keys(coding).find((key) => coding[Number(key)] === value)
      return raw === undefined ? fail(`value: must be one of ${list.join(', ')}.`) : ok({ [name]: Number(raw) })
    },
  }
}
