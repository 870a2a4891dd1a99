import { fail, ok } from '../../lib/result.ts'
import type { RegisterName } from '../../home/model/register.ts'
import { single, type WritableCoding } from './coding.ts'
import { flag, time, whole, words } from './fields.ts'

const SIXTY = 60

/** Names what arrived in a sentence about a wrong type. */
export function nameType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { undefined: 'nothing', boolean: 'a boolean', number: 'a number', string: 'a text', object: 'an object' }[typeof value as string] ?? 'something else'
}

/** What is wrong with a value that must be a whole number within limits, or null; `what` names it with its unit. */
function wholeNumberFault(value: unknown, lowest: number, highest: number, what: string): string | null {
  const wish = `The value must be a whole number of ${what} from ${lowest} to ${highest}`
  if (typeof value !== 'number') return `${wish}, not ${nameType(value)}.`
  if (!Number.isInteger(value)) return `${wish}, without a fraction.`
  return value < lowest || value > highest ? `${wish}; ${value} is too ${value < lowest ? 'low' : 'high'}.` : null
}

/** A whole number that one register holds as it is. */
export function writableWhole(name: RegisterName, lowest: number, highest: number, what: string, description: string): WritableCoding {
  return {
    ...single(whole(name, lowest, highest, description)),
    encode: (value) => {
      const fault = wholeNumberFault(value, lowest, highest, what)
      return fault === null ? ok({ [name]: value as number }) : fail(fault)
    },
  }
}

/** A time that two registers hold: in minutes as h:min, or in seconds as min:sec. */
export function writableTime(big: RegisterName, small: RegisterName, bigMax: number, lowest: number, what: string, description: string): WritableCoding {
  const highest = bigMax * SIXTY + SIXTY - 1
  return {
    ...single(time(big, small, bigMax, lowest, description)),
    encode: (value) => {
      const fault = wholeNumberFault(value, lowest, highest, what)
      if (fault !== null) return fail(fault)
      const total = value as number
      return ok({ [big]: Math.floor(total / SIXTY), [small]: total % SIXTY })
    },
  }
}

export function writableFlag(name: RegisterName, description: string): WritableCoding {
  return {
    ...single(flag(name, description)),
    encode: (value) => (typeof value === 'boolean' ? ok({ [name]: value ? 1 : 0 }) : fail(`The value must be true or false, not ${nameType(value)}.`)),
  }
}

export function writableWords(name: RegisterName, coding: Readonly<Record<number, string>>, description: string): WritableCoding {
  const list = Object.values(coding)
  return {
    ...single(words(name, coding, description)),
    encode: (value) => {
      const raw = Object.keys(coding).find((key) => coding[Number(key)] === value)
      return raw === undefined ? fail(`The value must be one of ${list.join(', ')}.`) : ok({ [name]: Number(raw) })
    },
  }
}
