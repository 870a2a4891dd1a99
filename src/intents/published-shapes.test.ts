// @module-tag repeated
import fc from 'fast-check'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { INTENT_DEFINITIONS, INTENTS, type WritableIntent } from './index.ts'
import { contextsOf } from './catalogue/intent.ts'

const ajv = new Ajv2020({ strict: true, allErrors: true })

describe('the published shapes', () => {
  test.each(INTENT_DEFINITIONS.map(({ id, value }) => [id, value] as const))(
    '%s compiles in strict mode',
    (_id, shape) => {
      expect(() => ajv.compile(shape)).not.toThrow()
    },
  )

  const temperature = fc.oneof(
    fc.integer({ min: 8, max: 72 }).map((half) => half / 2),
    fc.double({ min: 4, max: 36, noNaN: true }),
  )
  const rule = fc.record({ on: temperature, off: temperature }, { requiredKeys: ['on', 'off'] })
  const anyValue = fc.oneof(
    fc.integer({ min: -2, max: 1_002 }),
    fc.boolean(),
    fc.constantFrom('on', 'off', 'while_on', 'never', ''),
    fc.record({ cool: rule, heat: rule, none: fc.constantFrom(true, false) }, { requiredKeys: [] }),
    fc.record({ cool: rule }),
    fc.record({ heat: rule }),
    fc.record({ cool: rule, heat: rule }),
    fc.record({
      cool: fc.record({ on: temperature, off: temperature, extra: fc.boolean() }, { requiredKeys: ['on'] }),
    }),
    fc.jsonValue(),
  )

  /** The three comparisons of climate, which JSON Schema cannot express. */
  function comparable(value: unknown): boolean {
    const { cool, heat } = value as { cool?: { on: number; off: number }; heat?: { on: number; off: number } }
    return (!cool || cool.on > cool.off) && (!heat || heat.on < heat.off) && (!cool || !heat || heat.off <= cool.off)
  }

  const cases = INTENTS.filter((intent) => intent.access === 'read_write').flatMap((intent) =>
    contextsOf(intent).map(
      (context) => [intent.id, `${context.model} ${context.gangClass ?? ''}`, intent, context] as const,
    ),
  )

  test.each(cases)(
    '%s on %s accept exactly the values that can be encoded, and decoding returns the same value',
    (_id, _on, intent, context) => {
      const coding = intent.coding(context)
      const validate = ajv.compile(coding.shape)
      fc.assert(
        fc.property(anyValue, (value) => {
          const encoded = coding.encode(value)
          const shaped = validate(value)
          expect(encoded.ok).toBe(intent.id === 'climate' ? shaped && comparable(value) : shaped)
          if (encoded.ok) {
            const others = Object.fromEntries(coding.registers.map((name) => [name, 40]))
            expect(coding.decode({ ...others, ...encoded.value })).toEqual({
              value: Object.is(value, -0) ? 0 : value,
              unknown: null,
            })
          } else expect(encoded.error).toMatch(/^[A-Za-z].*\.$/)
        }),
        { numRuns: times(100, 4_000) },
      )
    },
  )

  test('the general shape accepts every value that some device accepts', () => {
    for (const intent of INTENTS.filter(({ access }) => access === 'read_write') as WritableIntent[]) {
      const general = ajv.compile(INTENT_DEFINITIONS.find(({ id }) => id === intent.id)!.value)
      fc.assert(
        fc.property(anyValue, (value) => {
          const some = contextsOf(intent).some((context) => ajv.validate(intent.coding(context).shape, value))
          expect(general(value)).toBe(some)
        }),
      )
    }
  })
})
