import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REGISTERS } from './register-table.ts'
import { RegisterSettings } from './register-settings.ts'

interface Documented {
  readonly models: Readonly<Record<string, Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>>>
}

const documented: Documented = JSON.parse(
  readFileSync(new URL('../../../docs/hmhc-registers.json', import.meta.url), 'utf8'),
)

describe('the register table of the simulated units', () => {
  it.each(Object.keys(documented.models))('matches the document for %s', (model) => {
    const scopes = documented.models[model] ?? {}
    const expected = Object.entries(scopes).map(([scope, rows]) => [
      scope,
      rows.map((row) => ({
        number: row['number'],
        name: row['name'],
        ranges: row['ranges'],
        default: row['default'],
        fixed: row['fixed'] ?? false,
      })),
    ])
    const own = Object.entries(REGISTERS).find(([name]) => name === model)?.[1] ?? {}
    expect(Object.entries(own)).toEqual(expected)
  })

  it('has no model that the document does not list', () => {
    expect(Object.keys(REGISTERS).sort()).toEqual(Object.keys(documented.models).sort())
  })
})

describe('a write of registers', () => {
  const shutter = (): RegisterSettings => new RegisterSettings(REGISTERS.HMTHX2?.unit ?? [])
  const power = (): RegisterSettings => new RegisterSettings(REGISTERS.HMPH?.unit ?? [])

  it.each([
    ['a register that the unit lacks', [[2, 1]], { reason: 'unknown', number: 2 }],
    ['a value outside the table', [[64, 256]], { reason: 'out_of_range', number: 64 }],
    ['a travel time of nothing', [[61, 0]], { reason: 'forbidden', number: 61 }],
    [
      'an LED value of the other coding',
      [
        [3, 23],
        [4, 1],
      ],
      { reason: 'forbidden', number: 3 },
    ],
  ] as const)('is refused for %s, as a whole', (_, writes, refusal) => {
    const settings = shutter()
    const before = settings.all()
    expect(settings.write([[69, 5], ...writes])).toEqual(refusal)
    expect(settings.all()).toEqual(before)
  })

  it('from 0:59 to 1:00 is one step', () => {
    const settings = shutter()
    expect(
      settings.write([
        [60, 0],
        [61, 59],
      ]),
    ).toBeNull()
    expect(
      settings.write([
        [60, 1],
        [61, 0],
      ]),
    ).toBeNull()
    expect(settings.value('up_time_min') * 60 + settings.value('up_time_s')).toBe(60)
  })

  it('keeps the temperatures of a heat pump apart', () => {
    const settings = power()
    expect(
      settings.write([
        [40, 3],
        [44, 49],
      ]),
    ).toMatchObject({ reason: 'forbidden' })
    expect(
      settings.write([
        [40, 2],
        [44, 49],
      ]),
    ).toBeNull()
    expect(settings.write([[40, 3]])).toEqual({ reason: 'forbidden', number: 40 })
  })

  it('reports the names of changed registers only', () => {
    const settings = power()
    const changes: string[][] = []
    settings.onChange((names) => changes.push([...names]))
    settings.write([
      [2, 2],
      [24, 1],
    ])
    settings.write([[24, 1]])
    expect(changes).toEqual([['no_motion_h']])
  })
})
