import {
  type ActivityDraft,
  type ActivityEntry,
  type ActivityKind,
  parseSubjectKey,
  subjectKey,
} from '../../home/model/events.ts'
import type {
  ActivityPage,
  ActivityQuery,
  ActivitySearch,
  ActivityStore,
  OutboxRow,
  SubjectFilter,
} from '../../home/ports/history-store.ts'
import { Emitter } from '../../lib/emitter.ts'
import { isObject } from '../../lib/json.ts'
import type { Random } from '../../lib/random.ts'
import { readCell } from '../database.ts'
import { ActivityIndex, atOf, firstIdOf, PLACES_PER_MS } from './activity-index.ts'
import type { HistoryParts } from './history-parts.ts'
import type { SubjectNumbers } from './subject-numbers.ts'

const TOKEN_BYTES = 9
/** A row has its place within this time after its own. */
const PLACE_SEARCHED_MS = 1_000
/** Rows per read of an export. */
const EXPORT_ROWS = 500

interface Row {
  readonly id: number
  readonly token: Buffer
  readonly kind: ActivityKind
  readonly subject: number
  readonly what: string
  readonly cause: number
  readonly data: string | null
}

/** A row as it waits in the journal; `token` in base64url. */
interface JournalRow {
  readonly token: string
  readonly draft: ActivityDraft
}

/** Activity in history.db. */
export class SqliteActivityStore implements ActivityStore {
  readonly #parts: HistoryParts & { readonly random: Random }
  readonly #index: ActivityIndex
  /** The newest id: an entry of a later time needs no query to find its place. */
  #newest: number
  readonly #stored = new Emitter<number>((error) => {
    throw error
  })
  readonly #newestIn

  constructor(parts: HistoryParts & { readonly random: Random }) {
    const { db } = parts
    this.#parts = parts
    this.#index = new ActivityIndex(db)
    this.#newestIn = db.prepare<[number, number], { id: number | null }>(
      'SELECT max(id) AS id FROM activity WHERE id >= ? AND id < ?',
    )
    this.#newest = this.#readNewest()
    db.onReset(() => {
      this.#newest = this.#readNewest()
    })
  }

  record(draft: ActivityDraft): void {
    const token = this.#parts.random.bytes(TOKEN_BYTES)
    // A listener gets its entries with their turn's commit.
    const row = this.#stored.isHeard ? undefined : { token: token.toString('base64url'), draft }
    this.#parts.writer.add(() => this.#store(draft, token), row)
  }

  /** Stores rows from the journal of a killed process, except those that are here. @throws if the file refuses them */
  recover(rows: readonly unknown[]): void {
    if (rows.length === 0) return
    const known = this.#parts.db
      .prepare<[number, number, Buffer], number>('SELECT 1 FROM activity WHERE id >= ? AND id < ? AND token = ?')
      .pluck()
    this.#parts.writer.now(() => {
      for (const row of rows as readonly JournalRow[]) {
        const [token, first] = [Buffer.from(row.token, 'base64url'), firstIdOf(row.draft.at)]
        if (known.get(first, firstIdOf(row.draft.at + PLACE_SEARCHED_MS), token) === undefined)
          this.#store(row.draft, token)
      }
    })
  }

  committed(): Promise<void> {
    return this.#parts.writer.committed()
  }

  onStored(listener: (place: number) => void): () => void {
    this.#parts.writer.flush()
    return this.#stored.on(listener)
  }

  entriesAt(places: readonly number[]): readonly ActivityEntry[] {
    return this.#together(() => this.#entries(places)).toReversed()
  }

  page(query: ActivityQuery): ActivityPage {
    return this.#together(() => this.#read(query))
  }

  search(search: ActivitySearch): ActivityPage {
    return this.#together(() => this.#found(search))
  }

  /** Reads all recorded entries of one file. */
  #together<T>(read: () => T): T {
    this.#parts.writer.flush()
    return this.#parts.db.readConsistently(read)
  }

  /** A page never splits a millisecond: it continues to its end, and the next one starts before it. */
  #found({ fits, from, to, limit, rowsMax, ...meant }: ActivitySearch): ActivityPage {
    const { rows, end } = this.#index.newest(meant, firstIdOf(from), firstIdOf(to), rowsMax)
    const isFitting = judgedOnce((subject, cause) =>
      fits({ subject: parseSubjectKey(this.#parts.names.key(subject)), cause: this.#parts.causes.cause(cause) }),
    )
    const ids: number[] = []
    // Rows of the last millisecond may be unexamined, so the next page gets all of it.
    const whole = end === null ? -1 : atOf(end)
    for (const [id, subject, cause] of rows) {
      const at = atOf(id)
      if (at <= whole) break
      const last = ids.at(-1)
      if (ids.length >= limit && last !== undefined && atOf(last) !== at) return this.#pageOf(ids, atOf(last))
      if (isFitting(subject, cause)) ids.push(id)
    }
    return this.#pageOf(ids, end === null ? null : whole + 1)
  }

  #pageOf(ids: readonly number[], nextTo: number | null): ActivityPage {
    return { entries: this.#entries(ids), nextTo }
  }

  #read(query: ActivityQuery): ActivityPage {
    const { ids, more } = this.#index.page(
      this.#allowedNumbers(query.subjects),
      firstIdOf(query.from),
      firstIdOf(query.to),
      query.limit,
    )
    const entries = this.#entries(ids)
    const oldest = ids.at(-1)
    return { entries, nextTo: more && oldest !== undefined ? atOf(oldest) : null }
  }

  *iterate(from: number, to: number): Iterable<ActivityEntry> {
    this.#parts.writer.flush()
    let next = firstIdOf(from)
    const end = firstIdOf(to)
    for (;;) {
      const { entries, last } = this.#parts.db.readConsistently(() => {
        const rows = this.#parts.db
          .prepare<[number, number, number], Row>('SELECT * FROM activity WHERE id >= ? AND id < ? ORDER BY id LIMIT ?')
          .all(next, end, EXPORT_ROWS)
        return { entries: rows.map((row) => this.#entry(row)), last: rows.at(-1)?.id }
      })
      yield* entries
      if (last === undefined || entries.length < EXPORT_ROWS) return
      next = last + 1
    }
  }

  forgetPersons(isForgotten: (person: string) => boolean): void {
    const { names, writer, causes, db } = this.#parts
    writer.flush()
    const numbers = names.persons().flatMap(({ id, number }) => (isForgotten(id) ? [number] : []))
    if (numbers.length === 0) return
    writer.now(() => {
      const rows = db.prepare<[number], number>('DELETE FROM activity WHERE subject = ? RETURNING cause').pluck()
      for (const number of numbers) {
        causes.release(rows.all(number))
        names.remove(number)
      }
    })
  }

  takeOutbox(rows: readonly OutboxRow[], onDisk: 'now' | 'later'): void {
    if (rows.length === 0) return
    if (onDisk === 'later') return this.#parts.writer.now(() => this.#storeOutbox(rows))
    this.#parts.writer.flush()
    // FULL only for these rows: the caller deletes them from core.db, where they would survive a power cut.
    this.#parts.db.setSynchronous('FULL')
    try {
      this.#parts.writer.now(() => this.#storeOutbox(rows))
    } finally {
      this.#parts.db.setSynchronous('NORMAL')
    }
  }

  /** Number of the last row from an outbox; 0 without any. */
  newestOfOutbox(): number {
    return this.#parts.db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM outbox_done').get()?.id ?? 0
  }

  #storeOutbox(rows: readonly OutboxRow[]): void {
    const { db } = this.#parts
    const done = new Map(db.prepare<[], [number, number]>('SELECT id, at FROM outbox_done').raw().all())
    // Rows come in ascending order. A row that was stored earlier and is missing now is deleted from core.db.
    const handedOver = new Set(rows.map(({ id }) => id))
    const deleted = [...done.keys()].filter((id) => !handedOver.has(id))
    if (deleted.length > 0)
      db.prepare('DELETE FROM outbox_done WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(deleted))
    const mark = db.prepare<[number, number]>('INSERT OR REPLACE INTO outbox_done (id, at) VALUES (?, ?)')
    for (const { id, draft } of rows) {
      // After a restore of core.db an id may stand for another row, so times are compared too.
      if (done.get(id) === draft.at) continue
      this.#store(draft)
      mark.run(id, draft.at)
    }
  }

  /** Stores one entry; inside a transaction. */
  #store(draft: ActivityDraft, token = this.#parts.random.bytes(TOKEN_BYTES)): void {
    this.#parts.misdated.note(draft.at)
    const id = this.#nextId(draft.at)
    const data = draft.data === undefined ? null : JSON.stringify(draft.data)
    const subject = this.#parts.names.number(subjectKey(draft.subject))
    this.#parts.db
      .prepare('INSERT INTO activity (id, token, kind, subject, what, cause, data) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(id, token, draft.kind, subject, draft.what, this.#parts.causes.number(draft.cause), data)
    if (id > this.#newest) this.#newest = id
    this.#stored.emit(id)
  }

  #nextId(at: number): number {
    for (let ms = Math.max(0, Math.floor(at)); ; ms++) {
      const first = firstIdOf(ms)
      if (first > this.#newest) return first
      const last = this.#newestIn.get(first, first + PLACES_PER_MS)?.id ?? null
      if (last === null) return first
      // This millisecond is full: the entry gets a place in the next one.
      if (last + 1 < first + PLACES_PER_MS) return last + 1
    }
  }

  #readNewest(): number {
    return this.#newestIn.get(0, Number.MAX_SAFE_INTEGER)?.id ?? -1
  }

  #allowedNumbers(filter: SubjectFilter): ReadonlySet<number> | null {
    if ('all' in filter) {
      if (filter.except === undefined || filter.except.length === 0) return null
      const except = new Set(filter.except)
      const allowed = new Set<number>()
      for (const [key, number] of this.#parts.names.subjects())
        if (!except.has(parseSubjectKey(key).kind)) allowed.add(number)
      return allowed
    }
    return numbersOf(this.#parts.names, filter)
  }

  /** Newest first. */
  #entries(ids: readonly number[]): readonly ActivityEntry[] {
    return ids.length === 0
      ? []
      : this.#parts.db
          .prepare<[string], Row>(
            'SELECT * FROM activity WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
          )
          .all(JSON.stringify(ids))
          .map((row) => this.#entry(row))
  }

  #entry(row: Row): ActivityEntry {
    const data = row.data === null ? null : readCell<ActivityDraft['data'] | null>(row.data, null, isObject)
    return {
      id: row.token.toString('base64url'),
      at: atOf(row.id),
      kind: row.kind,
      subject: parseSubjectKey(this.#parts.names.key(row.subject)),
      what: row.what,
      cause: this.#parts.causes.cause(row.cause),
      ...(data && { data }),
    }
  }
}

/** Caches the judgement of each pair of numbers. */
function judgedOnce(fit: (subject: number, cause: number) => boolean): typeof fit {
  const known = new Map<string, boolean>()
  return (subject, cause) => {
    const both = `${subject} ${cause}`
    const judged = known.get(both) ?? fit(subject, cause)
    known.set(both, judged)
    return judged
  }
}

/** The numbers of the allowed subjects. A subject without rows has no number and is left out. */
function numbersOf(
  names: SubjectNumbers,
  { only, moves = () => false }: Extract<SubjectFilter, { only: unknown }>,
): ReadonlySet<number> {
  const numbers = new Set<number>()
  for (const key of only) {
    const number = names.find(key)
    if (number !== undefined) numbers.add(number)
    for (const steps of names.stepsOf(key)) if (steps.devices.some(moves)) numbers.add(steps.number)
  }
  return numbers
}
