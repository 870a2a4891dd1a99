import { canonicalJson } from '../../lib/canonical-json.ts'
import { type Clock, every } from '../../lib/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { House } from '../house/house.ts'
import {
  type Calendar,
  CALENDAR_DAYS,
  type CalendarDate,
  type CalendarEvent,
  type CalendarSource,
  type LeftOutEvent,
  sourceOf,
} from '../model/calendars.ts'
import type { HomeEvent } from '../model/events.ts'
import type {
  CalendarContent,
  CalendarDownload,
  CalendarEvents,
  CalendarReader,
  CalendarReading,
  CalendarReadingStore,
  CalendarTask,
} from '../ports/calendars.ts'
import { eventsOfDates, placed } from '../rules/time/calendar-dates.ts'

/** Time after which an address is read again. */
const READ_AGAIN_MS = 6 * HOUR_MS
/** Time after which the events around today are found again. */
const EXPAND_AGAIN_MS = 7 * DAY_MS
const RETRY_MS = 30 * MINUTE_MS
/** Interval of looks for calendars to read. */
export const LOOK_MS = 10 * MINUTE_MS

interface HomeCalendarsParts {
  readonly house: Pick<House, 'calendars' | 'info'>
  readonly store: CalendarReadingStore
  readonly reader: CalendarReader
  readonly download: CalendarDownload
  readonly events: Pick<Emitter<HomeEvent>, 'on'>
  readonly clock: Clock
  readonly log: Log
}

interface Known {
  readonly calendar: Calendar
  reading: CalendarReading | null
  /** Reason why the last attempt failed, as a sentence; null if it did not. */
  problem: string | null
  /** Steady time of the last failure. */
  failedAt: number
  isBusy: boolean
}

/** Events of a source, and the answer of its address. */
export interface PreparedCalendar extends CalendarContent {
  readonly zone: string
  readonly text: string | null
}

/**
 * The calendars of the home with their events around today. An address is read every six hours; without an answer its
 * last good copy stays. After a start the stored events count at once. Lists of dates need no reading.
 */
export class HomeCalendars implements CalendarEvents {
  readonly #parts: HomeCalendarsParts
  #known = new Map<string, Known>()
  #revision = 0
  #changed: (() => void) | null = null
  #isStarted = false
  #stopLooking: (() => void) | null = null
  readonly #unsubscribe: () => void

  constructor(parts: HomeCalendarsParts) {
    this.#parts = parts
    this.#sync()
    this.#unsubscribe = parts.events.on((event) => {
      if (event.kind === 'structure') this.#sync()
    })
  }

  /** Begins to read calendars. */
  start(): void {
    this.#isStarted = true
    this.#lookSoon()
  }

  stop(): void {
    this.#unsubscribe()
    this.#stopLooking?.()
    this.#isStarted = false
  }

  get revision(): number {
    return this.#revision
  }

  /** Calls `listener`, one for all, after every change of events. */
  onChange(listener: () => void): void {
    this.#changed = listener
  }

  events(id: string): readonly CalendarEvent[] | null {
    return this.#known.get(id)?.reading?.events ?? null
  }

  nameOf(id: string): string | null {
    return this.#known.get(id)?.calendar.name ?? null
  }

  changedAt(id: string): number {
    return this.#known.get(id)?.reading?.changedAt ?? 0
  }

  /**
   * Epoch ms of the last good reading, or null, the reason why the last attempt failed, or null, and the events that
   * the last reading left out.
   */
  statusOf(id: string): {
    readonly readAt: number | null
    readonly problem: string | null
    readonly leftOut: readonly LeftOutEvent[]
  } {
    const { reading = null, problem = null } = this.#known.get(id) ?? {}
    return { readAt: reading?.readAt ?? null, problem, leftOut: reading?.leftOut ?? [] }
  }

  /** Reads a source that no calendar has yet. The error is a sentence. */
  async prepare(source: CalendarSource): Promise<Result<PreparedCalendar, string>> {
    const text = 'url' in source ? await this.#downloaded(source.url) : ok(null)
    return text.ok ? this.#expanded(source, text.value) : text
  }

  /** Takes the reading of a calendar that the home has just got. */
  take(id: string, prepared: PreparedCalendar): void {
    const known = this.#known.get(id)
    if (known) this.#keep(known, prepared)
  }

  /** Follows the calendars of the home: a changed source loses its events. */
  #sync(): void {
    const { house, store } = this.#parts
    const before = this.#known
    this.#known = new Map(
      [...house.calendars.values()].map((calendar): [string, Known] => {
        const known = before.get(calendar.id)
        if (known?.calendar === calendar) return [calendar.id, known]
        const reading =
          'dates' in calendar
            ? this.#dated(calendar.dates)
            : known === undefined
              ? store.load(calendar.id)
              : readingAfter(known, calendar)
        return [calendar.id, { calendar, reading, problem: null, failedAt: 0, isBusy: false }]
      }),
    )
    const hasOther = [...this.#known].some(([id, { reading }]) => before.get(id)?.reading !== reading)
    if (hasOther || before.size > this.#known.size) this.#emitChange()
    if (this.#isStarted) this.#lookSoon()
  }

  /** Looks for calendars to read after the present turn, and then again and again while there are calendars. */
  #lookSoon(): void {
    if (this.#known.size === 0) {
      this.#stopLooking?.()
      this.#stopLooking = null
      return
    }
    this.#stopLooking ??= every(this.#parts.clock, LOOK_MS, () => this.#look())
    void Promise.resolve().then(() => this.#look())
  }

  #look(): void {
    if (!this.#isStarted) return
    for (const known of this.#known.values())
      if (!known.isBusy && this.#isDue(known)) {
        known.isBusy = true
        void this.#refresh(known)
          .catch((error: unknown) => this.#fail(known, 'It could not be read.', error))
          .finally(() => (known.isBusy = false))
      }
  }

  #isDue({ calendar, reading, problem, failedAt }: Known): boolean {
    const { clock } = this.#parts
    if (problem !== null && clock.monotonic() - failedAt < RETRY_MS) return false
    if (reading === null || this.#isStale(reading)) return true
    return 'url' in calendar && Math.abs(clock.now() - reading.readAt) >= READ_AGAIN_MS
  }

  /** True if the events around today are not known in the home's time zone. */
  #isStale({ zone, expandedAt }: CalendarReading): boolean {
    const { house, clock } = this.#parts
    return zone !== house.info.timeZone || Math.abs(clock.now() - expandedAt) >= EXPAND_AGAIN_MS
  }

  async #refresh(known: Known): Promise<void> {
    const { calendar } = known
    const read = await this.prepare(calendar)
    if (!this.#isCurrent(known)) return
    if (read.ok) return this.#keep(known, read.value)
    this.#fail(known, read.error)
    const copy = 'url' in calendar ? this.#parts.store.text(calendar.id) : null
    if (copy === null || (known.reading !== null && !this.#isStale(known.reading))) return
    const again = await this.#expanded(calendar, copy)
    if (again.ok && this.#isCurrent(known)) this.#keep(known, again.value, known.reading?.readAt, known.problem)
  }

  async #downloaded(url: string): Promise<Result<string, string>> {
    const text = await this.#parts.download(url)
    return text.ok ? text : fail(`The address could not be read: ${text.error}.`)
  }

  async #expanded(source: CalendarSource, text: string | null): Promise<Result<PreparedCalendar, string>> {
    const span = this.#span()
    if ('dates' in source) {
      const events = placed(eventsOfDates(source.dates, span), span)
      return ok({ events, leftOut: [], zone: span.zone, text })
    }
    const content = await this.#parts.reader({ text: 'file' in source ? source.file : (text ?? ''), ...span })
    return content.ok ? ok({ ...content.value, zone: span.zone, text }) : content
  }

  /** The reading of a list of dates, which takes no time. */
  #dated(dates: readonly CalendarDate[]): CalendarReading {
    const span = this.#span()
    const now = this.#parts.clock.now()
    const events = placed(eventsOfDates(dates, span), span)
    return { events, leftOut: [], zone: span.zone, readAt: now, expandedAt: now, changedAt: 0 }
  }

  /** The days around today. */
  #span(): Omit<CalendarTask, 'text'> {
    const { house, clock } = this.#parts
    const now = clock.now()
    const [from, to] = [now - CALENDAR_DAYS.before * DAY_MS, now + CALENDAR_DAYS.after * DAY_MS]
    return { zone: house.info.timeZone, from, to }
  }

  #keep(
    known: Known,
    { events, leftOut, zone, text }: PreparedCalendar,
    readAt = this.#parts.clock.now(),
    problem: string | null = null,
  ): void {
    const { store, clock, log } = this.#parts
    const { calendar, reading: before } = known
    const now = clock.now()
    const isOther = before === null || canonicalJson(before.events) !== canonicalJson(events)
    known.reading = { events, leftOut, zone, readAt, expandedAt: now, changedAt: isOther ? now : before.changedAt }
    known.problem = problem
    try {
      if (!('dates' in calendar)) store.save(calendar.id, known.reading, text)
    } catch (error) {
      log.error({ err: error, calendar: calendar.id }, 'The events of a calendar could not be stored.')
    }
    if (isOther) this.#emitChange()
  }

  /** Keeps the last good events. */
  #fail(known: Known, problem: string, error?: unknown): void {
    const { clock, log } = this.#parts
    known.problem = problem
    known.failedAt = clock.monotonic()
    log.warn({ calendar: known.calendar.id, problem, err: error }, 'A calendar could not be read. Its last copy stays.')
  }

  /** False if the calendar was changed or removed while it was read. */
  #isCurrent(known: Known): boolean {
    return this.#known.get(known.calendar.id) === known
  }

  #emitChange(): void {
    this.#revision += 1
    this.#changed?.()
  }
}

/** The reading of an edited calendar: none of another source. */
function readingAfter({ calendar: before, reading }: Known, calendar: Calendar): CalendarReading | null {
  return canonicalJson(sourceOf(before)) === canonicalJson(sourceOf(calendar)) ? reading : null
}
