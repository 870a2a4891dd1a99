import type { WeeklyWindow } from '../../exposure/hours.ts'
import { CliError } from '../shell/terminal.ts'

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const TYPED = /^([a-z]{3}(?:-[a-z]{3})?|daily) (\d\d:\d\d)[-–](?:([a-z]{3}) )?(\d\d:\d\d)$/

/**
 * Typed parts of the week: `fri 16:00-sun 20:00`, `mon-fri 07:00-20:00`, `daily 22:00-06:00`; `always` has none. The
 * gateway checks whether they overlap.
 */
export function typedHours(texts: readonly string[]): readonly WeeklyWindow[] {
  return texts.length === 1 && texts[0] === 'always' ? [] : texts.flatMap((text) => windowsOf(text))
}

function windowsOf(text: string): readonly WeeklyWindow[] {
  const [, days = '', from = '', last, until = ''] = TYPED.exec(text.trim().toLowerCase()) ?? []
  const begins = daysOf(days)
  const isWrong = begins.length === 0 || (last !== undefined && (begins.length > 1 || !WEEK.includes(last)))
  if (isWrong || !isClock(from) || !(isClock(until) || until === '24:00'))
    throw new CliError(
      `"${text}" is not a part of the week such as "fri 16:00-sun 20:00", "mon-fri 07:00-20:00" or "daily 22:00-06:00".`,
    )
  return begins.map((day) => ({
    from: `${day} ${from}`,
    until: endOf(last ?? day, until, last === undefined && until <= from),
  }))
}

const isClock = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)

/** The end of a window; 24:00 and a time before the beginning are on the next day. */
function endOf(day: string, until: string, isNextDay: boolean): string {
  const isMidnight = until === '24:00'
  const ends = isNextDay || isMidnight ? WEEK[(WEEK.indexOf(day) + 1) % WEEK.length] : day
  return `${ends} ${isMidnight ? '00:00' : until}`
}

/** Days of `daily`, `mon` or `sat-mon`; none if a word is not a day. */
function daysOf(words: string): readonly string[] {
  if (words === 'daily') return WEEK
  const [first = '', last = first] = words.split('-')
  const [from, to] = [WEEK.indexOf(first), WEEK.indexOf(last)]
  if (from < 0 || to < 0) return []
  return [...WEEK, ...WEEK].slice(from, (to < from ? to + WEEK.length : to) + 1)
}
