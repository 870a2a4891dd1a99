import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type TariffPlan, NO_PRICE, parseTariffs, priceAt, tariffOn } from './tariff.ts'

const FILE = `
tariffs:
  - name: Flex
    since: '2027-04-01'
    standingPerDay: 0.5
    rates:
      - { name: weekend, price: 0.2, days: [sat, sun] }
      - { name: night, price: 0.18, from: '22:00', to: '06:00', days: [mon, tue, wed, thu, fri] }
      - { price: 0.35 }
  - name: Flat
    rates: [{ price: 0.3 }]
`

function tariffs(file: string): TariffPlan {
  const parsed = parseTariffs(parse(file))
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

describe('tariffs', () => {
  test('a file with several is sorted by their start days', () => {
    const read = tariffs(FILE)
    expect(read.tariffs.map((tariff) => tariff.name)).toEqual(['Flat', 'Flex'])
    expect([20200101, 20270331, 20270401, 20300101].map((day) => tariffOn(read, day).name)).toEqual([
      'Flat',
      'Flat',
      'Flex',
      'Flex',
    ])
  })

  test.each([
    ['before it takes effect', 20270331, 3, '12:00', 300_000],
    ['by day', 20270405, 1, '06:00', 350_000],
    ['by night', 20270405, 1, '22:00', 180_000],
    [
      'a night belongs to the day of its start: Saturday morning is still Friday night, but the weekend rate comes first',
      20270410,
      6,
      '05:59',
      200_000,
    ],
    ['Monday morning follows a Sunday, which has no night', 20270405, 1, '05:59', 350_000],
    ['the weekend, all day', 20270411, 7, '23:45', 200_000],
  ])('price %s', (_, day, weekday, time, want) => {
    const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
    expect(priceAt(tariffs(FILE), { day, weekday, minute })).toBe(want)
  })

  test('there is no price without a tariff', () => {
    expect(priceAt(null, { day: 20270101, weekday: 5, minute: 0 })).toBe(NO_PRICE)
  })
})

describe('a wrong file is refused with a sentence that names the place', () => {
  test.each([
    ['{ name: A, rates: [] }', 'rates must hold a rate.'],
    ['{ name: A, rates: [{ price: -1 }] }', 'rates[0].price must not be below 0.'],
    ['{ name: A, rates: [{ price: cheap }] }', 'rates[0].price must be a number.'],
    [
      '{ name: A, rates: [{ price: 1, from: "22:10", to: "06:00" }] }',
      "rates[0].from must be a time like '06:30' on a quarter of an hour.",
    ],
    ['{ name: A, rates: [{ price: 1, from: "22:00" }] }', 'rates[0] needs both from and to, or neither.'],
    [
      '{ name: A, rates: [{ price: 1, days: [monday] }] }',
      'rates[0].days[0] must be one of mon, tue, wed, thu, fri, sat, sun.',
    ],
    [
      '{ name: A, rates: [{ price: 1, from: "22:00", to: "06:00" }] }',
      'rates needs one rate without from, to and days: the price at all other times.',
    ],
    [
      '{ name: A, rates: [{ price: 1 }, { price: 2, days: [sat] }] }',
      'rates must have exactly one rate without from, to and days, and it must come last.',
    ],
    ['{ name: A, since: "2027-02-30", rates: [{ price: 1 }] }', "since must be a date like '2027-01-31'."],
    ['{ name: A, taxes: 3, rates: [{ price: 1 }] }', 'The file has no field `taxes`.'],
    [
      '{ tariffs: [{ name: A, rates: [{ price: 1 }] }, { name: B, rates: [{ price: 1 }] }] }',
      'Two tariffs have the same since: B and A.',
    ],
    ['just a text', 'The file must be an object.'],
  ])('%s', (file, want) => {
    const parsed = parseTariffs(parse(file))
    expect(parsed).toEqual({ ok: false, error: want })
  })
})
