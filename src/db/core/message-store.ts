import type { HomeMessage } from '../../home/model/messages.ts'
import type { MessageQuery, MessageStore } from '../../home/ports/message-store.ts'
import type { Db } from '../database.ts'
import { Columns } from './columns.ts'
import type { CoreDb } from './core-db.ts'

const MESSAGE = new Columns(
  ...['id', 'at', 'kind', 'urgency', 'recipients', 'title', 'device', 'go', 'subjects', 'ref', 'lasts'],
  ...['ended_at', 'acknowledged_at', 'acknowledged_by', 'notices', 'next_at'],
)

type Row = Omit<HomeMessage, 'to' | 'subjects' | 'lasts'> & {
  readonly recipients: HomeMessage['to']
  readonly subjects: string
  readonly lasts: number
}

/** Messages in core.db, in the order of their creation. */
export class SqliteMessages implements MessageStore {
  readonly #core: Pick<CoreDb, 'commitDeferred' | 'onDisk'>
  readonly #db: Db

  constructor(core: Pick<CoreDb, 'db' | 'commitDeferred' | 'onDisk'>) {
    this.#core = core
    this.#db = core.db
  }

  current(): readonly HomeMessage[] {
    const changing = 'acknowledged_at IS NULL OR (lasts = 1 AND ended_at IS NULL)'
    const sql = `SELECT ${MESSAGE.fields} FROM messages WHERE ${changing} ORDER BY n`
    return this.#db.prepare<[], Row>(sql).all().map(fromRow)
  }

  get(id: string): HomeMessage | undefined {
    const row = this.#db.prepare<[string], Row>(`SELECT ${MESSAGE.fields} FROM messages WHERE id = ?`).get(id)
    return row && fromRow(row)
  }

  page({ before, limit, fits }: MessageQuery): readonly HomeMessage[] | null {
    const place = before === null ? Number.MAX_SAFE_INTEGER : this.#placeOf(before)
    if (place === undefined) return null
    const found: HomeMessage[] = []
    const newest = this.#db.prepare<[number], Row>(`SELECT ${MESSAGE.fields} FROM messages WHERE n < ? ORDER BY n DESC`)
    for (const row of newest.iterate(place)) {
      const message = fromRow(row)
      if (fits(message) && found.push(message) >= limit) break
    }
    return found
  }

  put(message: HomeMessage): void {
    const { to: recipients, subjects, lasts, ...rest } = message
    const row = { ...rest, recipients, subjects: JSON.stringify(subjects), lasts: Number(lasts) }
    this.#core.commitDeferred(() =>
      this.#db
        .prepare(`INSERT INTO messages ${MESSAGE.values} ON CONFLICT (id) DO UPDATE SET ended_at = @endedAt,
          acknowledged_at = @acknowledgedAt, acknowledged_by = @acknowledgedBy, notices = @notices, next_at = @nextAt`)
        .run(row),
    )
  }

  prune(at: number, max: number): void {
    this.#core.commitDeferred(() =>
      this.#db
        .prepare(`DELETE FROM messages WHERE (at < @at OR n <= (SELECT max(n) FROM messages) - @max)
          AND NOT (urgency = 'alarm' AND acknowledged_at IS NULL AND ended_at IS NULL)`)
        .run({ at, max }),
    )
  }

  onDisk(): Promise<void> {
    return this.#core.onDisk()
  }

  #placeOf(id: string): number | undefined {
    return this.#db.prepare<[string], number>('SELECT n FROM messages WHERE id = ?').pluck().get(id)
  }
}

function fromRow({ recipients, subjects, lasts, ...row }: Row): HomeMessage {
  return { ...row, to: recipients, subjects: JSON.parse(subjects) as HomeMessage['subjects'], lasts: lasts === 1 }
}
