import { isObject } from '../../lib/json.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { type RegisterName, type RegisterValues, TEMP_MAX, TEMP_MIN } from '../../home/model/device.ts'
import { type Json, type Shape, pick, rawOf, single, type WritableCoding, nameType } from './coding.ts'

/** `on` and `off` in degrees Celsius, in steps of half a degree. */
interface Rule {
  readonly on: number
  readonly off: number
}
type Part = 'cool' | 'heat'

/** Registers hold half degrees. */
const STEPS_IN_DEGREE = 2
const LOADS = { none: 0, cool: 1, heat: 2, both: 3 } as const
const REGISTERS = ['climate_load', 'cool_on', 'cool_off', 'heat_on', 'heat_off'] as const
const OF: Readonly<Record<Part, { readonly on: RegisterName; readonly off: RegisterName }>> = {
  cool: { on: 'cool_on', off: 'cool_off' },
  heat: { on: 'heat_on', off: 'heat_off' },
}

const degrees = (description: string): Shape => ({
  type: 'number',
  minimum: TEMP_MIN,
  maximum: TEMP_MAX,
  multipleOf: 1 / STEPS_IN_DEGREE,
  description,
})

const rule = (description: string, on: string, off: string): Shape => ({
  type: 'object',
  description,
  properties: { on: degrees(on), off: degrees(off) },
  required: ['on', 'off'],
  additionalProperties: false,
})

const parts: Readonly<Record<Part, Shape>> = {
  cool: rule(
    'Cooling; on must be above off',
    'Degrees Celsius above which the load turns on',
    'Degrees Celsius below which the load turns off',
  ),
  heat: rule(
    'Heating; on must be below off',
    'Degrees Celsius below which the load turns on',
    'Degrees Celsius above which the load turns off',
  ),
}

const SHAPE: Shape = {
  description:
    'One of cool, heat, cool and heat together (heat.off not above cool.off), or none; degrees Celsius from 5 to 35 in steps of half a degree',
  anyOf: [
    { type: 'object', properties: { cool: parts.cool }, required: ['cool'], additionalProperties: false },
    { type: 'object', properties: { heat: parts.heat }, required: ['heat'], additionalProperties: false },
    {
      type: 'object',
      properties: { cool: parts.cool, heat: parts.heat },
      required: ['cool', 'heat'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { none: { const: true, description: 'Temperature does nothing' } },
      required: ['none'],
      additionalProperties: false,
    },
  ],
}

/** Characters of an unknown key that an error message repeats. */
const KEY_LENGTH_MAX = 64

/** A sentence about the first unknown key, or null. */
function unknownKey(value: object, allowed: readonly string[], where: string): string | null {
  const unknown = Object.keys(value).find((key) => !allowed.includes(key))
  return unknown === undefined
    ? null
    : `${where}: has no field \`${unknown.slice(0, KEY_LENGTH_MAX)}\`; it has ${allowed.join(', ')}.`
}

function checkTemperature(value: unknown, name: string): Result<number, string> {
  const requirement = `${name}: must be degrees from ${TEMP_MIN} to ${TEMP_MAX} in steps of half a degree`
  if (typeof value !== 'number') return fail(`${requirement}, not ${nameType(value)}.`)
  if (value < TEMP_MIN || value > TEMP_MAX)
    return fail(`${requirement}; ${value} is too ${value < TEMP_MIN ? 'low' : 'high'}.`)
  return Number.isInteger(value * STEPS_IN_DEGREE) ? ok(value) : fail(`${requirement}; ${value} is between two steps.`)
}

function checkRule(part: Part, value: unknown): Result<Rule, string> {
  if (!isObject(value)) return fail(`value.${part}: must be an object with on and off, not ${nameType(value)}.`)
  const unknown = unknownKey(value, ['on', 'off'], `value.${part}`)
  if (unknown !== null) return fail(unknown)
  const on = checkTemperature(value['on'], `value.${part}.on`)
  if (!on.ok) return on
  const off = checkTemperature(value['off'], `value.${part}.off`)
  if (!off.ok) return off
  const rule = { on: on.value, off: off.value }
  if (part === 'cool' && rule.on <= rule.off)
    return fail('value.cool.on: must be above cool.off: cooling starts when it is warmer than it stops.')
  if (part === 'heat' && rule.on >= rule.off)
    return fail('value.heat.on: must be below heat.off: heating starts when it is colder than it stops.')
  return ok(rule)
}

const toRegisters = (part: Part, { on, off }: Rule): RegisterValues => ({
  [OF[part].on]: on * STEPS_IN_DEGREE,
  [OF[part].off]: off * STEPS_IN_DEGREE,
})

function encode(value: unknown): Result<RegisterValues, string> {
  if (!isObject(value)) return fail(`value: must be an object with cool, heat or none, not ${nameType(value)}.`)
  const unknown = unknownKey(value, ['cool', 'heat', 'none'], 'value')
  if (unknown !== null) return fail(unknown)
  if (Object.keys(value).length === 0) return fail('value: must have one of cool, heat or none.')
  if ('none' in value) {
    if (value['none'] !== true)
      return fail('value.none: can only be true; leave it out if the switch feeds a climate load.')
    return Object.keys(value).length === 1
      ? ok({ climate_load: LOADS.none })
      : fail('value.none: cannot be sent together with cool or heat.')
  }
  return encodeRules(value)
}

function encodeRules(value: Readonly<Record<string, unknown>>): Result<RegisterValues, string> {
  const cool = 'cool' in value ? checkRule('cool', value['cool']) : null
  if (cool?.ok === false) return cool
  const heat = 'heat' in value ? checkRule('heat', value['heat']) : null
  if (heat?.ok === false) return heat
  if (cool !== null && heat !== null && heat.value.off > cool.value.off) {
    return fail('value.heat.off: must not be above cool.off: heating and cooling would alternate forever.')
  }
  const load = heat === null ? LOADS.cool : cool === null ? LOADS.heat : LOADS.both
  return ok({
    climate_load: load,
    ...(cool && toRegisters('cool', cool.value)),
    ...(heat && toRegisters('heat', heat.value)),
  })
}

/** The rule in the registers, or null if their values cannot be a rule. */
function decodeRule(part: Part, values: RegisterValues): Result<Rule, RegisterValues> {
  const [on, off] = [rawOf(values, OF[part].on) / STEPS_IN_DEGREE, rawOf(values, OF[part].off) / STEPS_IN_DEGREE]
  return checkRule(part, { on, off }).ok ? ok({ on, off }) : fail(pick(values, [OF[part].on, OF[part].off]))
}

function partsOf(load: number): readonly Part[] {
  if (load === LOADS.none) return []
  return load === LOADS.cool ? ['cool'] : load === LOADS.heat ? ['heat'] : ['cool', 'heat']
}

/** The numbers and ages of an unused rule do not matter. */
function uses(values: RegisterValues): readonly RegisterName[] {
  return ['climate_load', ...partsOf(rawOf(values, 'climate_load')).flatMap((part) => Object.values(OF[part]))]
}

function decode(values: RegisterValues): Result<Json, RegisterValues> {
  const load = rawOf(values, 'climate_load')
  if (load > LOADS.both) return fail(pick(values, ['climate_load']))
  const active = partsOf(load)
  const value: Record<string, Json> = {}
  for (const part of active) {
    const found = decodeRule(part, values)
    if (!found.ok) return found
    value[part] = { on: found.value.on, off: found.value.off }
  }
  if (active.length === 0) return ok({ none: true })
  return encodeRules(value).ok ? ok(value) : fail(pick(values, ['climate_load', 'cool_off', 'heat_off']))
}

/**
 * The climate load of a switch and its temperature rules: `{cool?: {on, off}, heat?: {on, off}, none?: true}`
 * (docs/intents.md#why).
 */
export function climateCoding(): WritableCoding {
  return { ...single({ registers: REGISTERS, shape: SHAPE, read: decode }), uses, encode }
}
