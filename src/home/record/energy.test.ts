// @module-tag repeated
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { times } from '#support/long.ts'
import type { HistoryDb } from '../../db/history/history-db.ts'
import { silentLog } from '../../lib/log.ts'
import type { EnergyPeriod } from './energy-range.ts'
import { ENERGY_PERIODS } from './energy-range.ts'
import { Energy } from './energy.ts'
import { type TariffPlan, parseTariffs } from './tariff.ts'

const QUARTER = 900_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Sunday 31 October 2027: the clocks in Berlin go back at 01:00 UTC. */
const AUTUMN = Date.UTC(2027, 9, 31)

const TIMES_OF_USE = read({
  name: 'Flex',
  standingPerDay: 0.4,
  rates: [{ price: 0.21, from: '22:00', to: '06:00' }, { price: 0.25, days: ['sat', 'sun'] }, { price: 0.334455 }],
})

function read(content: unknown): TariffPlan {
  const parsed = parseTariffs(content)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

function energyOf(
  history: HistoryDb,
  clock: ManualClock,
  tariffs: TariffPlan | null = null,
  timeZone = 'Europe/Berlin',
): Energy {
  return new Energy({ store: history.energy, clock, log: silentLog, timeZone, tariffs })
}

/**
 * A house whose devices report counters at random times. `facts` is their use by quarter, computed without the code
 * under test.
 */
const someHistory = fc.record({
  start: fc.integer({ min: 0, max: 400 }).map((days) => AUTUMN - days * DAY),
  steps: fc.array(
    fc.record({
      device: fc.integer({ min: 0, max: 4 }),
      wait: fc.integer({ min: 0, max: 30 * 96 }),
      wh: fc.integer({ min: 0, max: 2_000 }),
    }),
    { maxLength: 60 },
  ),
})

interface Fact {
  readonly device: string
  readonly quarter: number
  readonly mwh: number
}

function live(
  energy: Energy,
  clock: ManualClock,
  history: { readonly steps: readonly { device: number; wait: number; wh: number }[] },
): Fact[] {
  const counters = new Map<string, number>()
  const facts: Fact[] = []
  for (const { device, wait, wh } of history.steps) {
    const key = `unit-${device}`
    // A reading at the start of a quarter and one inside it: all of the energy belongs to this quarter.
    clock.advance(wait * QUARTER)
    const at = clock.now()
    energy.take(key, counters.get(key) ?? 0, at)
    counters.set(key, (counters.get(key) ?? 0) + wh)
    energy.take(key, counters.get(key) ?? 0, at + 60_000)
    facts.push({ device: key, quarter: at, mwh: wh * 1_000 })
  }
  return facts
}

function referenceCost(facts: readonly Fact[], zone: string): number {
  let cost = 0
  for (const { quarter, mwh } of facts) {
    const local = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone)
    const price = local.hour >= 22 || local.hour < 6 ? 0.21 : local.dayOfWeek >= 6 ? 0.25 : 0.334455
    cost += (mwh / 1e6) * price
  }
  return cost
}

describe('energy', () => {
  test('every range has the exact sum of its energy, at the price of its time', () => {
    fc.assert(
      fc.property(
        someHistory,
        fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'),
        fc.tuple(fc.nat(2_000), fc.nat(2_000)),
        (some, zone, [a, b]) => {
          const clock = new ManualClock(some.start)
          const history = tempHistory({ file: ':memory:', clock })
          const energy = energyOf(history, clock, TIMES_OF_USE, zone)
          const facts = live(energy, clock, some)
          clock.advance(DAY)
          const range = {
            from: some.start + Math.min(a, b) * 7 * HOUR,
            to: some.start + (Math.max(a, b) + 1) * 7 * HOUR,
          }
          const devices = ['unit-0', 'unit-2', 'unit-4']
          const inside = facts.filter(
            (fact) => devices.includes(fact.device) && fact.quarter >= range.from && fact.quarter < range.to,
          )
          const answer = energy.answer({ devices, range, standing: false })
          expect(answer.energy).toBe(inside.reduce((sum, fact) => sum + fact.mwh, 0) / 1_000)
          expect(answer.cost).toBeCloseTo(referenceCost(inside, zone), 5)
          expect(Math.round(answer.series.reduce((sum, point) => sum + point.energy * 1_000, 0))).toBe(
            Math.round(answer.energy * 1_000),
          )
          expect(answer.series.length).toBeLessThanOrEqual(130)
          history.close()
        },
      ),
      { numRuns: times(20, 600) },
    )
  })

  test('the sum of the parts is the whole, for every period', () => {
    fc.assert(
      fc.property(
        someHistory,
        fc.constantFrom<EnergyPeriod>(...ENERGY_PERIODS),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 5, maxLength: 5 }),
        (some, period, part) => {
          const clock = new ManualClock(some.start)
          const history = tempHistory({ file: ':memory:', clock })
          const energy = energyOf(history, clock, TIMES_OF_USE)
          live(energy, clock, some)
          const all = [0, 1, 2, 3, 4].map((n) => `unit-${n}`)
          const mwh = (devices: readonly string[]) =>
            Math.round(energy.answer({ devices, range: { period }, standing: false }).energy * 1_000)
          const parts = [0, 1, 2].map((which) => mwh(all.filter((_, n) => part[n] === which)))
          expect(parts.reduce((sum, one) => sum + one, 0)).toBe(mwh(all))
          history.close()
        },
      ),
      { numRuns: times(15, 400) },
    )
  })

  test('a day with 25 hours has 25 points, and its two hours with the same name are separate', () => {
    const clock = new ManualClock(AUTUMN - 2 * HOUR)
    const energy = energyOf(tempHistory({ clock }), clock)
    energy.take('lamp', 0, clock.now())
    for (let hour = 1; hour <= 24; hour++) {
      clock.advance(HOUR)
      energy.take('lamp', hour * 10, clock.now())
    }
    expect(energy.answer({ devices: ['lamp'], range: { period: 'day' }, standing: false })).toMatchObject({
      from: AUTUMN - 2 * HOUR,
      energy: 240,
    })
    clock.advance(HOUR)
    energy.take('lamp', 250, clock.now())
    const day = energy.answer({
      devices: ['lamp'],
      range: { from: AUTUMN - 2 * HOUR, to: AUTUMN + 23 * HOUR },
      standing: false,
    })
    expect(day.series.map((point) => point.energy)).toEqual(Array.from({ length: 25 }, () => 10))
  })

  test.each([
    ['hour', '2027-10-31T02:00+01:00[Europe/Berlin]', 4],
    ['day', '2027-10-31T00:00[Europe/Berlin]', 4],
    ['week', '2027-10-25T00:00[Europe/Berlin]', 7],
    ['month', '2027-10-01T00:00[Europe/Berlin]', 31],
    ['year', '2027-01-01T00:00[Europe/Berlin]', 10],
  ] as const)('the current %s starts at %s', (period, from, points) => {
    const clock = new ManualClock(Date.UTC(2027, 9, 31, 1, 50))
    const answer = energyOf(tempHistory({ clock }), clock).answer({ devices: [], range: { period }, standing: false })
    expect(answer).toMatchObject({
      from: Temporal.ZonedDateTime.from(from).epochMilliseconds,
      to: clock.now(),
      energy: 0,
      cost: null,
      tariff: null,
    })
    expect(answer.series).toHaveLength(points)
  })

  test('the daily charge belongs to the whole house, and in proportion to a part of a day', () => {
    const clock = new ManualClock(Temporal.ZonedDateTime.from('2027-10-04T12:00[Europe/Berlin]').epochMilliseconds)
    const energy = energyOf(tempHistory({ clock }), clock, TIMES_OF_USE)
    expect(energy.answer({ devices: [], range: { period: 'month' }, standing: false }).cost).toBe(0)
    const house = energy.answer({ devices: [], range: { period: 'month' }, standing: true })
    expect(house.cost).toBeCloseTo(0.4 * 3.5, 6)
    expect(house.series.map((point) => point.cost)).toEqual([0.4, 0.4, 0.4, 0.2])
  })
})

test('a range at the limits of time returns only the present tariff', () => {
  const clock = new ManualClock(AUTUMN)
  const energy = energyOf(tempHistory({ clock }), clock, TIMES_OF_USE)
  const END = 8_640_000_000_000_000
  for (const [from, to] of [
    [END, END],
    [AUTUMN, END],
    [AUTUMN, AUTUMN + 1],
  ] as const)
    expect(energy.answer({ devices: [], range: { from, to }, standing: false })).toMatchObject({
      energy: 0,
      cost: 0,
      tariff: 'Flex',
    })
})

describe('a change of tariff', () => {
  test('reprices all stored energy, including new energy, while the old prices answer', async () => {
    const clock = new ManualClock(AUTUMN - 100 * DAY)
    const history = tempHistory({ clock })
    const energy = energyOf(history, clock)
    const steps = Array.from({ length: 60 }, (_, n) => ({ device: n % 5, wait: 170, wh: 500 + n }))
    const facts = live(energy, clock, { steps })
    const query = {
      devices: [0, 1, 2, 3, 4].map((n) => `unit-${n}`),
      range: { from: AUTUMN - 100 * DAY, to: clock.now() + HOUR },
      standing: false,
    }
    const whole = energy.answer(query).energy
    const done = energy.setBasis('Europe/Berlin', TIMES_OF_USE)
    expect(energy.answer(query)).toMatchObject({ energy: whole, cost: null })
    energy.take('unit-0', 6_330, clock.now())
    energy.take('unit-0', 6_860, clock.now() + 120_000)
    history.writer.flush()
    const taken = energy.answer(query).energy
    for (let n = 0; n < 20; n++) clock.advance(5)
    await done
    expect(energy.answer(query).energy).toBe(taken)
    const late = facts.concat({
      device: 'unit-0',
      quarter: Math.floor(clock.now() / QUARTER) * QUARTER,
      mwh: taken * 1_000 - whole * 1_000,
    })
    expect(energy.answer(query).cost).toBeCloseTo(referenceCost(late, 'Europe/Berlin'), 5)
  })

  test('is also found at the next start', () => {
    const clock = new ManualClock(AUTUMN - 10 * DAY)
    const history = tempHistory({ clock })
    const facts = live(energyOf(history, clock), clock, {
      steps: [
        { device: 1, wait: 3, wh: 700 },
        { device: 1, wait: 40, wh: 900 },
      ],
    })
    history.writer.flush()
    clock.advance(DAY)
    const again = energyOf(history, clock, TIMES_OF_USE, 'America/New_York')
    const answer = again.answer({
      devices: ['unit-1'],
      range: { from: AUTUMN - 20 * DAY, to: AUTUMN },
      standing: false,
    })
    expect(answer.energy).toBe(1_600)
    expect(answer.cost).toBeCloseTo(referenceCost(facts, 'America/New_York'), 6)
  })

  test('that cannot start keeps the old costs, and its error stays internal', async () => {
    const clock = new ManualClock(AUTUMN - 10 * DAY)
    const history = tempHistory({ clock })
    const energy = energyOf(history, clock)
    live(energy, clock, { steps: [{ device: 0, wait: 1, wh: 700 }] })
    const query = { devices: ['unit-0'], range: { from: AUTUMN - 20 * DAY, to: AUTUMN }, standing: false }
    const rebuild = (): never => {
      throw new Error('disk I/O error')
    }
    Object.assign(history.energy, { rebuild })
    await expect(energy.setBasis('Europe/Berlin', TIMES_OF_USE)).resolves.toBeUndefined()
    expect(energy.answer(query)).toMatchObject({ energy: 700, cost: null })
  })

  test('leaves days without stored quarters unchanged', async () => {
    const clock = new ManualClock(AUTUMN - 500 * DAY)
    const history = tempHistory({ clock })
    const energy = energyOf(history, clock)
    live(energy, clock, {
      steps: [
        { device: 0, wait: 0, wh: 100 },
        { device: 0, wait: 499 * 96, wh: 900 },
      ],
    })
    const query = { devices: ['unit-0'], range: { from: AUTUMN - 501 * DAY, to: clock.now() + DAY }, standing: false }
    expect(energy.forgetOld(clock.now())).toBe(true)
    expect(history.energy.quarters(['unit-0'], 0, 1e15)).toHaveLength(1)
    const done = energy.setBasis('Europe/Berlin', TIMES_OF_USE)
    clock.advance(5)
    await done
    expect(energy.answer(query).energy).toBe(1_000)
    // A single old day is read from its sum.
    expect(energy.answer({ ...query, range: { from: AUTUMN - 500 * DAY, to: AUTUMN - 500 * DAY + HOUR } }).energy).toBe(
      100,
    )
  })
})
