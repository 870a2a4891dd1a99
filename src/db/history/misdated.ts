import { isObject } from '../../lib/json.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'
import { readCell } from '../database.ts'
import type { HistoryFile } from './history-file.ts'

const HOUR_MS = 3_600_000
/** Entries may arrive up to this much later than the history's time without a wrong clock. */
export const LATE_MS = 24 * HOUR_MS
/** Number of noted spans; beyond it the two closest merge. */
export const SPANS_MAX = 32
/** The row of `meta` with the spans. */
const SPANS = 'misdated'

/** Epoch ms, `to` exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A span of entry times, stored when the history's time was `stored`, much later. */
interface DatedSpan extends Span {
  readonly stored: number
}

/**
 * Entries dated by a clock far behind. By their dates they would be too old once the clock is right. They are as old as
 * the entries stored with them, so the history records the affected hours.
 */
export class Misdated {
  readonly #db: HistoryFile
  readonly #keptMs: number
  #time: number | null = null

  /** @param keptMs retention of entries */
  constructor(db: HistoryFile, keptMs: number) {
    this.#db = db
    this.#keptMs = keptMs
  }

  /** The time of the history, which wrong clocks do not move back (docs/decisions/storage.md); epoch ms. */
  setTime(time: number | null): void {
    if (time !== null && !this.#isImpossible(time) && time > (this.#time ?? -Infinity)) this.#time = time
  }

  /** Notes that an entry with time `at` is being stored; call in its transaction. */
  note(at: number): void {
    // A new history starts at the time of this entry, or of the release if the clock is far behind.
    const time = (this.#time ??= this.#isImpossible(at) ? RELEASED_AT : at)
    if (at >= time - LATE_MS) return
    const from = Math.floor(at / HOUR_MS) * HOUR_MS
    const noted = this.#readSpans()
    const within = noted.find((span) => span.from <= from && from < span.to)
    if (within !== undefined && time - within.stored < LATE_MS) return
    this.#keep(mergeSpans([...noted, { from, to: from + HOUR_MS, stored: time }]))
  }

  /** The parts before `before` whose entries are genuinely old; in order. */
  expiredSpans(before: number): readonly Span[] {
    const spans: Span[] = []
    let from = 0
    for (const span of this.#readSpans().filter(({ stored }) => stored >= before)) {
      if (span.from >= before) break
      if (from < span.from) spans.push({ from, to: span.from })
      from = span.to
    }
    return from < before ? [...spans, { from, to: before }] : spans
  }

  /** True if a clock with this time must be wrong: such an entry would have expired before this release. */
  #isImpossible(time: number): boolean {
    return time < RELEASED_AT - this.#keptMs
  }

  #readSpans(): readonly DatedSpan[] {
    const text = this.#db.meta(SPANS)
    return text === undefined ? [] : readCell<readonly DatedSpan[]>(text, [], areSpans)
  }

  #keep(spans: readonly DatedSpan[]): void {
    this.#db.setMeta(SPANS, JSON.stringify(spans))
  }
}

/** In order, with touching spans merged, up to the bound. */
function mergeSpans(spans: readonly DatedSpan[]): readonly DatedSpan[] {
  const apart: DatedSpan[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1)
    if (last !== undefined && span.from <= last.to) apart.splice(-1, 1, both(last, span))
    else apart.push(span)
  }
  while (apart.length > SPANS_MAX) {
    const gaps = apart.slice(1).map(({ from }, index) => from - (apart[index]?.to ?? 0))
    const closest = gaps.indexOf(Math.min(...gaps))
    const [first, second] = apart.slice(closest)
    if (first === undefined || second === undefined) break
    apart.splice(closest, 2, both(first, second))
  }
  return apart
}

function both(a: DatedSpan, b: DatedSpan): DatedSpan {
  return { from: a.from, to: Math.max(a.to, b.to), stored: Math.max(a.stored, b.stored) }
}

function areSpans(value: unknown): boolean {
  const isSpan = (value: unknown): boolean =>
    isObject(value) && ['from', 'to', 'stored'].every((field) => Number.isFinite(value[field]))
  return Array.isArray(value) && value.every(isSpan)
}
