// @module-tag repeated
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { registerMap } from '../../src/hmhc/registers/index.ts'
import { registerJson, registerTables } from '../../src/hmhc/registers/document.ts'
import { MODEL_REGISTERS, type RegisterDef } from '../../src/hmhc/registers/models.ts'
import { SWITCH_MODELS } from '../../src/home/model/device.ts'
import { INTENTS, readIntents, type CachedRegisters, type IntentContext } from '../../src/intents/index.ts'
import { intentTable } from '../../src/intents/document.ts'
import { contextsOf } from '../../src/intents/catalogue/intent.ts'

/** Numbers are one byte and values two bytes on the wire. */
const REGISTER_NUMBER_MAX = 255
const REGISTER_VALUE_MAX = 65_535

const ajv = new Ajv2020({ strict: true })
const CONTEXTS: readonly IntentContext[] = [...new Set(INTENTS.flatMap(contextsOf))]

/** The registers that a device of this context has. */
function registersOf({ model, gangClass }: IntentContext): readonly RegisterDef[] {
  const { unit, gang } = MODEL_REGISTERS[model]
  return gangClass === null ? unit : gang![gangClass]
}

const accepts = ({ ranges, fixed }: RegisterDef, value: number): boolean =>
  !fixed && ranges.some(([low, high]) => value >= low && value <= high)
const show = ({ model, gangClass }: IntentContext): string => `${model} ${gangClass ?? ''}`.trim()
const named = CONTEXTS.map((context) => [show(context), context] as const)

test('there is a context for each unit, module and class of gangs', () => {
  expect(named.map(([name]) => name).sort()).toEqual([
    'HMHH',
    'HMHHX1',
    'HMHHX2',
    'HMHHX2 shutter_gang',
    'HMHHX2 switch_gang',
    'HMHHX3',
    'HMHHX3 shutter_gang',
    'HMHHX3 switch_gang',
    'HMHHX4',
    'HMHHX4 shutter_gang',
    'HMHHX4 switch_gang',
    'HMPH',
    'HMSH',
    'HMTHX2',
  ])
})

describe('every register of every model', () => {
  test.each(named)('%s: numbers and names are unique, values fit, the default is one of them', (_name, context) => {
    const registers = registersOf(context)
    expect(new Set(registers.map(({ number }) => number)).size).toBe(registers.length)
    expect(new Set(registers.map(({ name }) => name)).size).toBe(registers.length)
    for (const { number, name, ranges, default: standard } of registers) {
      expect(number, name).toBeGreaterThanOrEqual(0)
      expect(number, name).toBeLessThanOrEqual(REGISTER_NUMBER_MAX)
      expect(
        ranges.some(([low, high]) => standard >= low && standard <= high),
        name,
      ).toBe(true)
      for (const [low, high] of ranges) expect(0 <= low && low <= high && high <= REGISTER_VALUE_MAX, name).toBe(true)
    }
  })

  test('a name has the same number on every model', () => {
    const pairs = CONTEXTS.flatMap(registersOf).map(({ number, name }) => `${name} ${number}`)
    const names = CONTEXTS.flatMap(registersOf).map(({ name }) => name)
    expect(new Set(pairs).size).toBe(new Set(names).size)
  })

  test.each(named)('%s: a factory-new device decodes completely, and as its shapes say', (_name, context) => {
    const cached: CachedRegisters = new Map(
      registersOf(context).map(({ name, default: value }) => [name, { value, asOf: 1 }]),
    )
    for (const { item, unknown } of readIntents(context, cached)) {
      expect(item.value, item.intent).not.toBeNull()
      expect(unknown, item.intent).toBeNull()
      const intent = INTENTS.find(({ id }) => id === item.intent)!
      expect(ajv.validate(intent.coding(context).shape, item.value), item.intent).toBe(true)
    }
  })

  test.each(named)(
    '%s: whatever a register may hold is decoded or shown raw, and fits the shape when it is decoded',
    (_name, context) => {
      const registers = registersOf(context)
      const anyValues = fc.record(
        Object.fromEntries(
          registers.map(({ name, ranges }) => [
            name,
            fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })), {
              weight: 1,
              arbitrary: fc.integer({ min: 0, max: REGISTER_VALUE_MAX }),
            }),
          ]),
        ),
      )
      fc.assert(
        fc.property(anyValues, (values) => {
          for (const intent of INTENTS.filter((intent) => contextsOf(intent).includes(context))) {
            const coding = intent.coding(context)
            const { value, unknown } = coding.decode(values)
            if (unknown === null)
              expect(ajv.validate(coding.shape, value), `${intent.id} ${JSON.stringify(value)}`).toBe(true)
            else
              expect(value).toMatchObject({
                unknown: Object.fromEntries(Object.keys(unknown).map((name) => [name, values[name]])),
              })
            // A single number outside its own range is never taken for something known.
            for (const name of coding.registers) {
              const { ranges, fixed } = registers.find((register) => register.name === name)!
              const inside = fixed || ranges.some(([low, high]) => values[name]! >= low && values[name]! <= high)
              if (!inside && intent.id !== 'climate')
                expect(unknown, `${intent.id} ${name} ${values[name]}`).toHaveProperty(name, values[name])
            }
          }
        }),
        { numRuns: times(20, 600) },
      )
    },
  )

  test.each(named)('%s: every intent uses registers of its device and writes accepted values', (_name, context) => {
    const registers = new Map(registersOf(context).map((register) => [register.name, register]))
    for (const intent of INTENTS.filter((intent) => contextsOf(intent).includes(context))) {
      expect(
        intent.coding(context).registers.filter((name) => !registers.has(name)),
        intent.id,
      ).toEqual([])
      if (intent.access === 'read_only') continue
      const { encode } = intent.coding(context)
      const wishes = fc.oneof(
        fc.integer({ min: 0, max: 1000 }),
        fc.boolean(),
        fc.constantFrom('on', 'off', 'while_on'),
        fc.integer({ min: 11, max: 70 }).map((half) => ({ cool: { on: half / 2, off: (half - 1) / 2 } })),
        fc.constant({ none: true }),
      )
      fc.assert(
        fc.property(wishes, (value) => {
          const encoded = encode(value)
          if (!encoded.ok) return
          for (const [name, raw] of Object.entries(encoded.value))
            expect(accepts(registers.get(name)!, raw), `${intent.id} ${name} ${raw}`).toBe(true)
        }),
      )
    }
  })
})

describe('the register map', () => {
  test.each(SWITCH_MODELS)('%s: names and numbers lead to each other', (model) => {
    for (const scope of ['unit', 'gang'] as const) {
      const list = registerMap.list(model, scope)
      const numbers = list.map((name) => registerMap.numberOf(model, scope, name))
      expect(numbers).toEqual([...numbers].sort((a, b) => a! - b!))
      expect(numbers.map((number) => registerMap.nameOf(model, scope, number!))).toEqual(list)
    }
    expect(registerMap.numberOf(model, 'unit', 'nonsense')).toBeUndefined()
    expect(registerMap.nameOf(model, 'unit', 0)).toBeUndefined()
  })

  test('a few by hand', () => {
    expect(registerMap.numberOf('HMHH', 'unit', 'off_delay_min')).toBe(22)
    expect(registerMap.nameOf('HMHHX3', 'gang', 28)).toBe('dark_lux')
    expect(registerMap.nameOf('HMHHX3', 'gang', 60)).toBe('up_time_min')
    expect(registerMap.numberOf('HMHHX3', 'unit', 'dark_lux')).toBeUndefined()
    expect(registerMap.list('HMHH', 'gang')).toEqual([])
    expect(registerMap.list('HMAC', 'unit')).toEqual([])
  })
})

describe('the documents are fresh (npm run docs:generate)', () => {
  const text = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

  test('docs/hmhc-registers.md', () =>
    expect(text('hmhc-registers.md')).toContain(`## Tables\n\n${registerTables()}\n`))
  test('docs/hmhc-registers.json', () => expect(text('hmhc-registers.json')).toBe(registerJson()))
  test('docs/intents.md', () => expect(text('intents.md').endsWith(`\n${intentTable()}\n`)).toBe(true))
})
