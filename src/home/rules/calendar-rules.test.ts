// @module-tag repeated
import { Temporal } from 'temporal-polyfill'
import { describe, expect } from 'vitest'
import { icalReader } from '../../ical/ical-reader.ts'
import { systemClock } from '../../lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { Emitter } from '../../lib/emitter.ts'
import { HomeCalendars } from '../live/home-calendars.ts'
import type { Calendar, CalendarEvent } from '../model/calendars.ts'
import type { HomeEvent } from '../model/events.ts'
import type { CalendarEvents } from '../ports/calendars.ts'
import { proves } from '#support/gateway/verifies.ts'
import { BERLIN, RulesHome } from '#support/homes/rules-home.ts'
import { LONG } from '#support/long.ts'

/** A calendar whose events a test sets. */
class TestCalendar implements CalendarEvents {
  revision = 0
  changed = 0
  #events: readonly CalendarEvent[] = []
  set(...events: readonly CalendarEvent[]): void {
    this.#events = events
    this.revision += 1
  }
  events(): readonly CalendarEvent[] {
    return this.#events
  }
  changedAt(): number {
    return this.changed
  }
  nameOf(): string {
    return 'Bins'
  }
}

const NOON = Date.parse('2027-05-03T12:00:00+02:00')
const event = (begins: number, title = 'Paper'): CalendarEvent => ({ begins, ends: begins + HOUR_MS, title })
const BINS = { calendar: 'bins', event: 'begins', offset: -60, title: 'paper' } as const

function binsHome() {
  const calendar = new TestCalendar()
  const home = new RulesHome({ at: NOON, calendars: calendar })
  return { calendar, home, id: home.automation({ when: [BINS] }) }
}

describe('an automation by a calendar', () => {
  proves('automations.calendar-times', 'runs once for each event, also over a restart', async () => {
    const { calendar, home, id } = binsHome()
    calendar.set(event(NOON + 2 * HOUR_MS), event(NOON + 3 * HOUR_MS, 'Glass'), event(NOON + DAY_MS))
    home.rules.start()
    expect(home.rules.timed.nextOf('automation', id)).toBe(NOON + HOUR_MS)
    await home.clock.advanceAsync(90 * MINUTE_MS)
    expect(home.control.sent).toHaveLength(1)
    const again = home.restarted(MINUTE_MS)
    again.rules.start()
    await again.clock.advanceAsync(10 * HOUR_MS)
    expect(again.control.sent).toEqual([])
    const late = again.restarted(11 * HOUR_MS + 33 * MINUTE_MS)
    late.rules.start()
    await late.clock.advanceAsync(MINUTE_MS)
    expect(late.control.sent).toHaveLength(1)
  })

  proves('automations.calendar-times', 'tells the title of the event that set it off', async () => {
    const calendar = new TestCalendar()
    const home = new RulesHome({ at: NOON, calendars: calendar })
    const when = [{ calendar: 'bins', event: 'begins', offset: -60 }] as const
    home.automation({ when, then: [{ tell: '{value} at {time}', to: 'everyone' }] })
    calendar.set(event(NOON + 2 * HOUR_MS, 'Paper'), event(NOON + 2 * HOUR_MS + 3 * MINUTE_MS, 'Glass'))
    home.rules.start()
    await home.clock.advanceAsync(2 * HOUR_MS)
    expect(home.messages.map(({ title }) => title)).toEqual(['Paper at 13:00', 'Glass at 13:03'])
  })

  proves('automations.calendar-times', 'a missed event is logged, unless the calendar got it later', async () => {
    const { calendar, home } = binsHome()
    calendar.set(event(NOON + 2 * HOUR_MS))
    home.rules.start()
    await home.clock.advanceAsync(MINUTE_MS)
    const after = home.restarted(5 * HOUR_MS)
    after.rules.start()
    await after.clock.advanceAsync(MINUTE_MS)
    expect(after.log).toMatchObject([{ kind: 'skipped', what: expect.stringContaining('missed a run') as string }])
    calendar.set(event(NOON + 2 * HOUR_MS), event(NOON + 4 * HOUR_MS))
    calendar.changed = after.clock.now()
    const last = after.restarted(HOUR_MS)
    last.rules.start()
    await last.clock.advanceAsync(MINUTE_MS)
    expect([last.log, last.control.sent]).toEqual([[], []])
  })

  proves('automations.calendar-times', 'a changed calendar moves the run, and repeats none', async () => {
    const { calendar, home, id } = binsHome()
    calendar.set(event(NOON + 2 * HOUR_MS))
    home.rules.start()
    calendar.set(event(NOON + 4 * HOUR_MS))
    home.rules.calendarsChanged()
    expect(home.rules.timed.nextOf('automation', id)).toBe(NOON + 3 * HOUR_MS)
    expect(home.rules.timed.upcoming()).toMatchObject([
      { at: NOON + 3 * HOUR_MS, text: '1 h before an event “paper” of the calendar Bins begins' },
    ])
    await home.clock.advanceAsync(2 * HOUR_MS)
    expect(home.control.sent).toEqual([])
    await home.clock.advanceAsync(HOUR_MS)
    expect(home.control.sent).toHaveLength(1)
    calendar.set(event(NOON + 4 * HOUR_MS), event(NOON + 2 * HOUR_MS))
    home.rules.calendarsChanged()
    await home.clock.advanceAsync(HOUR_MS)
    expect(home.control.sent).toHaveLength(1)
  })
})

/** Days of a home; a year in the long run. */
const DAYS = LONG ? 365 : 20
/** Dates of 2027: the public holidays of Berlin and some days off, or days of a fortnight. */
const HOLIDAYS = LONG
  ? [
      '01-01',
      '03-08',
      '03-26',
      '03-29',
      '05-01',
      '05-06',
      '05-17',
      '10-03',
      '11-01',
      '12-24',
      '12-25',
      '12-26',
      '12-31',
    ]
  : ['02', '03', '05', '06', '07', '09', '11', '12', '14', '15', '17', '18', '20'].map((day) => `01-${day}`)

const holidayFile = (): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...HOLIDAYS.flatMap((date) => [
      'BEGIN:VEVENT',
      `UID:${date}`,
      `DTSTART;VALUE=DATE:2027${date.replace('-', '')}`,
      `DTEND;VALUE=DATE:${Temporal.PlainDate.from(`2027-${date}`).add({ days: 1 }).toString().replaceAll('-', '')}`,
      'SUMMARY:Holiday',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n')

proves('automations.calendar-holidays', 'heating skips 13 holidays of a file', async () => {
  const begin = Date.parse('2027-01-01T00:00:00+01:00') - MINUTE_MS
  const file: Calendar = { id: 'holidays', name: 'Holidays', file: holidayFile() }
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const known: CalendarEvents = {
    revision: 0,
    events: (id) => calendars.events(id),
    nameOf: () => null,
    changedAt: () => 0,
  }
  const home = new RulesHome({ at: begin, calendars: known })
  const calendars = new HomeCalendars({
    house: { info: BERLIN, calendars: new Map([[file.id, file]]) },
    store: { load: () => null, text: () => null, save: () => {} },
    reader: icalReader(systemClock),
    download: () => Promise.reject(new Error('no address')),
    ...{ events, clock: home.clock, log: home.lines },
  })
  const prepared = await calendars.prepare(file)
  if (!prepared.ok) throw new Error(prepared.error)
  calendars.take(file.id, prepared.value)
  home.schedule({ at: { time: '06:00' }, if: [{ not: { calendar: 'holidays' } }] })
  home.rules.start()
  await home.clock.advanceAsync(DAYS * DAY_MS + MINUTE_MS)
  const heated = new Set(home.control.sent.map(({ at }) => new Date(at).toISOString().slice(5, 10)))
  const skipped = home.log
    .filter(({ kind }) => kind === 'skipped')
    .map(({ at }) => new Date(at).toISOString().slice(5, 10))
  console.info(
    `heating ran on ${heated.size} of ${DAYS} days and skipped ${skipped.length} holidays: ${skipped.join(', ')}`,
  )
  expect(skipped).toEqual(HOLIDAYS)
  expect(heated.size).toBe(DAYS - 13)
})
