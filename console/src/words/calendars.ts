import { usersOff } from './users.ts'

/** Texts of the page of calendars. */
export const words = {
  about: 'Rules can start with an event of a calendar, or check whether one is on: bins, holidays, days off.',
  add: 'Add a calendar',
  address: 'Address of a calendar file (.ics)',
  addressHint: 'Such as https://example.org/holidays.ics. It is read every six hours.',
  copy: (problem: string): string => `${problem} The last copy stays.`,
  dates: 'Dates, one on each line',
  days: (first: string, last: string): string => `${first} – ${last}`,
  datesHint: '`2027-03-10 Paper`, `12-24..01-06 Closed`. Dates without a year repeat every year.',
  empty: 'There are no calendars yet.',
  events: (name: string): string => `Next events of ${name}`,
  file: 'File (.ics, at most 1 MiB)',
  notADate: (line: string): string => `${line} is no date like 2027-03-10 or 12-24..01-06.`,
  nameHint: 'For example Bins or Holidays.',
  leftOut: (title: string, reason: string): string => `“${title}” is left out: ${reason}.`,
  never: 'not read yet',
  noEvents: 'No event within the next 400 days.',
  read: 'Read',
  remove: 'Remove',
  removed: (name: string): string => `${name} was removed.`,
  removeEffect: (users: readonly string[]): string => usersOff(users) ?? 'No rule names it.',
  removeNamed: (name: string): string => `Remove ${name}`,
  removeTitle: (name: string): string => `Remove the calendar ${name}?`,
  kinds: { url: 'Address', file: 'File', dates: 'List of dates' },
  source: 'Source',
} as const
