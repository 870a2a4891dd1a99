import type { CalendarEvent } from '../../home/model/calendars.ts'
import type { CalendarReading, CalendarReadingStore } from '../../home/ports/calendars.ts'
import { readCell } from '../database.ts'
import { Columns, CoreStore } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const READING = new Columns('events', 'zone', 'read_at', 'expanded_at', 'changed_at')
const ROW = new Columns(...['calendar', 'text', 'events', 'zone', 'read_at', 'expanded_at', 'changed_at'])

type ReadingRow = Omit<CalendarReading, 'events'> & { readonly events: string }

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
    return row === undefined ? null : { ...row, events: readCell<readonly CalendarEvent[]>(row.events, []) }
  }

  text(calendar: string): string | null {
    const sql = 'SELECT text FROM calendar_readings WHERE calendar = ?'
    return this.db.prepare<[string], string | null>(sql).pluck().get(calendar) ?? null
  }

  save(calendar: string, { events, ...reading }: CalendarReading, text: string | null): void {
    const row = { ...reading, calendar, text, events: JSON.stringify(events) }
    this.#core.commitDeferred(() => this.db.prepare(`INSERT OR REPLACE INTO calendar_readings ${ROW.values}`).run(row))
  }
}
