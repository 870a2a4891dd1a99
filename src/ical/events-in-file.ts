import { CALENDAR_LEFT_OUT_MAX, EVENT_TITLE_MAX, type LeftOutEvent } from '../home/model/calendars.ts'
import type { CalendarTask } from '../home/ports/calendars.ts'
import type { UnplacedEvent } from '../home/rules/time/calendar-dates.ts'
import { plainTextOf } from '../lib/plain-text.ts'
import { type Component, componentsOf, linesNamed, textOf } from './components.ts'
import { type FileEvent, fileEventOf } from './file-events.ts'
import { zonesOf } from './file-zones.ts'
import { repeated, single } from './series.ts'

interface EventsInFile {
  readonly events: readonly UnplacedEvent[]
  readonly leftOut: readonly LeftOutEvent[]
}

/** The events of an iCalendar file around a span, and those that cannot be used. */
export function eventsInFile({ text, ...span }: CalendarTask): EventsInFile {
  const calendars = componentsOf(text)
  const leftOut: LeftOutEvent[] = []
  const leave = (title: string, reason: string): void => {
    if (leftOut.length < CALENDAR_LEFT_OUT_MAX) leftOut.push({ title: plainTextOf(title, EVENT_TITLE_MAX), reason })
  }
  const zones = zonesOf(calendars, span)
  const read = calendars.flatMap(eventsIn).flatMap((component) => {
    const event = fileEventOf(component, zones)
    if (event.ok) return [event.value]
    leave(titleOf(component), event.error)
    const replaced = fileEventOf(cancelled(component), zones)
    return replaced.ok ? [replaced.value] : []
  })
  const events = seriesOf(read).flatMap((series) => eventsOfSeries(series, span, leave))
  if (calendars.some(({ name, isEnded }) => name === 'VCALENDAR' && !isEnded))
    leave('End of the file', 'it is missing (END:VCALENDAR), so events may be missing too')
  return { events: [...new Map(events.map((event) => [JSON.stringify(event), event])).values()], leftOut }
}

const eventsIn = (component: Component): readonly Component[] =>
  component.name === 'VEVENT' ? [component] : component.parts.flatMap(eventsIn)

/** The time that an event stands for does not happen as planned, also if the event cannot be read. */
function cancelled(component: Component): Component {
  const identity = component.lines.filter(({ name }) => ['UID', 'SEQUENCE', 'RECURRENCE-ID'].includes(name))
  const lines = [...identity, { name: 'STATUS', parameters: '', value: 'CANCELLED' }]
  return { ...component, lines, isEnded: true }
}

const titleOf = (component: Component): string => textOf(linesNamed(component, 'SUMMARY')[0]?.value ?? '')

/** Events of one UID belong together: one that repeats, and exceptions to it. */
function seriesOf(events: readonly FileEvent[]): readonly (readonly FileEvent[])[] {
  const [alone, together] = [events.filter(({ uid }) => uid === null), events.filter(({ uid }) => uid !== null)]
  return [...alone.map((event) => [event]), ...Map.groupBy(together, ({ uid }) => uid).values()]
}

function eventsOfSeries(
  series: readonly FileEvent[],
  span: Omit<CalendarTask, 'text'>,
  leave: (title: string, reason: string) => void,
): readonly UnplacedEvent[] {
  const whole = latest(series.filter(({ replaces }) => replaces === null))
  const exceptions = [...Map.groupBy(series, ({ replaces }) => replaces && JSON.stringify(replaces.time))].flatMap(
    ([time, same]) => (time === null ? [] : latest(same).slice(-1)),
  )
  const events = whole.flatMap((event) => {
    const found = repeated(event, exceptions, span)
    if (!found.ok) leave(event.title ?? '', found.error)
    return found.ok ? found.value : []
  })
  return [...events, ...exceptions.flatMap((exception) => single(exception, whole[0]?.title ?? null))]
}

/** The newest version. Versions alike in number are different events: some programs give all the same UID. */
function latest(events: readonly FileEvent[]): readonly FileEvent[] {
  const newest = Math.max(...events.map(({ sequence }) => sequence))
  return events.filter(({ sequence }) => sequence === newest)
}
