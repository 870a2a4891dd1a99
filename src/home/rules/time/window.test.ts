import { getPosition } from 'suncalc'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts'
import type { WindowCondition } from '../../model/rules.ts'
import type { Where } from './local-time.ts'
import { sunMoment, inWindow } from './occurrence.ts'

const berlin: Where = { zone: 'Europe/Berlin', place: { latitude: 52.52, longitude: 13.405 } }
const tromso: Where = { zone: 'Europe/Oslo', place: { latitude: 69.65, longitude: 18.96 } }

const holds = (window: WindowCondition, local: string, where: Where = berlin): boolean =>
  inWindow(window, Temporal.PlainDateTime.from(local).toZonedDateTime(where.zone).epochMilliseconds, where)

describe('a time window', () => {
  it('includes its start and not its end', () => {
    const window = { after: '08:00', before: '18:00' }
    expect(holds(window, '2027-05-03T07:59:59')).toBe(false)
    expect(holds(window, '2027-05-03T08:00')).toBe(true)
    expect(holds(window, '2027-05-03T17:59:59')).toBe(true)
    expect(holds(window, '2027-05-03T18:00')).toBe(false)
  })

  it('crosses midnight and belongs to the weekday of its start', () => {
    const friday = { after: '22:00', before: '06:00', days: [5] } as const
    expect(holds(friday, '2027-05-07T23:00')).toBe(true)
    expect(holds(friday, '2027-05-08T05:59')).toBe(true)
    expect(holds(friday, '2027-05-07T05:59')).toBe(false)
    expect(holds(friday, '2027-05-08T22:30')).toBe(false)
  })

  it('lasts to the end of the day without an end, and from its start without a start', () => {
    expect(holds({ after: '20:00' }, '2027-05-03T23:59')).toBe(true)
    expect(holds({ after: '20:00' }, '2027-05-04T00:00')).toBe(false)
    expect(holds({ before: '06:00' }, '2027-05-04T00:00')).toBe(true)
    expect(holds({ before: '06:00' }, '2027-05-04T06:00')).toBe(false)
    expect(holds({ days: [1] }, '2027-05-03T12:00')).toBe(true)
    expect(holds({ days: [1] }, '2027-05-04T12:00')).toBe(false)
  })

  it('follows the sun', () => {
    const dark = { after: 'sunset', before: 'sunrise' }
    expect(holds(dark, '2027-06-21T21:00')).toBe(false)
    expect(holds(dark, '2027-06-21T22:00')).toBe(true)
    expect(holds(dark, '2027-06-21T04:00')).toBe(true)
    expect(holds(dark, '2027-06-21T05:00')).toBe(false)
    expect(holds({ after: 'sunset', before: '01:00' }, '2027-06-22T00:30')).toBe(true)
    expect(holds({ after: '06:30', before: 'sunrise' }, '2027-12-21T07:00')).toBe(true)
  })

  it('is empty, not a day long, if the sun sets after its end', () => {
    for (const hour of ['03', '12', '21', '23'])
      expect(holds({ after: 'sunset', before: '21:00' }, `2027-06-21T${hour}:30`)).toBe(false)
    for (const hour of ['03', '07', '12'])
      expect(holds({ after: '06:30', before: 'sunrise' }, `2027-06-21T${hour}:30`)).toBe(false)
  })

  it('is always dark in polar night, and never under the midnight sun', () => {
    const dark = { after: 'sunset', before: 'sunrise' }
    const light = { after: 'sunrise', before: 'sunset' }
    for (const hour of ['00', '06', '12', '18']) {
      expect(holds(dark, `2027-12-21T${hour}:00`, tromso)).toBe(true)
      expect(holds(light, `2027-12-21T${hour}:00`, tromso)).toBe(false)
      expect(holds(dark, `2027-06-21T${hour}:00`, tromso)).toBe(false)
      expect(holds(light, `2027-06-21T${hour}:00`, tromso)).toBe(true)
    }
  })

  it("never holds by the sun if the home's place is unknown", () => {
    expect(
      holds({ after: 'sunset', before: 'sunrise' }, '2027-12-21T00:00', { zone: 'Europe/Berlin', place: null }),
    ).toBe(false)
  })
})

const fairbanks: Where = { zone: 'America/Anchorage', place: { latitude: 64.84, longitude: -147.72 } }
const DAY = { after: 'sunrise', before: 'sunset' }
const NIGHT = { after: 'sunset', before: 'sunrise' }

describe('a time window if the sun sets after midnight', () => {
  it('counts the time from midnight to sunset as day', () => {
    // The sun sets at 00:46 and rises at 02:58.
    for (const [time, isDay] of [
      ['00:10', true],
      ['00:40', true],
      ['00:55', false],
      ['02:50', false],
      ['03:05', true],
      ['23:50', true],
    ] as const) {
      expect([time, holds(DAY, `2027-06-21T${time}`, fairbanks)]).toEqual([time, isDay])
      expect([time, holds(NIGHT, `2027-06-21T${time}`, fairbanks)]).toEqual([time, !isDay])
    }
  })

  it('starts on the weekday of its sunrise or sunset', () => {
    // 21 June 2027 is a Monday: ten past midnight on Tuesday still belongs to it.
    expect(holds({ ...DAY, days: [1] }, '2027-06-22T00:10', fairbanks)).toBe(true)
    expect(holds({ ...DAY, days: [2] }, '2027-06-22T00:10', fairbanks)).toBe(false)
    expect(holds({ ...NIGHT, days: [1] }, '2027-06-22T01:30', fairbanks)).toBe(true)
    expect(holds({ ...NIGHT, days: [2] }, '2027-06-22T01:30', fairbanks)).toBe(false)
  })

  it('ends at the first end after its start', () => {
    expect(holds({ after: '23:00', before: 'sunset' }, '2027-06-22T00:30', fairbanks)).toBe(true)
    expect(holds({ after: '23:00', before: 'sunset' }, '2027-06-22T01:00', fairbanks)).toBe(false)
    expect(holds({ after: '00:20', before: 'sunset' }, '2027-06-22T00:30', fairbanks)).toBe(true)
    expect(holds({ after: '00:20', before: 'sunset' }, '2027-06-22T01:00', fairbanks)).toBe(false)
    expect(holds({ after: 'sunset', before: '02:00' }, '2027-06-22T01:00', fairbanks)).toBe(true)
    expect(holds({ after: 'sunset', before: '00:30' }, '2027-06-22T00:10', fairbanks)).toBe(false)
  })
})

/** Places from 78 degrees north to 55 south, with the zones of their clocks. */
const PLACES: readonly (readonly [zone: string, latitude: number, longitude: number])[] = [
  ['Arctic/Longyearbyen', 78.22, 15.65],
  ['America/Anchorage', 71.29, -156.79],
  ['Europe/Oslo', 69.65, 18.96],
  ['Europe/Moscow', 68.97, 33.08],
  ['Europe/Helsinki', 66.5, 25.73],
  ['Atlantic/Reykjavik', 65.68, -18.1],
  ['America/Anchorage', 64.84, -147.72],
  ['Asia/Yakutsk', 62.03, 129.73],
  ['Europe/Helsinki', 60.17, 24.94],
  ['Europe/Berlin', 52.52, 13.4],
  ['America/New_York', 40.71, -74.01],
  ['Asia/Urumqi', 39.47, 75.99],
  ['Asia/Kolkata', 28.61, 77.21],
  ['Africa/Nairobi', -1.29, 36.82],
  ['Pacific/Kiritimati', 1.87, -157.43],
  ['Australia/Sydney', -33.87, 151.21],
  ['Pacific/Auckland', -45.87, 170.5],
  ['America/Argentina/Ushuaia', -54.8, -68.3],
]
const YEAR_BEGINS = Date.UTC(2027, 0, 1)
const STEP_MS = 10 * MINUTE_MS
/** Altitude of the sun at its rise, in degrees. */
const HORIZON = -0.349

/** Ten-minute steps of a year, from its day `first` on, with a wrong day, a wrong night, or both at once. */
function wrongSteps(
  [zone, latitude, longitude]: (typeof PLACES)[number],
  {
    first,
    everyDays,
    horizon = HORIZON,
  }: { readonly first: number; readonly everyDays: number; readonly horizon?: number },
): readonly string[] {
  const where: Where = { zone, place: { latitude, longitude } }
  const wrong: string[] = []
  for (let day = YEAR_BEGINS + first * DAY_MS; day < YEAR_BEGINS + 365 * DAY_MS; day += everyDays * DAY_MS)
    for (let at = day; at < day + DAY_MS; at += STEP_MS) {
      const isUp = getPosition(new Date(at), latitude, longitude).altitude > horizon
      if (inWindow(DAY, at, where) !== isUp || inWindow(NIGHT, at, where) === isUp)
        wrong.push(`${zone} ${new Date(at).toISOString()}`)
    }
  return wrong
}

describe('day and night at 18 places from 78 degrees north to 55 south', () => {
  it('are never wrong, in ten-minute steps of some days of a year', () => {
    // Two days for each place, half a year apart; together the places see all seasons.
    for (const [index, place] of PLACES.entries())
      expect(wrongSteps(place, { first: index * 10, everyDays: 183 })).toEqual([])
  })

  test('are never wrong, in ten-minute steps of a whole year', { tags: ['long'] }, () => {
    const wrong = PLACES.flatMap((place) => wrongSteps(place, { first: 0, everyDays: 1 }))
    console.info(`day and night of a year at ${PLACES.length} places: wrong ${(wrong.length * STEP_MS) / HOUR_MS} h`)
    expect(wrong).toEqual([])
  })

  test('are wrong for hours if the altitude is off by a degree', () => {
    // The comparison finds a wrong horizon, so that 0 h above means something.
    const wrong = PLACES.flatMap((place) => wrongSteps(place, { first: 80, everyDays: 183, horizon: HORIZON + 1 }))
    expect(wrong.length).toBeGreaterThan(18)
  })

  it('change at the moment of a sunrise or sunset trigger', () => {
    const months = [1, 3, 6, 9, 12].map((month) => new Temporal.PlainDate(2027, month, 5))
    const changes = PLACES.flatMap(([zone, latitude, longitude]) => {
      const where: Where = { zone, place: { latitude, longitude } }
      return months.flatMap((date) =>
        (['sunrise', 'sunset'] as const).flatMap((event) => {
          const at = sunMoment(event, date, where)
          return at === null ? [] : [[event, inWindow(DAY, at, where), inWindow(NIGHT, at, where)]]
        }),
      )
    })
    expect(changes.length).toBeGreaterThan(150)
    expect(changes.filter(([event, isDay]) => isDay !== (event === 'sunrise'))).toEqual([])
    expect(changes.filter(([event, , isNight]) => isNight !== (event === 'sunset'))).toEqual([])
  })
})
