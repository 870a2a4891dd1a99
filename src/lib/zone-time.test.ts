import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addDays, addMonths, CLOCK_SPANS_MAX, daysBetween, monthOf, ZoneTime } from './zone-time.ts'

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'UTC',
]
const calendars = new Map(ZONES.map((zone) => [zone, new ZoneTime(zone)]))

test('converts any moment as the calendar does', () => {
  const moment = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2035, 0, 1) })
  fc.assert(
    fc.property(fc.constantFrom(...calendars.keys()), moment, (zone, at) => {
      const want = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
      const got = calendars.get(zone)?.at(at)
      const day = want.year * 10_000 + want.month * 100 + want.day
      expect(got).toEqual({ day, weekday: want.dayOfWeek, minute: want.hour * 60 + want.minute })
      expect(calendars.get(zone)?.startOfDay(day)).toBe(want.startOfDay().epochMilliseconds)
    }),
    { numRuns: 300 },
  )
})

test('is right on both sides of every clock change', () => {
  const berlin = new ZoneTime('Europe/Berlin')
  const spring = Date.UTC(2027, 2, 28, 1)
  expect([spring - 1, spring].map((at) => berlin.at(at).minute)).toEqual([119, 180])
  const autumn = Date.UTC(2027, 9, 31, 1)
  expect([autumn - 1, autumn].map((at) => berlin.at(at).minute)).toEqual([179, 120])
  expect(berlin.startOfDay(20271101) - berlin.startOfDay(20271031)).toBe(25 * 3_600_000)
  expect(berlin.startOfDay(20270329) - berlin.startOfDay(20270328)).toBe(23 * 3_600_000)
})

test('looks up each span between two clock changes once, and caches no more than a history needs', () => {
  const lookedUp = vi.spyOn(Temporal.Instant, 'fromEpochMilliseconds')
  onTestFinished(() => lookedUp.mockRestore())
  const berlin = new ZoneTime('Europe/Berlin')
  const winters = Array.from({ length: CLOCK_SPANS_MAX + 1 }, (_, n) => Date.UTC(2000 + n, 0, 1))
  for (const winter of winters.slice(0, -1)) berlin.at(winter)
  for (const winter of winters) berlin.at(winter)
  expect(lookedUp).toHaveBeenCalledTimes(winters.length)
  berlin.at(Date.UTC(2000, 0, 1))
  expect(lookedUp).toHaveBeenCalledTimes(winters.length + 1)
})

test('counts days and months across years', () => {
  expect(addDays(20271231, 1)).toBe(20280101)
  expect(addDays(20280301, -1)).toBe(20280229)
  expect(addMonths(202712, 1)).toBe(202801)
  expect(addMonths(202801, -13)).toBe(202612)
  expect(monthOf(20280229)).toBe(202802)
  expect(daysBetween(20280228, 20280301)).toBe(2)
})

test('refuses a zone that does not exist', () => {
  expect(() => new ZoneTime('Europe/Atlantis')).toThrow(RangeError)
})
