import * as fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/durations.ts'
import type { CalendarEvent } from '../../model/calendars.ts'
import { eventsOfDates, inCalendar, lastEvent, nextEvent, placed, type UnplacedEvent } from './calendar-dates.ts'
import type { Where } from './local-time.ts'
import { slotOf } from './occurrence.ts'

const zone = 'Europe/Berlin'
const at = (text: string): number => Temporal.ZonedDateTime.from(`${text}[${zone}]`).epochMilliseconds
const span = { zone, from: at('2027-01-01T00:00'), to: at('2028-02-01T00:00') }

function where(events: readonly CalendarEvent[]): Where {
  const calendars = { revision: 1, events: () => events, nameOf: () => 'Bins', changedAt: () => 0 }
  return { zone, place: null, calendars }
}
const placedAt = (...events: readonly UnplacedEvent[]): Where => where(placed(events, span))
const day = (begins: string, ends: string, title = ''): UnplacedEvent => ({ begins, ends, title })

describe('a list of dates', () => {
  it('has whole local days, also over New Year and daylight saving', () => {
    const dates = [{ from: '2027-03-28', title: 'Paper' }, { from: '12-24', until: '01-02' }, { from: '02-29' }]
    const events = placed(eventsOfDates(dates, span), span)
    expect(events).toEqual([
      {
        ...{ begins: at('2026-12-24T00:00'), ends: at('2027-01-03T00:00'), title: '' },
        dates: { begins: '2026-12-24', ends: '2027-01-03' },
      },
      {
        ...{ begins: at('2027-03-28T00:00'), ends: at('2027-03-29T00:00'), title: 'Paper' },
        dates: { begins: '2027-03-28', ends: '2027-03-29' },
      },
      expect.objectContaining({ begins: at('2027-12-24T00:00'), ends: at('2028-01-03T00:00') }),
    ])
    expect(events[1]!.ends - events[1]!.begins).toBe(23 * HOUR_MS)
  })
})

describe('the moments of a trigger', () => {
  const bins = { calendar: 'bins', event: 'begins', offset: -720, title: 'PAP' } as const

  it('are so many minutes away from the events with the title', () => {
    const home = placedAt(
      { begins: at('2027-05-03T07:00'), ends: at('2027-05-03T07:30'), title: 'Paper' },
      { begins: at('2027-05-04T07:00'), ends: at('2027-05-04T07:30'), title: 'Glass' },
    )
    const first = { date: new Date(at('2027-05-03T07:00')).toISOString(), at: at('2027-05-02T19:00') }
    expect(nextEvent(bins, span.from, home)).toEqual(first)
    expect(nextEvent(bins, first.at, home)).toBeNull()
    expect(lastEvent(bins, first.at, home)).toEqual(first)
    expect(lastEvent(bins, first.at - 1, home)).toBeNull()
    const ends = { calendar: 'bins', event: 'ends' } as const
    expect(nextEvent(ends, first.at, home)?.at).toBe(at('2027-05-03T07:30'))
    expect(slotOf(bins)).toBe('begins-720 bins PAP')
  })

  it('of whole days are local times, also on days with a change of the clocks', () => {
    const home = placedAt(day('2027-03-28', '2027-03-29'), day('2027-10-31', '2027-11-01'))
    for (const [date, evening] of [
      ['2027-03-28', '2027-03-27T12:00'],
      ['2027-10-31', '2027-10-30T12:00'],
    ] as const) {
      const morning = { calendar: 'bins', event: 'begins', offset: 420 } as const
      expect(nextEvent(morning, at(evening), home)).toEqual({ date, at: at(`${date}T07:00`) })
      expect(nextEvent({ calendar: 'bins', event: 'begins', offset: -720 }, at(evening) - 1, home)?.at).toBe(
        at(evening),
      )
    }
    expect(nextEvent({ calendar: 'bins', event: 'ends', offset: -60 }, at('2027-10-31T12:00'), home)).toEqual({
      date: '2027-11-01',
      at: at('2027-10-31T23:00'),
    })
  })

  it('are found one after the other, forwards and backwards', () => {
    const event = fc.record({ hour: fc.integer({ min: 0, max: 8_000 }), isWhole: fc.boolean() })
    const offset = fc.integer({ min: -10_080, max: 10_080 })
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 12 }),
        offset,
        fc.constantFrom('begins', 'ends'),
        (list, minutes, edge) => {
          const events = list.map(({ hour, isWhole }): UnplacedEvent => {
            const begins = span.from + hour * HOUR_MS
            const date = Temporal.Instant.fromEpochMilliseconds(begins).toZonedDateTimeISO(zone).toPlainDate()
            return isWhole
              ? day(date.toString(), date.add({ days: 1 }).toString())
              : { begins, ends: begins + 30 * MINUTE_MS, title: '' }
          })
          const home = placedAt(...events)
          const trigger = { calendar: 'bins', event: edge, offset: minutes }
          const forwards: number[] = []
          for (let run = nextEvent(trigger, 0, home); run !== null; run = nextEvent(trigger, run.at, home))
            forwards.push(run.at)
          const backwards: number[] = []
          for (let run = lastEvent(trigger, Infinity, home); run !== null; run = lastEvent(trigger, run.at - 1, home))
            backwards.unshift(run.at)
          expect(forwards).toEqual(backwards)
          expect(forwards.length).toBeLessThanOrEqual(events.length)
          expect(forwards.length > 0).toBe(home.calendars!.events('bins')!.length > 0)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('the condition', () => {
  it('holds while an event with the title is on, and is unknown without a reading', () => {
    const home = placedAt(day('2027-05-03', '2027-05-04', 'School closed'))
    const condition = { calendar: 'days-off', title: 'school' }
    const noon = at('2027-05-03T12:00')
    expect(inCalendar(condition, noon, home)).toBe(true)
    expect(inCalendar({ ...condition, title: 'work' }, noon, home)).toBe(false)
    expect(inCalendar(condition, noon + DAY_MS, home)).toBe(false)
    expect(inCalendar(condition, at('2027-05-03T00:00'), home)).toBe(true)
    expect(inCalendar(condition, at('2027-05-04T00:00'), home)).toBe(false)
    const unread = { revision: 1, events: () => null, nameOf: () => null, changedAt: () => 0 }
    expect(inCalendar(condition, noon, { zone, place: null, calendars: unread })).toBeNull()
  })
})
