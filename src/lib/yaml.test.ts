import fc from 'fast-check'
import { expect, test } from 'vitest'
import { longTest } from '#support/when-long.ts'
import { parseYaml, writeYaml, writeYamlInTurns } from './yaml.ts'

const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
const mapping = fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.oneof(fc.array(value, { maxLength: 9 }), value), {
  minKeys: 1,
  noNullPrototype: true,
})

longTest('what is written in turns is to the letter what is written at once', async () => {
  await fc.assert(
    fc.asyncProperty(mapping, async (file) => {
      expect(await writeYamlInTurns(file)).toBe(writeYaml(file))
    }),
    { numRuns: 100 },
  )
})

test('a long mapping gives way again and again while it is written, and is read back to the same', async () => {
  const file = { home: { name: 'Home' }, units: Array.from({ length: 3_000 }, (_, id) => ({ id, name: `Unit ${id}` })) }
  let turns = 0
  let writing = true
  const count = (): void => {
    turns += 1
    if (writing) setImmediate(count)
  }
  setImmediate(count)
  const text = await writeYamlInTurns(file)
  writing = false
  expect(parseYaml(text)).toEqual(file)
  expect(turns).toBeGreaterThanOrEqual(Math.floor(text.length / 20_000))
})
