import {
  CALENDAR_EVENTS_MAX,
  CALENDAR_LEFT_OUT_MAX,
  EVENT_TITLE_MAX,
  type LeftOutEvent,
} from '../home/model/calendars.ts'
import { plainTextOf } from '../lib/plain-text.ts'

const EVENT = /^BEGIN:VEVENT\r?$[\s\S]*?^END:VEVENT\r?\n?/gim
const END = /^END:VCALENDAR/im

/** An iCalendar file without the events that cannot be read, and these events. */
interface ReadableEvents {
  readonly text: string
  readonly leftOut: readonly LeftOutEvent[]
}

/**
 * Leaves events out that would make the whole file unreadable, or would repeat too often.
 *
 * @param parse throws for a file that cannot be read
 */
export function readableEvents(text: string, parse: (text: string) => unknown): ReadableEvents {
  const isWhole = isReadable(text, parse)
  const frame = text.replace(EVENT, '')
  const leftOut: LeftOutEvent[] = []
  const rest = text.replace(EVENT, (event) => {
    const reason = reasonAgainst(
      event,
      () =>
        isWhole ||
        isReadable(
          frame.replace(END, () => `${event}END:VCALENDAR`),
          parse,
        ),
    )
    if (reason === null) return event
    if (leftOut.length < CALENDAR_LEFT_OUT_MAX) leftOut.push({ title: titleOf(event), reason })
    return ''
  })
  return { text: rest, leftOut }
}

function isReadable(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

/** Reason to leave an event out, as the end of a sentence about it, or null. */
function reasonAgainst(event: string, isParsed: () => boolean): string | null {
  const rule = /^RRULE.*$/im.exec(unfolded(event))?.[0]
  if (rule !== undefined && isTooFrequent(rule)) return 'it repeats every minute or second'
  if (isParsed()) return null
  return rule === undefined ? 'it cannot be read' : 'its rule of repetition (RRULE) cannot be read'
}

/** True for repetitions by the minute or second, except for a few. */
function isTooFrequent(rule: string): boolean {
  if (!/FREQ=(?:MINUTELY|SECONDLY)/i.test(rule)) return false
  const count = /COUNT=(\d+)/i.exec(rule)?.[1]
  return count === undefined || Number(count) > CALENDAR_EVENTS_MAX
}

function titleOf(event: string): string {
  const title = /^SUMMARY[^:\r\n]*:(.*)$/im.exec(unfolded(event))?.[1] ?? ''
  return plainTextOf(title.replaceAll(/\\([,;\\])/g, '$1').replaceAll(/\\n/gi, ' '), EVENT_TITLE_MAX)
}

/** The text with each long line in one piece (RFC 5545 3.1). */
const unfolded = (text: string): string => text.replaceAll(/\r?\n[ \t]/g, '')
