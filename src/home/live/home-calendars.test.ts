import { describe, expect, it } from 'vitest'
import { fail, ok, type Result } from '../../lib/result.ts'
import { Emitter } from '../../lib/emitter.ts'
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts'
import type { HomeEvent } from '../model/events.ts'
import type { Calendar } from '../model/calendars.ts'
import type { CalendarReading } from '../ports/calendars.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { homeInfo } from '#support/homes/house-content.ts'
import { recordingLog } from '#support/recording-log.ts'
import { HomeCalendars } from './home-calendars.ts'

const NOON = Date.parse('2027-03-03T12:00:00+01:00')
const BINS: Calendar = { id: 'bins', name: 'Bins', dates: [{ from: '2027-03-10', title: 'Paper' }] }
const FAR: Calendar = { id: 'far', name: 'Far', url: 'https://example.org/a.ics' }
const stored = (title: string): CalendarReading => ({
  events: [{ begins: NOON, ends: NOON + HOUR_MS, title }],
  leftOut: [],
  zone: 'Europe/Berlin',
  readAt: NOON - DAY_MS,
  expandedAt: NOON - DAY_MS,
  changedAt: NOON - DAY_MS,
})

function world(calendars: readonly Calendar[], reading: CalendarReading | null = null) {
  const clock = new ManualClock(NOON)
  const readings = new Map(reading === null ? [] : [['far', { reading, text: 'stored' }]])
  const served: { answer: Promise<Result<string, string>>; reads: number } = {
    answer: Promise.resolve(ok('good')),
    reads: 0,
  }
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const house = {
    info: homeInfo({ timeZone: 'Europe/Berlin' }),
    calendars: new Map(calendars.map((calendar) => [calendar.id, calendar])),
  }
  const home = new HomeCalendars({
    ...{ house, events, clock, log: recordingLog() },
    store: {
      load: (id) => readings.get(id)?.reading ?? null,
      text: (id) => readings.get(id)?.text ?? null,
      save: (id, saved, text) => void readings.set(id, { reading: saved, text: text ?? '' }),
    },
    reader: ({ text }) =>
      Promise.resolve(
        text.startsWith('bad')
          ? fail('It is no iCalendar file.')
          : ok({ events: [{ begins: NOON, ends: NOON + HOUR_MS, title: text }], leftOut: [] }),
      ),
    download: () => {
      served.reads += 1
      return served.answer
    },
  })
  const structure = (): void => events.emit({ kind: 'structure', cause: { source: 'person', name: 'Anna' }, at: 0 })
  return {
    clock,
    readings,
    served,
    home,
    house,
    structure,
    titles: () => home.events('far')?.map(({ title }) => title),
  }
}

describe('a calendar at an address', () => {
  proves('automations.calendar-address', 'is read every six hours, and its last good copy stays', async () => {
    const { clock, readings, served, home, titles } = world([FAR])
    expect(titles()).toBeUndefined()
    home.start()
    await clock.advanceAsync(0)
    expect(titles()).toEqual(['good'])
    served.answer = Promise.resolve(ok('better'))
    await clock.advanceAsync(5 * HOUR_MS)
    expect(served.reads).toBe(1)
    await clock.advanceAsync(HOUR_MS + HOUR_MS / 2)
    expect(titles()).toEqual(['better'])
    for (const answer of [fail('it answered 503'), ok('bad')]) {
      served.answer = Promise.resolve(answer)
      await clock.advanceAsync(7 * HOUR_MS)
      expect(titles()).toEqual(['better'])
      expect(home.statusOf('far').problem).toMatch(/^The address could not be read: it answered 503\.$|iCalendar/)
    }
    expect(readings.get('far')?.text).toBe('better')
    served.answer = Promise.resolve(ok('new'))
    await clock.advanceAsync(HOUR_MS)
    expect([titles(), home.statusOf('far').problem]).toEqual([['new'], null])
  })

  it('has its stored events at once after a start, and while the server hangs', async () => {
    const { clock, home, served, titles } = world([FAR, BINS], stored('stored'))
    expect(titles()).toEqual(['stored'])
    expect(home.events('bins')).toHaveLength(1)
    served.answer = new Promise(() => {})
    home.start()
    await clock.advanceAsync(2 * DAY_MS)
    expect([titles(), served.reads]).toEqual([['stored'], 1])
  })

  it('gets its events in a new time zone from its copy, also without an answer', async () => {
    const { clock, home, house, served, structure, titles } = world([FAR], stored('old zone'))
    served.answer = Promise.resolve(fail('it answered 503'))
    home.start()
    await clock.advanceAsync(0)
    house.info = homeInfo({ timeZone: 'America/New_York' })
    structure()
    await clock.advanceAsync(HOUR_MS)
    expect(titles()).toEqual(['stored'])
  })

  it('loses its events with its address, and keeps them under another name', async () => {
    const { clock, home, house, served, structure, titles } = world([FAR], stored('stored'))
    let changes = 0
    home.onChange(() => (changes += 1))
    house.calendars.set('far', { ...FAR, name: 'Other' })
    structure()
    expect([titles(), changes]).toEqual([['stored'], 0])
    served.answer = Promise.resolve(ok('other'))
    house.calendars.set('far', { ...FAR, url: 'https://example.org/b.ics' })
    structure()
    expect([titles(), changes]).toEqual([undefined, 1])
    home.start()
    await clock.advanceAsync(0)
    expect([titles(), changes]).toEqual([['other'], 2])
    house.calendars.clear()
    structure()
    expect([home.events('far'), clock.waiting]).toEqual([null, 0])
  })
})

describe('a list of dates', () => {
  it('moves on with the days', async () => {
    const { clock, home } = world([{ id: 'off', name: 'Off', dates: [{ from: '12-24', until: '01-02' }] }])
    home.start()
    const begins = (): number | undefined => home.events('off')?.at(-1)?.begins
    expect(begins()).toBe(Date.parse('2027-12-24T00:00:00+01:00'))
    await clock.advanceAsync(330 * DAY_MS)
    expect(begins()).toBe(Date.parse('2028-12-24T00:00:00+01:00'))
  })
})
