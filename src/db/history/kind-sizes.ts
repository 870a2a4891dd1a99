import type { HistoryFile } from './history-file.ts'

/** The kinds of rows that are deleted when history.db is nearly full. */
export const HISTORY_KINDS = ['activity', 'detections', 'readings'] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

/** Rows counted per step of the upkeep: a few milliseconds. */
const ROWS_PER_STEP = 10_000
/** After deleting this part of all rows, they are counted again: rows written meanwhile are not included. */
const COUNTED_ANEW_AFTER = 0.05

interface Table {
  readonly kind: HistoryKind
  readonly name: string
  readonly key: readonly string[]
  /** An SQL expression: the approximate size of a row with its index entries. */
  readonly bytes: string
}

const TABLES: readonly Table[] = [
  { kind: 'activity', name: 'activity', key: ['id'], bytes: '60 + length(what) + ifnull(length(data), 0)' },
  { kind: 'detections', name: 'detections', key: ['unit', 'at', 'n'], bytes: '30' },
  { kind: 'readings', name: 'readings_raw', key: ['series', 'at'], bytes: '25' },
  { kind: 'readings', name: 'readings_minute', key: ['series', 'at'], bytes: '55' },
  { kind: 'readings', name: 'readings_hour', key: ['series', 'at'], bytes: '55' },
]

interface Size {
  readonly rows: number
  readonly bytes: number
}

/** Progress of the counting; `after` is the key of the last counted row, null before the first one. */
interface Place {
  readonly table: number
  readonly after: readonly number[] | null
}

const NOTHING: Size = { rows: 0, bytes: 0 }
const START: Place = { table: 0, after: null }

/**
 * Size of each kind, counted in small steps and only while history.db is nearly full. SQLite stores no counts, and the
 * file may have ten million rows.
 */
export class KindSizes {
  readonly #db: HistoryFile
  #sizes = new Map<HistoryKind, Size>()
  #counting: Place | null = START
  /** Number of counted rows, and of deleted ones among them. */
  #rows = 0
  #forgotten = 0

  constructor(db: HistoryFile) {
    this.#db = db
    db.onReset(() => this.#begin())
  }

  /** Counts one step of rows; false when all are counted. */
  count(): boolean {
    if (this.#forgotten > COUNTED_ANEW_AFTER * this.#rows) this.#begin()
    const place = this.#counting
    if (place === null) return false
    const table = TABLES[place.table]
    if (table === undefined) this.#counting = null
    else this.#counting = this.#countRows(table, place)
    return true
  }

  /** The kinds, largest first. */
  largestFirst(): readonly HistoryKind[] {
    const bytesOf = (kind: HistoryKind): number => this.#sizes.get(kind)?.bytes ?? 0
    return HISTORY_KINDS.toSorted((a, b) => bytesOf(b) - bytesOf(a))
  }

  /** Counted rows of a kind. */
  rowsOf(kind: HistoryKind): number {
    return this.#sizes.get(kind)?.rows ?? 0
  }

  /** Subtracts deleted rows of a kind. */
  forgot(kind: HistoryKind, rows: number): void {
    const { rows: before, bytes } = this.#sizes.get(kind) ?? NOTHING
    const left = Math.max(0, before - rows)
    this.#sizes.set(kind, { rows: left, bytes: before === 0 ? 0 : (bytes * left) / before })
    this.#forgotten += rows
  }

  #begin(): void {
    this.#sizes = new Map()
    this.#counting = START
    this.#rows = 0
    this.#forgotten = 0
  }

  #countRows({ kind, name, key, bytes }: Table, { table, after }: Place): Place {
    const keys = key.join(', ')
    const beyond = (key_: readonly number[] | null): string => (key_ === null ? 'true' : `(${keys}) > (${marks(key)})`)
    const last = this.#db
      .prepare<number[], number[]>(
        `SELECT ${keys} FROM ${name} WHERE ${beyond(after)} ORDER BY ${keys} LIMIT 1 OFFSET ?`,
      )
      .raw()
      .get(...(after ?? []), ROWS_PER_STEP - 1)
    const upTo = last === undefined ? 'true' : `(${keys}) <= (${marks(key)})`
    const [rows = 0, sum = 0] =
      this.#db
        .prepare<number[], number[]>(
          `SELECT count(*), ifnull(sum(${bytes}), 0) FROM ${name} WHERE ${beyond(after)} AND ${upTo}`,
        )
        .raw()
        .get(...(after ?? []), ...(last ?? [])) ?? []
    const before = this.#sizes.get(kind) ?? NOTHING
    this.#rows += rows
    this.#sizes.set(kind, { rows: before.rows + rows, bytes: before.bytes + sum })
    return last === undefined ? { table: table + 1, after: null } : { table, after: last }
  }
}

const marks = (key: readonly string[]): string => key.map(() => '?').join(', ')
