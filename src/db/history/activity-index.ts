import type { HistoryFile } from './history-file.ts'

/**
 * With more allowed subjects than this, the newest rows are read first, because they usually contain most of a page.
 */
const SUBJECTS_MERGED_AT_ONCE_MAX = 48
const ROWS_LOOKED_THROUGH = 400
/** Number of ids per read of one subject while merging. */
const IDS_PER_READ = 16

/** Filters on indexed columns of a row; undefined matches every row. */
interface RowFilter {
  readonly kind?: string | undefined
  readonly source?: string | undefined
  readonly mentions: readonly string[]
}

interface Range {
  readonly from: number
  readonly to: number
  readonly kind: string | null
  readonly source: string | null
  /** JSON list. */
  readonly ids: string
}

/** Few causes and subjects stand behind many rows, so each is judged once. */
const MEANT = `
  SELECT id, subject, cause FROM activity WHERE id >= @from AND id < @to
  AND (@kind IS NULL OR kind = @kind)
  AND (@source IS NULL OR cause IN (SELECT id FROM causes WHERE json_extract(cause, '$.source') = @source))
  AND (@ids = '[]'
    OR cause IN (SELECT id FROM causes WHERE NOT EXISTS (SELECT 1 FROM json_each(@ids) WHERE instr(causes.cause, value) = 0))
    OR subject IN (SELECT id FROM subjects WHERE EXISTS (SELECT 1 FROM json_each(@ids) WHERE instr(subjects.key, value) > 0)))
  ORDER BY id DESC`

/** `end`: the newest place that was not examined; null if all were. */
export interface Newest {
  readonly rows: Iterable<[id: number, subject: number, cause: number]>
  readonly end: number | null
}

export interface IdPage {
  /** Newest first. */
  readonly ids: readonly number[]
  readonly more: boolean
}

/**
 * Finds the ids of a page. Its work depends on the page and the number of subjects, never on the number of rows or
 * hidden rows. Either the newest rows contain the page, or the subjects' own rows are merged.
 */
export class ActivityIndex {
  readonly #newest
  readonly #looked
  readonly #heads
  readonly #place
  readonly #meant
  readonly #of

  constructor(db: HistoryFile) {
    this.#newest = db
      .prepare<[number, number, number], number>(
        'SELECT id FROM activity WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?',
      )
      .pluck()
    this.#looked = db
      .prepare<[number, number, number], [number, number]>(
        'SELECT id, subject FROM activity WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?',
      )
      .raw()
    this.#heads = db
      .prepare<[number, number, string], [number, number | null]>(
        'SELECT s.value, (SELECT max(id) FROM activity WHERE subject = s.value AND id >= ? AND id < ?) FROM json_each(?) AS s',
      )
      .raw()
    this.#place = db
      .prepare<[number, number, number], number>(
        'SELECT id FROM activity WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?',
      )
      .pluck()
    this.#meant = db.prepare<[Range], [number, number, number]>(MEANT).raw()
    this.#of = db
      .prepare<[number, number, number, number], number>(
        'SELECT id FROM activity WHERE subject = ? AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?',
      )
      .pluck()
  }

  /** Matching rows, newest first, among the newest `rowsMax` rows of all kinds. */
  newest({ kind, source, mentions }: RowFilter, from: number, to: number, rowsMax: number): Newest {
    const end = this.#place.get(from, to, rowsMax) ?? null
    const ids = JSON.stringify(mentions)
    const rows = this.#meant.iterate({
      from: end === null ? from : Math.max(from, end + 1),
      to,
      kind: kind ?? null,
      source: source ?? null,
      ids,
    })
    return { rows, end }
  }

  /** `allowed` null: every subject. `from` (inclusive) and `to` (exclusive) are ids. */
  page(allowed: ReadonlySet<number> | null, from: number, to: number, limit: number): IdPage {
    const ids = this.#take(allowed, from, to, limit + 1)
    if (ids.length <= limit) return { ids, more: false }
    // A page must not split a millisecond, so the whole millisecond of the first excess entry is left out.
    const cut = atOf(ids[limit] ?? 0)
    const whole = ids.slice(0, limit).filter((id) => atOf(id) > cut)
    if (whole.length > 0) return { ids: whole, more: true }
    const first = firstIdOf(cut)
    const all = this.#looked.all(Math.max(first, from), Math.min(firstIdOf(cut + 1), to), -1)
    const same = all.filter(([, subject]) => allowed === null || allowed.has(subject)).map(([id]) => id)
    return { ids: same, more: this.#take(allowed, from, Math.max(first, from), 1).length > 0 }
  }

  #take(allowed: ReadonlySet<number> | null, from: number, to: number, count: number): readonly number[] {
    if (allowed === null) return this.#newest.all(from, to, count)
    if (allowed.size === 0 || from >= to) return []
    if (allowed.size > SUBJECTS_MERGED_AT_ONCE_MAX) {
      const rows = this.#looked.all(from, to, Math.max(ROWS_LOOKED_THROUGH, count))
      const ids = rows.filter(([, subject]) => allowed.has(subject)).map(([id]) => id)
      if (ids.length >= count || rows.length < Math.max(ROWS_LOOKED_THROUGH, count)) return ids.slice(0, count)
    }
    return this.#merge(allowed, from, to, count)
  }

  #merge(allowed: ReadonlySet<number>, from: number, to: number, count: number): readonly number[] {
    const heads = this.#heads
      .all(from, to, JSON.stringify([...allowed]))
      .flatMap(([subject, id]) => (id === null ? [] : [{ subject, id }]))
    // `count` entries are at least as new as the count-th newest head: older ones cannot be on the page.
    const oldest = heads.map((head) => head.id).toSorted((a, b) => b - a)[count - 1] ?? from
    const runs = heads
      .filter((head) => head.id >= oldest)
      .map((head) => new Run(head.id, (below) => this.#of.all(head.subject, oldest, below, IDS_PER_READ)))
    const ids: number[] = []
    while (ids.length < count) {
      let newest: Run | null = null
      for (const run of runs)
        if (run.id !== null && (newest === null || newest.id === null || run.id > newest.id)) newest = run
      if (newest === null || newest.id === null) break
      ids.push(newest.id)
      newest.advance()
    }
    return ids
  }
}

/** The ids of one subject, newest first, read in small batches. */
class Run {
  id: number | null
  readonly #read: (below: number) => readonly number[]
  #ahead: readonly number[] = []
  #place = 0

  constructor(id: number, read: (below: number) => readonly number[]) {
    this.id = id
    this.#read = read
  }

  advance(): void {
    if (this.id === null) return
    if (this.#place >= this.#ahead.length) {
      this.#ahead = this.#read(this.id)
      this.#place = 0
    }
    this.id = this.#ahead[this.#place++] ?? null
  }
}

/** Maximum number of entries in one millisecond. Ids stay below 2^52 until the year 2109. */
export const PLACES_PER_MS = 1_024
const AT_MAX = 2 ** 42 - 1

/** The lowest row id of an entry of this time; times outside the calendar move to its edges. */
export function firstIdOf(at: number): number {
  return Math.min(Math.max(Math.floor(at), 0), AT_MAX) * PLACES_PER_MS
}

export function atOf(id: number): number {
  return Math.floor(id / PLACES_PER_MS)
}
