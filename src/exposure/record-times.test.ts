// @module-tag repeated
import { Temporal } from 'temporal-polyfill'
import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { times as few } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'
import { DEFAULT_KNOBS } from './knobs.ts'
import { hoursProblem, opensMoreHours, sortedHours, type WeeklyWindow } from './hours.ts'
import type { Integration } from './integration.ts'
import { RecordTimes } from './record-times.ts'

const MINUTE = 60_000
const GUEST: readonly WeeklyWindow[] = [{ from: 'fri 16:00', until: 'sun 20:00' }]

const record = (more: Partial<Integration>): Integration => ({
  ...{ id: 'guest', name: 'Guest', enabled: true, exposure: { expose: 'All' }, knobs: DEFAULT_KNOBS, createdAt: 0 },
  ...more,
})

const local = (text: string, zone = 'Europe/Berlin'): number =>
  Temporal.ZonedDateTime.from(`${text}[${zone}]`).epochMilliseconds

/** Times of one record by a clock. */
function timesAt(start: number, zone = 'Europe/Berlin') {
  const clock = new ManualClock(start)
  return { clock, times: new RecordTimes({ now: () => clock.now(), zone: () => zone }) }
}

proves(
  'administration.hours-exact',
  'a guest from Friday 16:00 to Sunday 20:00 gets the exact seconds to the next opening, over both clock changes',
  () => {
    const step = few(7, 1) * MINUTE
    for (const [first, last] of [
      ['2027-03-22T00:00', '2027-04-05T00:00'],
      ['2027-10-25T00:00', '2027-11-08T00:00'],
    ] as const) {
      const [begin, end] = [local(first), local(last)]
      const { clock, times } = timesAt(begin)
      const guest = record({ hours: GUEST })
      for (; clock.now() < end; clock.advance(step)) {
        const now = Temporal.Instant.fromEpochMilliseconds(clock.now()).toZonedDateTimeISO('Europe/Berlin')
        const { dayOfWeek: day, hour } = now
        const isOpen = (day === 5 && hour >= 16) || day === 6 || (day === 7 && hour < 20)
        const friday = now.toPlainDate().add({ days: (12 - day) % 7 })
        const opens = friday.toZonedDateTime({ timeZone: 'Europe/Berlin', plainTime: '16:00' }).epochMilliseconds
        const retryAfter = (opens - clock.now()) / 1_000
        const closed = { closed: 'outside_hours', opensAt: opens, retryAfter }
        expect(times.closedNow(guest), now.toString()).toEqual(isOpen ? null : closed)
      }
    }
  },
)

proves('administration.hours-exact', 'seconds are whole and never too few, and an end comes before the hours', () => {
  const { clock, times } = timesAt(local('2027-06-04T15:59:59') + 1)
  const until = local('2027-06-05T12:00')
  const guest = record({ hours: GUEST, until })
  expect(times.closedNow(guest)).toMatchObject({ retryAfter: 1 })
  clock.advance(998)
  expect(times.closedNow(guest)).toMatchObject({ retryAfter: 1 })
  clock.advance(1)
  expect(times.closedNow(guest)).toBeNull()
  clock.advance(until - clock.now() - 1)
  expect(times.closedNow(guest)).toBeNull()
  clock.advance(1)
  expect(times.closedNow(guest)).toEqual({ closed: 'ended' })
  const late = timesAt(local('2027-06-01T12:00'))
  const short = record({ hours: GUEST, until: local('2027-06-04T16:00') })
  expect(late.times.closedNow(short)).toEqual({ closed: 'outside_hours', opensAt: null, retryAfter: null })
})

proves('administration.hours-exact', 'skipped times are after the gap, times that occur twice the first ones', () => {
  const hours = [{ from: 'sun 02:30', until: 'sun 02:45' }]
  const spring = timesAt(local('2027-03-28T01:00'))
  expect(spring.times.closedNow(record({ hours }))).toMatchObject({ opensAt: local('2027-04-04T02:30') })
  const wide = record({ hours: [{ from: 'sun 02:30', until: 'sun 03:30' }] })
  expect(spring.times.closedNow(wide)).toMatchObject({ opensAt: local('2027-03-28T03:00') })
  const autumn = timesAt(local('2027-10-31T01:00'))
  expect(autumn.times.closedNow(record({ hours }))).toMatchObject({ opensAt: local('2027-10-31T02:30+02:00') })
  autumn.clock.advance(105 * MINUTE)
  expect(autumn.times.closedNow(record({ hours }))).toMatchObject({ opensAt: local('2027-11-07T02:30') })
})

proves('administration.hours-exact', 'another zone of the home counts at once, and so does a clock set back', () => {
  const clock = new ManualClock(local('2027-06-04T16:30'))
  let zone = 'Europe/Berlin'
  const times = new RecordTimes({ now: () => clock.now(), zone: () => zone })
  const guest = record({ hours: GUEST })
  expect(times.closedNow(guest)).toBeNull()
  zone = 'Europe/London'
  expect(times.closedNow(guest)).toMatchObject({ retryAfter: 1_800 })
  zone = 'Europe/Berlin'
  expect(times.closedNow(guest)).toBeNull()
  clock.jumpWall(-60 * MINUTE)
  expect(times.closedNow(guest)).toMatchObject({ retryAfter: 1_800 })
})

proves('administration.hours-changes', 'windows may touch and pass the end of the week, and not overlap', () => {
  expect(hoursProblem([])).toBeNull()
  const sunday = { from: 'sun 22:00', until: 'mon 06:00' }
  expect(
    hoursProblem([sunday, { from: 'mon 06:00', until: 'mon 07:00' }, { from: 'sun 21:00', until: 'sun 22:00' }]),
  ).toBeNull()
  expect(hoursProblem([sunday, { from: 'mon 05:59', until: 'mon 07:00' }])).toBe(
    'hours: sun 22:00–mon 06:00 and mon 05:59–07:00 overlap.',
  )
  expect(hoursProblem([sunday, sunday])).toContain('overlap')
  expect(hoursProblem([{ from: 'fri 16:00', until: 'fri 16:00' }])).toContain('has no length')
  expect(sortedHours([sunday, { from: 'mon 06:00', until: 'mon 07:00' }]).map(({ from }) => from)).toEqual([
    'mon 06:00',
    'sun 22:00',
  ])
  expect(opensMoreHours(GUEST, [])).toBe(false)
  expect(opensMoreHours([], GUEST)).toBe(true)
  expect(opensMoreHours([{ from: 'sat 00:00', until: 'sun 00:00' }], GUEST)).toBe(false)
  expect(opensMoreHours([{ from: 'sat 00:00', until: 'sun 20:01' }], GUEST)).toBe(true)
})
