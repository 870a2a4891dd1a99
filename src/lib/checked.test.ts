import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checked, sentenceOf } from './checked.ts'

const step = z.union([z.strictObject({ delay: z.number() }), z.strictObject({ op: z.literal('open') })])
const schema = z.strictObject({
  name: z.string().min(1).max(4),
  level: z.int().min(0).max(100).optional(),
  heat: z.number().multipleOf(0.5).optional(),
  mode: z.enum(['auto', 'eco']).optional(),
  on: z.boolean().optional(),
  days: z.array(z.int()).min(1).max(2).optional(),
  own: z.string().regex(/^a/, 'must begin with a').optional(),
  steps: z.array(step).optional(),
})

function sentenceAbout(value: unknown): string {
  const result = checked(schema, value)
  return result.ok ? 'accepted' : sentenceOf(result.error, 'The body')
}

describe('a mismatch with a schema is explained in plain words', () => {
  test.each([
    [{ name: 'x' }, 'accepted'],
    [[], 'The body must be an object.'],
    [undefined, 'The body is missing.'],
    [{}, 'name: is missing.'],
    [{ name: '' }, 'name: must not be empty.'],
    [{ name: 'xxxxx' }, 'name: must have at most 4 characters.'],
    [{ name: 3 }, 'name: must be a text.'],
    [{ name: 'x', level: 101 }, 'level: must be at most 100.'],
    [{ name: 'x', level: -1 }, 'level: must be at least 0.'],
    [{ name: 'x', level: 0.5 }, 'level: must be a whole number.'],
    [{ name: 'x', heat: 20.2 }, 'heat: must be in steps of 0.5.'],
    [{ name: 'x', mode: 'sleep' }, 'mode: must be one of auto, eco.'],
    [{ name: 'x', on: 'yes' }, 'on: must be true or false.'],
    [{ name: 'x', days: [] }, 'days: must not be empty.'],
    [{ name: 'x', days: [1, 2, 3] }, 'days: must hold at most 2.'],
    [{ name: 'x', own: 'b' }, 'own: must begin with a.'],
    [{ name: 'x', steps: [{ delay: 'long' }] }, 'steps[0].delay: must be a number.'],
    [{ name: 'x', steps: [{ dealy: 3 }] }, 'steps[0]: has no field `dealy`.'],
    [{ nmae: 'x' }, 'The body has no field `nmae`.'],
  ])('%j', (value, sentence) => {
    expect(sentenceAbout(value)).toBe(sentence)
  })

  test('echoed input stays short and harmless', () => {
    expect(
      sentenceAbout(Object.fromEntries([...Array(9)].map((_, index) => [`${index}${'x'.repeat(500)}`, 1]))).length,
    ).toBeLessThan(300)
    expect(sentenceAbout({ name: 'x', 'a\u001bb': 1 })).toBe('The body has no field `a\\u001bb`.')
  })
})
