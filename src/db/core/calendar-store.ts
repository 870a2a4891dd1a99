import type { CalendarEvent, LeftOutEvent } from '../../home/model/calendars.ts'
import type { CalendarReading, CalendarReadingStore } from '../../home/ports/calendars.ts'
import { readCell } from '../database.ts'
import { Columns, CoreStore } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const READING = new Columns('events', 'left_out', 'zone', 'read_at', 'expanded_at', 'changed_at')
const ROW = new Columns(...['calendar', 'text', 'events', 'left_out', 'zone', 'read_at', 'expanded_at', 'changed_at'])

type ReadingRow = Omit<CalendarReading, 'events' | 'leftOut'> & { readonly events: string; readonly leftOut: string }

/** Readings of calendars in core.db, so that backups have them. */
export class SqliteCalendars extends CoreStore implements CalendarReadingStore {
  readonly #core: Pick<CoreDb, 'commitDeferred'>

  constructor(core: Pick<CoreDb, 'db' | 'commitDeferred'>) {
    super(core)
    this.#core = core
  }

  load(calendar: string): CalendarReading | null {
    const sql = `SELECT ${READING.fields} FROM calendar_readings WHERE calendar = ?`
    const row = this.db.prepare<[string], ReadingRow>(sql).get(calendar)
    if (row === undefined) return null
    const events = readCell<readonly CalendarEvent[]>(row.events, [])
    return { ...row, events, leftOut: readCell<readonly LeftOutEvent[]>(row.leftOut, []) }
  }

  text(calendar: string): string | null {
    const sql = 'SELECT text FROM calendar_readings WHERE calendar = ?'
    return this.db.prepare<[string], string | null>(sql).pluck().get(calendar) ?? null
  }

  save(calendar: string, { events, leftOut, ...reading }: CalendarReading, text: string | null): void {
    const row = { ...reading, calendar, text, events: JSON.stringify(events), leftOut: JSON.stringify(leftOut) }
    this.#core.commitDeferred(() => this.db.prepare(`INSERT OR REPLACE INTO calendar_readings ${ROW.values}`).run(row))
  }
}
