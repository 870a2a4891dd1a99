// @module-tag repeated
import { Temporal } from 'temporal-polyfill'
import { describe, expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS } from '../../../lib/durations.ts'
import { casesOf, LONG } from '#support/long.ts'
import { type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { type TimeRule, RANDOM_MINUTES_MAX } from '../../model/rules.ts'
import type { Where } from './local-time.ts'
import { runsBetween, seeded, sunMoment } from './occurrence.ts'

const ZONES: readonly (readonly [zone: string, latitude: number, longitude: number])[] = [
  ['Europe/Berlin', 52.5, 13.4],
  ['Europe/London', 51.5, -0.1],
  ['Europe/Lisbon', 38.7, -9.1],
  ['Europe/Athens', 38, 23.7],
  ['Europe/Istanbul', 41, 29],
  ['America/New_York', 40.7, -74],
  ['America/Denver', 39.7, -105],
  ['America/Los_Angeles', 34, -118.2],
  ['America/St_Johns', 47.6, -52.7],
  ['America/Santiago', -33.4, -70.7],
  ['America/Sao_Paulo', -23.5, -46.6],
  ['Africa/Cairo', 30, 31.2],
  ['Africa/Johannesburg', -26.2, 28],
  ['Asia/Tehran', 35.7, 51.4],
  ['Asia/Kolkata', 28.6, 77.2],
  ['Asia/Kathmandu', 27.7, 85.3],
  ['Asia/Tokyo', 35.7, 139.7],
  ['Australia/Sydney', -33.9, 151.2],
  ['Australia/Lord_Howe', -31.5, 159],
  ['Pacific/Auckland', -36.8, 174.8],
]
/** `npm test` takes some of them. */
const ZONES_NOW = casesOf(ZONES, 10)
const RULES: readonly TimeRule[] = [
  { time: '02:30', random: RANDOM_MINUTES_MAX },
  { time: '23:50', random: 30 },
  { sun: 'dusk', offset: -10, random: 30 },
  { sun: 'dawn', random: 1 },
]

/** The dates of 2027 on which the rule runs, each as often as it runs. */
function datesOf(rule: TimeRule, where: Where): readonly string[] {
  const [from, to] = ['2026-12-31', '2028-01-03'].map(
    (date) => Temporal.PlainDate.from(date).toZonedDateTime(where.zone).epochMilliseconds,
  ) as [number, number]
  const { random = 0, ...earliest } = rule
  const plain = new Map(runsBetween(earliest, from - 1, to, where, 400).map(({ date, at }) => [date, at]))
  const runs = runsBetween(seeded(rule, 'home', 'schedule:a'), from, to, where, 400)
  return runs.flatMap(({ date, at }) => {
    if (!date.startsWith('2027')) return []
    const late = at - (plain.get(date) ?? 0)
    expect([date, late >= 0, late <= random * 60_000]).toEqual([date, true, true])
    return [date]
  })
}

describe('random minutes', () => {
  proves('automations.random', 'of 20 zones come once on each date of a year, within their bounds', () => {
    const found = { zones: ZONES_NOW.length, runs: 0, missing: 0, twice: 0 }
    for (const [zone, latitude, longitude] of ZONES_NOW)
      for (const rule of RULES) {
        const dates = datesOf(rule, { zone, place: { latitude, longitude } })
        const distinct = new Set(dates).size
        found.runs += dates.length
        found.missing += 365 - distinct
        found.twice += dates.length - distinct
      }
    console.info(`Random times: ${JSON.stringify(found)}`)
    expect(found).toEqual({ zones: LONG ? 20 : 2, runs: ZONES_NOW.length * 365 * RULES.length, missing: 0, twice: 0 })
  })

  proves('automations.random', 'light a home at ten or more different minutes of fourteen evenings', () => {
    const from = Date.UTC(2027, 6, 5)
    const where: Where = { zone: 'Europe/Berlin', place: { latitude: 52.5, longitude: 13.4 } }
    const evenings = (): readonly number[] =>
      runsBetween(seeded({ sun: 'dusk', random: 60 }, 'home', 'schedule:v'), from, from + 14 * DAY_MS, where, 20).map(
        ({ at }) => at,
      )
    const minutes = new Set(evenings().map((at) => Math.floor(at / 60_000) % 1_440))
    console.info(`Vacation lights: ${evenings().length} evenings, ${minutes.size} different minutes`)
    expect(evenings()).toHaveLength(14)
    expect(minutes.size).toBeGreaterThanOrEqual(10)
  })

  proves('automations.random', 'differ between dates, rules and homes', () => {
    const where: Where = { zone: 'UTC', place: null }
    const minutesOf = (home: string, owner: string): readonly number[] =>
      runsBetween(seeded({ time: '18:00', random: 60 }, home, owner), 0, 14 * 86_400_000, where, 14).map(({ at }) =>
        Math.floor((at % 86_400_000) / 60_000),
      )
    const mine = minutesOf('home', 'schedule:a')
    expect(new Set(mine).size).toBeGreaterThanOrEqual(10)
    expect(minutesOf('home', 'schedule:a')).toEqual(mine)
    expect(minutesOf('home', 'schedule:b')).not.toEqual(mine)
    expect(minutesOf('other', 'schedule:a')).not.toEqual(mine)
  })

  proves('automations.random', 'stay the same over a restart', async () => {
    let home: RulesHome = startedRules()
    const id = home.schedule({ at: { sun: 'dusk', random: 90 } })
    const moments = home.rules.trials.momentsOf('schedule', id)
    home = home.restarted(1_000)
    home.rules.start()
    expect(home.rules.trials.momentsOf('schedule', id)).toEqual(moments)
    await home.pass(moments[0]! - home.clock.now() - 1)
    expect(home.devices).toEqual([])
    await home.pass(1)
    expect(home.devices).toEqual(['lamp'])
  })
})

describe('dawn and dusk', () => {
  proves('automations.twilight', 'are the begin and the end of civil twilight', () => {
    const where: Where = { zone: 'Europe/Berlin', place: { latitude: 52.52, longitude: 13.405 } }
    const date = Temporal.PlainDate.from('2027-03-20')
    // By the almanac, on the minute.
    for (const [event, local] of [
      ['dawn', '05:36'],
      ['dusk', '18:53'],
    ] as const) {
      const almanac = date.toZonedDateTime({ timeZone: 'Europe/Berlin', plainTime: local }).epochMilliseconds
      expect(Math.abs((sunMoment(event, date, where) ?? 0) - almanac)).toBeLessThan(2 * 60_000)
    }
    const [dawn = 0, sunrise = 0, sunset = 0, dusk = 0] = (['dawn', 'sunrise', 'sunset', 'dusk'] as const).map(
      (event) => sunMoment(event, date, where) ?? 0,
    )
    expect([dawn < sunrise, sunset < dusk]).toEqual([true, true])
  })
})
