import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseYaml, writeYaml, writeYamlInTurns } from './yaml.ts'

const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
const mapping = fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.oneof(fc.array(value, { maxLength: 9 }), value), {
  minKeys: 1,
  noNullPrototype: true,
})

test('writing in turns gives the same text as writing at once', { tags: ['long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(mapping, async (file) => {
      expect(await writeYamlInTurns(file)).toBe(writeYaml(file))
    }),
    { numRuns: 100 },
  )
})

test(
  'writing a long mapping yields again and again, and reads back to the same value',
  { tags: ['long'] },
  async () => {
    const file = {
      home: { name: 'Home' },
      units: Array.from({ length: 3_000 }, (_, id) => ({ id, name: `Unit ${id}` })),
    }
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
  },
)

/** Texts that a YAML 1.1 reader takes for another type, for a key of its own, or for a line break. */
const AMBIGUOUS = [
  ...['on', 'off', 'yes', 'no', 'No', 'y', 'N', 'TRUE', '~', 'null', '', '=', '<<', '-', '?', '---', '...'],
  ...['22:30', '22:30:15', '190:20:30.5', '0o17', '017', '0x1F', '0b11', '1_000', '6.85_230e+03', '1.', '.5', '+1'],
  ...['.inf', '-.INF', '.NaN', '2027-01-31', '2027-01-31 10:00:00', '2027-01-31T10:00:00Z', 'a: b', 'a #b', '*a'],
  ...['a\u0085b', 'a\u2028b', '\ufeffa', 'a\ufffdb', 'a\u009fb', 'say "on"', "it's", 'a\nb', ' a', 'a '],
]
const plain = fc.oneof(
  fc.constantFrom(...AMBIGUOUS),
  fc.stringMatching(/^[-+.:_=<~0-9a-fxo ]{0,12}$/),
  fc.string({ unit: 'grapheme' }),
)

describe('written YAML', () => {
  test('means the same to a YAML 1.1 reader', () => {
    for (const text of AMBIGUOUS) {
      const written = writeYaml({ list: [text], [text]: 1, scene: { name: text } })
      expect(parse(written, { version: '1.1' }), written).toEqual({ list: [text], [text]: 1, scene: { name: text } })
      expect(parseYaml(written), written).toEqual({ list: [text], [text]: 1, scene: { name: text } })
    }
    fc.assert(
      fc.property(plain, (text) => {
        expect(parse(writeYaml([text]), { version: '1.1' })).toEqual([text])
      }),
    )
  })

  test('quotes values of YAML 1.1 types that this reader does not know', () => {
    expect(writeYaml(['on', 'No', '22:30', '=', '<<', '1_000', 'Lamp'])).toBe(
      '- "on"\n- "No"\n- "22:30"\n- "="\n- "<<"\n- "1_000"\n- Lamp\n',
    )
  })
})

test('a text with replacement characters is refused with its line', () => {
  expect(() => parseYaml('home:\n  name: K\ufffdche\n')).toThrow('line 2 has lost characters')
})
