import { CAUSE_SOURCES, type Cause } from '../../home/model/events.ts'
import { isObject } from '../../lib/json.ts'
import { readCell } from '../database.ts'
import type { HistoryFile } from './history-file.ts'

/** Number of cause chains cached in memory, in both directions. */
const CAUSES_CACHED_MAX = 500

/**
 * Number of cause chains that differ only in names of rules and units, as with a scene that is renamed often. Beyond it
 * the least recently used become one cause without ids: administrators see it, integrations see a hidden cause.
 */
export const CAUSES_ALIKE_MAX = 2_000
/** Bound of one step: a file with too many would take long. */
const FOLDED_AT_ONCE = 10

const RULES: readonly Cause['source'][] = ['automation', 'schedule', 'scene']

/** Cause of entries whose cause is damaged; it names nobody. */
const UNKNOWN: Cause = { source: 'gateway', name: 'unknown' }

/** A number, and the text that similar causes share; null for a cause that is always kept. */
interface Known {
  readonly number: number
  readonly alike: string | null
}

/**
 * The numbers of causes in activity rows. A number stays as long as a row uses it. Frequent renaming creates no more
 * than the bound of similar causes.
 */
export class Causes {
  readonly #db: HistoryFile
  readonly #known = new Map<string, Known>()
  /** By object, which is the same for one caller's actions: its text need not be built again. */
  #byObject = new WeakMap<Cause, Known>()
  readonly #causes = new Map<number, Cause>()
  /** Least recently used first. */
  readonly #alike = new Map<string, Set<number>>()

  constructor(db: HistoryFile) {
    this.#db = db
    this.#reload()
    db.onReset(() => this.#reload())
  }

  /** The number of a cause, created if necessary; inside a transaction. */
  number(cause: Cause): number {
    const seen = this.#byObject.get(cause)
    if (seen !== undefined) {
      this.#markUsed(seen)
      return seen.number
    }
    const text = JSON.stringify(cause, withoutCredentials)
    const cached = this.#known.get(text)
    if (cached !== undefined) {
      this.#byObject.set(cause, cached)
      this.#markUsed(cached)
      return cached.number
    }
    const found = this.#db.prepare<[string], number>('SELECT id FROM causes WHERE cause = ?').pluck().get(text)
    const number = found ?? Number(this.#db.prepare('INSERT INTO causes (cause) VALUES (?)').run(text).lastInsertRowid)
    const known = { number, alike: alikeOf(JSON.parse(text) as Cause) }
    if (this.#known.size >= CAUSES_CACHED_MAX) this.#known.clear()
    this.#known.set(text, known)
    this.#markUsed(known)
    if (found === undefined && known.alike !== null) this.#foldUnused(known.alike)
    return number
  }

  cause(number: number): Cause {
    const cached = this.#causes.get(number)
    if (cached !== undefined) return cached
    const text = this.#db.prepare<[number], string>('SELECT cause FROM causes WHERE id = ?').pluck().get(number)
    if (text === undefined) throw new Error(`The history has no cause ${number}.`)
    const cause = readCell<Cause>(text, UNKNOWN, isCause)
    if (this.#causes.size >= CAUSES_CACHED_MAX) this.#causes.clear()
    this.#causes.set(number, cause)
    return cause
  }

  /** Deletes numbers without rows; in the transaction that deleted the rows. */
  release(numbers: Iterable<number>): void {
    for (const { id, cause } of this.#db
      .prepare<[string], { id: number; cause: string }>(DELETE_UNUSED)
      .all(JSON.stringify([...new Set(numbers)]))) {
      this.#known.delete(cause)
      this.#byObject = new WeakMap()
      this.#causes.delete(id)
      const alike = alikeOf(readCell<Cause>(cause, UNKNOWN, isCause))
      if (alike === null) continue
      const all = this.#alike.get(alike)
      all?.delete(id)
      if (all?.size === 0) this.#alike.delete(alike)
    }
  }

  #markUsed({ number, alike }: Known): void {
    if (alike === null) return
    const all = this.#alike.get(alike) ?? new Set()
    this.#alike.set(alike, all)
    all.delete(number)
    all.add(number)
  }

  /** Makes room for one more similar cause. */
  #foldUnused(alike: string): void {
    const all = this.#alike.get(alike) ?? new Set()
    if (all.size <= CAUSES_ALIKE_MAX) return
    const into = this.number(JSON.parse(alike) as Cause)
    const oldest = [...all].slice(0, Math.min(all.size - CAUSES_ALIKE_MAX, FOLDED_AT_ONCE))
    for (const number of oldest) this.#db.prepare('UPDATE activity SET cause = ? WHERE cause = ?').run(into, number)
    this.release(oldest)
  }

  /** Reads them again after a rollback, because it undid numbers from inside the transaction. */
  #reload(): void {
    this.#known.clear()
    this.#byObject = new WeakMap()
    this.#causes.clear()
    this.#alike.clear()
    for (const { id, cause } of this.#db.prepare<[], { id: number; cause: string }>(BY_USE).all())
      this.#markUsed({ number: id, alike: alikeOf(readCell<Cause>(cause, UNKNOWN, isCause)) })
  }
}

/** One index seek per cause. */
const BY_USE =
  'SELECT c.id, c.cause FROM causes c ORDER BY (SELECT max(a.id) FROM activity a INDEXED BY activity_by_cause WHERE a.cause = c.id)'

const DELETE_UNUSED = `
  DELETE FROM causes WHERE id IN (SELECT value FROM json_each(?))
    AND NOT EXISTS (SELECT 1 FROM activity a INDEXED BY activity_by_cause WHERE a.cause = causes.id)
  RETURNING id, cause`

/**
 * The text that similar causes share. Null for a cause without rules (their number is bounded by units, people and
 * credentials), and for the shared cause itself.
 */
function alikeOf(cause: Cause): string | null {
  if (!hasRule(cause)) return null
  const alike = JSON.stringify(withoutIds(cause))
  return alike === JSON.stringify(cause) ? null : alike
}

/** Openings need the credentials behind a cause, readers do not. */
function withoutCredentials(key: string, value: unknown): unknown {
  return key === 'behind' || key === 'answerable' ? undefined : value
}

function hasRule({ source, by }: Cause): boolean {
  return RULES.includes(source) || (by !== undefined && hasRule(by))
}

/** Replaces ids by one that does not exist, as for a deleted thing, so that visibility stays the same. */
function withoutIds(cause: Cause): Cause {
  const by = cause.by === undefined ? {} : { by: withoutIds(cause.by) }
  const isThing = RULES.includes(cause.source) || cause.source === 'unit'
  return isThing ? { source: cause.source, name: UNKNOWN.name, ref: '', ...by } : { ...cause, ...by }
}

function isCause(value: unknown): boolean {
  return (
    isObject(value) && CAUSE_SOURCES.some((source) => source === value['source']) && typeof value['name'] === 'string'
  )
}
