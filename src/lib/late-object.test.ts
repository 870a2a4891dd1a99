import { expect, it } from 'vitest'
import { z } from 'zod'
import { looseObject, strictObject } from './late-object.ts'

it('makes the fields once, when the object is first used', () => {
  let times = 0
  const Late = strictObject(() => {
    times += 1
    return { name: z.string(), size: z.int().optional() }
  })
  const Described = Late.describe('A thing.').optional().nullable()
  expect(times).toBe(0)
  expect(Described.parse({ name: 'lamp' })).toEqual({ name: 'lamp' })
  expect(Late.safeParse({ name: 'lamp', colour: 'red' }).success).toBe(false)
  expect(Object.keys(Late.shape)).toEqual(['name', 'size'])
  expect(times).toBe(1)
})

it('makes the object that zod would make', () => {
  const fields = { name: z.string().describe('A name.'), size: z.int().optional() }
  for (const [late, own] of [
    [looseObject(() => fields), z.looseObject(fields)],
    [strictObject(() => fields), z.strictObject(fields)],
  ] as const) {
    const forms = (schema: typeof late) => [
      schema.meta({ title: 'Thing' }),
      schema.extend({ more: z.string() }),
      schema.partial(),
      schema.pick({ name: true }),
    ]
    expect(forms(late).map((schema) => z.toJSONSchema(schema))).toEqual(
      forms(own).map((schema) => z.toJSONSchema(schema)),
    )
    const wrong = { name: 1, other: true }
    expect(late.safeParse(wrong).error?.issues).toEqual(own.safeParse(wrong).error?.issues)
  }
})
