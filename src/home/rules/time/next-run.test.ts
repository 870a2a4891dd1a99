// @module-tag repeated
import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { WEEKDAYS, type SunEvent, type Weekday } from '../../model/rules.ts'
import { localDate, type Where } from './local-time.ts'
import { SEARCH_DAYS_MAX, nextRun, runsBetween, weekdayOf } from './occurrence.ts'
import { casesOf, LONG, times } from '#support/long.ts'

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'] as const
const YEARS = times(1, 5)
const FROM = Temporal.PlainDate.from('2026-01-01')
const UNTIL = FROM.add({ years: YEARS })
const DAYS = FROM.until(UNTIL).days

/** Years; in `npm test` the weeks of one year in which the clocks of these zones change. */
const SPANS = (
  LONG
    ? [[FROM, UNTIL] as const]
    : ([
        ['2026-03-01', '2026-04-12'],
        ['2026-09-27', '2026-11-08'],
      ] as const)
).map(([from, until]) => ({ from: Temporal.PlainDate.from(from), until: Temporal.PlainDate.from(until) }))

const at = (text: string): number => Temporal.ZonedDateTime.from(text).epochMilliseconds
const startOf = (date: Temporal.PlainDate, zone: string): number => date.toZonedDateTime(zone).epochMilliseconds
const clock = fc
  .integer({ min: 0, max: 1439 })
  .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`)
const nowhere = (zone: string): Where => ({ zone, place: null })

/** Every local time of a zone that daylight saving skips or repeats within the years, on the half hour. */
const AWKWARD: Readonly<Record<(typeof ZONES)[number], readonly string[]>> = {
  'Europe/Berlin': ['00:00', '02:00', '02:30', '02:59', '03:00', '23:59'],
  'America/New_York': ['00:00', '01:00', '01:30', '02:00', '02:30', '03:00'],
  'Australia/Lord_Howe': ['01:30', '01:59', '02:00', '02:15', '02:29', '02:30'],
  UTC: ['00:00', '12:00'],
}

describe('a local time over years', () => {
  for (const zone of ZONES) {
    const expectOnceADay = (time: string): void => {
      for (const span of SPANS) expectOnceADayOf(span, time)
    }
    const expectOnceADayOf = ({ from, until }: (typeof SPANS)[number], time: string): void => {
      const { days } = from.until(until)
      const runs = runsBetween({ time }, startOf(from, zone) - 1, startOf(until, zone) - 1, nowhere(zone), days + 10)
      expect(runs).toHaveLength(days)
      runs.forEach((run, day) => {
        const date = from.add({ days: day })
        expect(run.date).toBe(date.toString())
        const local = Temporal.Instant.fromEpochMilliseconds(run.at).toZonedDateTimeISO(zone)
        expect(local.toPlainDate().equals(date)).toBe(true)
        expect(local.second).toBe(0)
        const displayed = local.toPlainTime().toString({ smallestUnit: 'minute' })
        if (displayed === time) return
        // Only a skipped time may differ: then the minute before the run is before the requested time.
        const before = local.subtract({ minutes: 1 }).toPlainTime().toString({ smallestUnit: 'minute' })
        expect(before < time && time < displayed).toBe(true)
      })
    }
    for (const time of casesOf(AWKWARD[zone], 2))
      it(`${zone} runs ${time} exactly once a day`, () => expectOnceADay(time))
    it(`${zone} runs any time exactly once a day`, () => {
      fc.assert(fc.property(clock, expectOnceADay), { numRuns: times(1, 3) })
    })
  }

  it('runs only on its weekdays', () => {
    fc.assert(
      fc.property(
        clock,
        fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
        fc.constantFrom(...ZONES),
        (time, days, zone) => {
          const where = nowhere(zone)
          const runs = runsBetween(
            { time, days },
            startOf(FROM, zone) - 1,
            startOf(FROM.add({ weeks: 8 }), zone) - 1,
            where,
            100,
          )
          expect(runs).toHaveLength(8 * days.length)
          for (const run of runs) expect(days).toContain(weekdayOf(localDate(run.at, zone)))
        },
      ),
      { numRuns: 20 },
    )
  })

  it('has the same runs from any start of the search', () => {
    fc.assert(
      fc.property(
        clock,
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: DAYS * 86_400_000 }),
        (time, zone, offset) => {
          const after = startOf(FROM, zone) + offset
          const run = nextRun({ time }, after, nowhere(zone))!
          expect(run.at).toBeGreaterThan(after)
          expect(nextRun({ time }, run.at - 1, nowhere(zone))).toEqual(run)
          expect(nextRun({ time }, run.at, nowhere(zone))!.at).toBeGreaterThan(run.at)
        },
      ),
      { numRuns: times(30, 100) },
    )
  })
})

describe('daylight saving', () => {
  const cases: readonly [title: string, zone: string, time: string, after: string, expected: string][] = [
    [
      'Berlin, 02:30 skipped in spring',
      'Europe/Berlin',
      '02:30',
      '2027-03-27T12:00[Europe/Berlin]',
      '2027-03-28T03:00+02:00[Europe/Berlin]',
    ],
    [
      'Berlin, 02:30 twice in autumn',
      'Europe/Berlin',
      '02:30',
      '2027-10-30T12:00[Europe/Berlin]',
      '2027-10-31T02:30+02:00[Europe/Berlin]',
    ],
    [
      'Lord Howe, half an hour skipped',
      'Australia/Lord_Howe',
      '02:15',
      '2026-10-03T12:00[Australia/Lord_Howe]',
      '2026-10-04T02:30+11:00[Australia/Lord_Howe]',
    ],
    [
      'Lord Howe, half an hour repeated',
      'Australia/Lord_Howe',
      '01:45',
      '2027-04-03T12:00[Australia/Lord_Howe]',
      '2027-04-04T01:45+11:00[Australia/Lord_Howe]',
    ],
    [
      'New York, 02:00 skipped',
      'America/New_York',
      '02:00',
      '2027-03-13T12:00[America/New_York]',
      '2027-03-14T03:00-04:00[America/New_York]',
    ],
    [
      'Beirut, midnight skipped',
      'Asia/Beirut',
      '00:00',
      '2027-03-27T12:00[Asia/Beirut]',
      '2027-03-28T01:00+03:00[Asia/Beirut]',
    ],
    [
      'Havana, midnight twice',
      'America/Havana',
      '00:00',
      '2027-11-06T12:00[America/Havana]',
      '2027-11-07T00:00-04:00[America/Havana]',
    ],
  ]
  for (const [title, zone, time, after, expected] of cases) {
    it(`in ${title}`, () => expect(nextRun({ time }, at(after), nowhere(zone))?.at).toBe(at(expected)))
  }

  it('skips a date that a country skipped', () => {
    const dates = runsBetween(
      { time: '07:00' },
      at('2011-12-28T12:00[Pacific/Apia]'),
      at('2012-01-01T12:00[Pacific/Apia]'),
      nowhere('Pacific/Apia'),
      10,
    )
    expect(dates.map((run) => run.date)).toEqual(['2011-12-29', '2011-12-31', '2012-01-01'])
  })
})

describe('the sun', () => {
  const berlin: Where = { zone: 'Europe/Berlin', place: { latitude: 52.52, longitude: 13.405 } }
  const tromso: Where = { zone: 'Europe/Oslo', place: { latitude: 69.65, longitude: 18.96 } }
  const kiribati: Where = { zone: 'Pacific/Kiritimati', place: { latitude: 1.87, longitude: -157.4 } }

  it('rises and sets as in the almanac', () => {
    const noon = at('2027-06-21T00:00[Europe/Berlin]')
    const near = (event: SunEvent, expected: string): void => {
      expect(Math.abs(nextRun({ sun: event }, noon, berlin)!.at - at(expected))).toBeLessThan(2 * 60_000)
    }
    near('sunrise', '2027-06-21T04:43[Europe/Berlin]')
    near('sunset', '2027-06-21T21:33[Europe/Berlin]')
  })

  it('takes an offset in minutes, also over midnight', () => {
    const after = at('2027-06-21T00:00[Europe/Berlin]')
    const plain = nextRun({ sun: 'sunset' }, after, berlin)!
    expect(nextRun({ sun: 'sunset', offset: -30 }, after, berlin)!.at).toBe(plain.at - 30 * 60_000)
    const late = nextRun({ sun: 'sunset', offset: 180 }, plain.at, berlin)!
    expect(late).toEqual({ date: '2027-06-21', at: plain.at + 180 * 60_000 })
    expect(localDate(late.at, 'Europe/Berlin').toString()).toBe('2027-06-22')
    // After midnight, the run of the day before is still to come.
    expect(nextRun({ sun: 'sunset', offset: 180 }, at('2027-06-22T00:10[Europe/Berlin]'), berlin)).toEqual(late)
  })

  it('occurs exactly once a day for five years where it rises every day', () => {
    for (const where of [berlin, kiribati]) {
      for (const sun of ['sunrise', 'sunset'] as const) {
        const runs = runsBetween(
          { sun },
          startOf(FROM, where.zone) - 1,
          startOf(UNTIL, where.zone) - 1,
          where,
          DAYS + 10,
        )
        expect(runs.map((run) => run.date)).toEqual(
          Array.from({ length: DAYS }, (_, day) => FROM.add({ days: day }).toString()),
        )
        for (const run of runs) expect(localDate(run.at, where.zone).toString()).toBe(run.date)
      }
    }
  })

  it('waits through polar night and midnight sun', () => {
    const night = nextRun({ sun: 'sunrise' }, at('2026-12-10T12:00[Europe/Oslo]'), tromso)!
    expect(night.date > '2027-01-10' && night.date < '2027-01-20').toBe(true)
    const summer = nextRun({ sun: 'sunset' }, at('2027-06-10T12:00[Europe/Oslo]'), tromso)!
    expect(summer.date > '2027-07-20' && summer.date < '2027-08-01').toBe(true)
  })

  it('never occurs without a place, nor on a day that is always in polar night', () => {
    expect(nextRun({ sun: 'sunrise' }, at('2027-06-10T12:00[Europe/Berlin]'), nowhere('Europe/Berlin'))).toBeNull()
    const pole: Where = { zone: 'UTC', place: { latitude: 90, longitude: 0 } }
    const run = nextRun({ sun: 'sunrise' }, at('2027-05-01T12:00[UTC]'), pole)
    expect(run === null || run.at - at('2027-05-01T12:00[UTC]') <= SEARCH_DAYS_MAX * 86_400_000).toBe(true)
  })

  it('respects its weekdays', () => {
    const days: Weekday[] = [6, 7]
    const runs = runsBetween(
      { sun: 'sunset', days },
      at('2027-03-01T00:00[Europe/Berlin]'),
      at('2027-03-29T00:00[Europe/Berlin]'),
      berlin,
      50,
    )
    expect(runs).toHaveLength(8)
  })
})
