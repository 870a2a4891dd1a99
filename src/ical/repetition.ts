import ical, { type VEvent } from 'node-ical'
import { offsetAt, timeOf } from './file-times.ts'

const basic = (moment: number): string => new Date(moment).toISOString().replaceAll(/[-:]|\.\d+/gu, '')

/** The event of the library in a file of one event with these lines. */
function eventOf(...lines: readonly string[]): VEvent | null {
  const event = ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']
  const found = ical.sync.parseICS(['BEGIN:VCALENDAR', ...event, 'END:VCALENDAR'].join('\n'))['1']
  return found?.type === 'VEVENT' ? found : null
}

/**
 * The times of a rule of repetition (RRULE without its name) in a span, in epoch ms.
 *
 * @param begin wall clock of the first time, as the epoch ms at which UTC shows the same
 * @param zone IANA name or offset of the wall clock
 * @throws Error for a rule that cannot be read
 */
export function timesOf(rule: string, begin: number, zone: string, from: number, to: number): readonly number[] {
  if (/^[+-]/u.test(zone)) return timesAtOffset(rule, begin, offsetAt(begin, zone), from, to)
  const start = zone === 'UTC' ? `:${basic(begin)}` : `;TZID=${zone}:${basic(begin).slice(0, -1)}`
  const event = eventOf(`DTSTART${start}`, `RRULE:${frequencyFirst(rule)}`)
  if (event?.rrule === undefined) throw new Error('The rule was not understood.')
  return event.rrule.between(new Date(from), new Date(to), true).map((time) => time.getTime())
}

/** The library knows zones by name, but repeats nothing at an offset. */
function timesAtOffset(rule: string, begin: number, offset: number, from: number, to: number): readonly number[] {
  const until = timeOf(untilOf(rule) ?? '', null)
  const shifted = until === null ? rule : withUntil(rule, until.wall + offset)
  return timesOf(shifted, begin, 'UTC', from + offset, to + offset).map((time) => time - offset)
}

/** The library ignores the parts of a rule that stand before its frequency. */
function frequencyFirst(rule: string): string {
  const parts = rule.toUpperCase().split(';')
  return parts.toSorted((a, b) => Number(b.startsWith('FREQ=')) - Number(a.startsWith('FREQ='))).join(';')
}

const UNTIL = /UNTIL=([^;]*)/iu

/** Last time of a rule as it has it, or null. */
export const untilOf = (rule: string): string | null => UNTIL.exec(rule)?.[1] ?? null

/** The rule with a moment as its last time. */
export const withUntil = (rule: string, moment: number): string => rule.replace(UNTIL, `UNTIL=${basic(moment)}`)

/** IANA name for the name of a zone in Windows, such as `W. Europe Standard Time`, or null. */
export function zoneOfWindows(name: string): string | null {
  // The library takes the zone of the machine for these names.
  if (/^(?:tzone:|customized)/iu.test(name)) return null
  return eventOf(`DTSTART;TZID="${name}":20270101T000000`)?.start.tz ?? null
}
