import type { CalendarEvent } from '../../home/model/calendars.ts'
import type { CalendarEvents } from '../../home/ports/calendars.ts'
import type { Clock } from '../../lib/clock.ts'
import type { calendars as contract } from '../contract/calendars.ts'
import type { HandlersOf } from '../handler.ts'

export interface CalendarParts {
  readonly calendars: Pick<CalendarEvents, 'events'>
  readonly clock: Pick<Clock, 'now'>
}

/** Most events that an answer lists of one calendar. */
const EVENTS_SHOWN = 10

export function calendarHandlers(parts: CalendarParts): HandlersOf<typeof contract> {
  return {
    'calendars.list': ({ view }) => ({
      calendars: view.calendars.map(({ id, name }) => ({ id, name, events: nextEvents(id, parts) })),
    }),
  }
}

/** The next events of a calendar, those that are on included. */
export function nextEvents(id: string, { calendars, clock }: CalendarParts) {
  const now = clock.now()
  const coming = (calendars.events(id) ?? []).filter(({ ends }) => ends > now).slice(0, EVENTS_SHOWN)
  return coming.map(({ title, begins, ends, dates }: CalendarEvent) => ({
    ...{ title, begins, ends },
    wholeDays: dates !== undefined,
  }))
}
