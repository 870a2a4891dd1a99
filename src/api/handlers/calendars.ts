import type { CalendarEvent } from '../../home/model/calendars.ts'
import type { CalendarEvents } from '../../home/ports/calendars.ts'
import type { Clock } from '../../lib/clock.ts'
import type { calendars as contract } from '../contract/calendars.ts'
import type { HandlersOf } from '../handler.ts'

export interface CalendarParts {
  readonly calendars: Pick<CalendarEvents, 'events'>
  readonly clock: Pick<Clock, 'now'>
}

/** Most events that an answer lists of one calendar, without and with a range. */
const EVENTS_SHOWN = { next: 10, ofRange: 200 } as const

/** Epoch ms, `to` exclusive. */
interface EventRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export function calendarHandlers(parts: CalendarParts): HandlersOf<typeof contract> {
  return {
    'calendars.list': ({ view, query }) => ({
      calendars: view.calendars.map(({ id, name }) => ({ id, name, events: eventsOf(id, query, parts) })),
    }),
  }
}

/** The events of a calendar in a range; without one the next events, those that are on included. */
export function eventsOf(id: string, range: EventRange, { calendars, clock }: CalendarParts) {
  const { from = clock.now(), to = Infinity } = range
  const max = range.from === undefined && range.to === undefined ? EVENTS_SHOWN.next : EVENTS_SHOWN.ofRange
  const fitting = (calendars.events(id) ?? []).filter(({ begins, ends }) => ends > from && begins < to)
  return fitting.slice(0, max).map(({ title, begins, ends, dates }: CalendarEvent) => ({
    ...{ title, begins, ends },
    wholeDays: dates !== undefined,
  }))
}
