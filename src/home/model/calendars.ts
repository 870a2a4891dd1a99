/** Most calendars of one home. */
export const CALENDARS_MAX = 20
/** Largest file of a calendar, and largest answer of an address. */
export const CALENDAR_BYTES_MAX = 1_048_576
/** Files of all calendars together, so that a house file holds them. */
export const CALENDAR_FILES_BYTES_MAX = 2 * CALENDAR_BYTES_MAX
/** Most events of one calendar between its horizons; later ones are left out until they come closer. */
export const CALENDAR_EVENTS_MAX = 5_000
/** Most dates of a calendar that is a list. */
export const CALENDAR_DATES_MAX = 400
/** Most events that the status of a calendar lists as left out. */
export const CALENDAR_LEFT_OUT_MAX = 100
export const CALENDAR_URL_MAX = 1_000
/** Longest title of an event; the rest is cut off. */
export const EVENT_TITLE_MAX = 200
/** Days before and after today whose events are known. */
export const CALENDAR_DAYS = { before: 32, after: 400 } as const
/** Minutes by which a trigger may be before (negative) or after an event: a week. */
export const CALENDAR_OFFSET_MINUTES_MAX = 10_080

/** Local dates, both ends included: `MM-DD` of every year, or `YYYY-MM-DD`. */
export interface CalendarDate {
  readonly from: string
  /** Missing: the same date. */
  readonly until?: string
  readonly title?: string
}

/** Dates of a list, the text of an iCalendar file, or the https address of one. */
export type CalendarSource =
  | { readonly dates: readonly CalendarDate[] }
  | { readonly file: string }
  | { readonly url: string }

/** A calendar of the home. */
export type Calendar = { readonly id: string; readonly name: string } & CalendarSource

/** One event, or one time of a repeated one. Epoch ms; it does not include its end. */
export interface CalendarEvent {
  readonly begins: number
  readonly ends: number
  readonly title: string
  /** For an event of whole days: its first local date, and the one after its last. */
  readonly dates?: { readonly begins: string; readonly ends: string }
}

/** An event of a file that cannot be used. */
export interface LeftOutEvent {
  readonly title: string
  /** Reason as the end of a sentence about the event. */
  readonly reason: string
}

export const CALENDAR_EDGES = ['begins', 'ends'] as const
export type CalendarEdge = (typeof CALENDAR_EDGES)[number]

/** True if the title has the wanted text, in any case; every event fits without one. */
export function hasTitle({ title }: Pick<CalendarEvent, 'title'>, wanted: string | undefined): boolean {
  return wanted === undefined || title.toLowerCase().includes(wanted.toLowerCase())
}

/** The source of a calendar alone. */
export function sourceOf(calendar: Calendar): CalendarSource {
  if ('dates' in calendar) return { dates: calendar.dates }
  return 'file' in calendar ? { file: calendar.file } : { url: calendar.url }
}

/** Reason why the calendars do not fit into a home, as a sentence, or null. */
export function calendarsProblem(calendars: readonly Calendar[]): string | null {
  if (calendars.length > CALENDARS_MAX) return `A home has at most ${CALENDARS_MAX} calendars.`
  const bytes = calendars.reduce((sum, its) => sum + ('file' in its ? Buffer.byteLength(its.file) : 0), 0)
  return bytes > CALENDAR_FILES_BYTES_MAX
    ? `The files of all calendars may have ${CALENDAR_FILES_BYTES_MAX / 1_048_576} MiB together.`
    : null
}

/** An event of a calendar begins or ends, or will do so or did so `offset` minutes away. */
export interface CalendarTrigger {
  readonly calendar: string
  readonly event: CalendarEdge
  /** Minutes after the moment, negative before it; 0 if missing. */
  readonly offset?: number
  /** Text in the title of the event; missing: any event. */
  readonly title?: string
}

/** An event of a calendar is on, with this text in its title if given. */
export interface CalendarCondition {
  readonly calendar: string
  readonly title?: string
}
