import { parentPort, workerData } from 'node:worker_threads'
import ical, { type EventInstance, type VEvent } from 'node-ical'
import type { CalendarContent, CalendarTask } from '../home/ports/calendars.ts'
import { placed, type UnplacedEvent } from '../home/rules/time/calendar-dates.ts'
import { readableEvents } from './readable-events.ts'

const task = workerData as CalendarTask
const { text, leftOut } = readableEvents(task.text, (one) => ical.sync.parseICS(one))
parentPort?.postMessage({ events: placed(eventsOf({ ...task, text }), task), leftOut } satisfies CalendarContent, [])

function eventsOf({ text: file, from, to }: CalendarTask): readonly UnplacedEvent[] {
  const range = { from: new Date(from), to: new Date(to), expandOngoing: true }
  return Object.values(ical.sync.parseICS(file))
    .filter((component): component is VEvent => component?.type === 'VEVENT')
    .filter(({ status }) => status !== 'CANCELLED')
    .flatMap((event) => ical.expandRecurringEvent(event, range))
    .filter(({ event }) => event.status !== 'CANCELLED')
    .map((instance) => unplaced(instance))
}

/** Times with a zone are moments; dates and times without one belong to the zone of the home. */
function unplaced({ start, end, isFullDay, summary }: EventInstance): UnplacedEvent {
  const title = typeof summary === 'string' ? summary : summary.val
  if (isFullDay) return { begins: wall(start).slice(0, 10), ends: wall(end).slice(0, 10), title }
  const isFloating = start.tz === undefined
  return isFloating
    ? { begins: wall(start), ends: wall(end), title }
    : { begins: start.getTime(), ends: end.getTime(), title }
}

/** The library writes a time without a zone into the zone of the machine: this is what the file says. */
function wall(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
