import type { Result } from '../../lib/result.ts'
import type { CalendarEvent, LeftOutEvent } from '../model/calendars.ts'

/** Events of a file. */
export interface CalendarContent {
  readonly events: readonly CalendarEvent[]
  readonly leftOut: readonly LeftOutEvent[]
}

/** Known events of a calendar. Times are epoch ms. */
export interface CalendarReading extends CalendarContent {
  /** Time zone of local dates and times among them. */
  readonly zone: string
  /** Last good reading of its source. */
  readonly readAt: number
  /** Time around which the events lie. */
  readonly expandedAt: number
  /** Last reading with other events than before. */
  readonly changedAt: number
}

/** Stores the readings of calendars, outside of changes of the home. */
export interface CalendarReadingStore {
  load(calendar: string): CalendarReading | null
  /** The last good answer of an address. */
  text(calendar: string): string | null
  /** @param text the answer of an address; null for other calendars */
  save(calendar: string, reading: CalendarReading, text: string | null): void
}

/** Events to find in an iCalendar file, from one moment to another, in a time zone. */
export interface CalendarTask {
  readonly text: string
  readonly zone: string
  readonly from: number
  readonly to: number
}

/** Finds events without blocking anything else. The error is a sentence without the content. */
export type CalendarReader = (task: CalendarTask) => Promise<Result<CalendarContent, string>>

/** Reads the text at an https address. The error is the end of a sentence without the address. */
export type CalendarDownload = (url: string) => Promise<Result<string, string>>

/** Events of calendars, for rules. */
export interface CalendarEvents {
  /** Differs after every change of events. */
  readonly revision: number
  /** Sorted by begin; null while they are unknown. */
  events(calendar: string): readonly CalendarEvent[] | null
  /** Name for people; null if there is no such calendar. */
  nameOf(calendar: string): string | null
  /** Epoch ms of the last change of its events: earlier ones count as never missed. */
  changedAt(calendar: string): number
}
