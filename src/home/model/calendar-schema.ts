import { z } from 'zod'
import { isRefusedHost } from '../../lib/checked-request.ts'
import { strictObject } from '../../lib/late-object.ts'
import { plainText } from '../../lib/plain-text.ts'
import {
  type Calendar,
  CALENDAR_BYTES_MAX,
  CALENDAR_DATES_MAX,
  CALENDAR_URL_MAX,
  type CalendarDate,
  type CalendarSource,
  EVENT_TITLE_MAX,
} from './calendars.ts'

const YEARLESS_LENGTH = 'MM-DD'.length
/** A year with every date. */
const LEAP_YEAR = 2024

export const dateSchema = z
  .string()
  .regex(/^(?:[0-9]{4}-)?(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/, 'must be a date MM-DD or YYYY-MM-DD')
  .refine((date) => isDate(date.length === YEARLESS_LENGTH ? `${LEAP_YEAR}-${date}` : date), 'must be a date')
  .meta({ description: 'A local date, MM-DD of every year or YYYY-MM-DD.' })

function isDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

interface DateSpan {
  readonly from: string
  readonly until?: string | undefined
}
export const DATES_FORM = 'needs the year in both dates or in none'
export const areOfOneForm = ({ from, until = from }: DateSpan): boolean => from.length === until.length
export const DATES_ORDER = '`until` is before `from`'
export const areInOrder = ({ from, until = from }: DateSpan): boolean =>
  from.length === YEARLESS_LENGTH || from <= until

const dateEntry = strictObject(() => ({
  from: dateSchema,
  until: dateSchema.optional().describe('The last date. Default: the same date.'),
  title: plainText(EVENT_TITLE_MAX).optional().describe('Title of the event.'),
}))
  .refine(areOfOneForm, DATES_FORM)
  .refine(areInOrder, DATES_ORDER)
  .meta({ id: 'CalendarDate', description: 'A local date, or several days.' })

/** The three forms of a calendar's source, of which a body has one. */
export const sourceFields = () => ({
  dates: z.array(dateEntry).min(1).max(CALENDAR_DATES_MAX).optional().describe('Local dates.'),
  file: z.string().max(CALENDAR_BYTES_MAX).optional().describe('The text of an iCalendar file, at most 1 MiB.'),
  url: z
    .string()
    .max(CALENDAR_URL_MAX)
    .refine(isCalendarUrl, 'must be an https address without user name, and not of this machine')
    .optional()
    .describe('The https address of an iCalendar file, read every six hours.'),
})

type SourceFields = z.output<z.ZodObject<ReturnType<typeof sourceFields>>>

export const ONE_SOURCE = 'needs one of `dates`, `file` and `url`'

/** The source of a body; null for none or several. */
export function sourceIn({ dates, file, url }: SourceFields): CalendarSource | null {
  const sources: readonly CalendarSource[] = [
    ...(dates === undefined ? [] : [{ dates: dates.map(dateOf) }]),
    ...(file === undefined ? [] : [{ file }]),
    ...(url === undefined ? [] : [{ url }]),
  ]
  return sources.length === 1 ? (sources[0] ?? null) : null
}

function dateOf({ from, until, title }: z.output<typeof dateEntry>): CalendarDate {
  return { from, ...(until !== undefined && { until }), ...(title !== undefined && { title }) }
}

/** A calendar of a house file, whose schema has checked that it has one source. */
export function calendarOf(section: SourceFields & Pick<Calendar, 'id' | 'name'>): Calendar {
  const { id, name } = section
  return { id, name, ...(sourceIn(section) ?? { dates: [] }) }
}

function isCalendarUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !isRefusedHost(url.hostname)
}
