import { isObject } from '../../lib/json.ts'
import { RELEASED_AT } from '../../lib/released-at.ts'
import { readCell } from '../database.ts'
import type { HistoryFile } from './history-file.ts'

const HOUR_MS = 3_600_000
/** So far before the time of the history entries come late, and no clock need be wrong. */
export const LATE_MS = 24 * HOUR_MS
/** Spans that are noted at once; above that the two that lie closest become one. */
export const SPANS_MAX = 32
/** The row of `meta` that holds the spans. */
const SPANS = 'misdated'

/** Epoch ms, `to` exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A span in which entries were stored when the time of the history was `stored`, long after what they say. */
interface Noted extends Span {
  readonly stored: number
}

/**
 * Entries that a clock far behind dated: by their dates they would be too old once the clock is right. They are as old
 * as what was stored with them, so the hours that have any are noted in the history itself.
 */
export class Misdated {
  readonly #db: HistoryFile
  readonly #keptMs: number
  #time: number | null = null

  /** @param keptMs how long entries are kept. */
  constructor(db: HistoryFile, keptMs: number) {
    this.#db = db
    this.#keptMs = keptMs
  }

  /** The time of the history, which no wrong clock moves back (docs/decisions/storage.md); epoch ms. */
  reached(time: number | null): void {
    if (time !== null && !this.#isImpossible(time) && time > (this.#time ?? -Infinity)) this.#time = time
  }

  /** An entry of `at` is being stored; to be called in its transaction. */
  note(at: number): void {
    // A history that has no time yet begins with this entry, or, under a clock that is far behind, with the release.
    const time = (this.#time ??= this.#isImpossible(at) ? RELEASED_AT : at)
    if (at >= time - LATE_MS) return
    const from = Math.floor(at / HOUR_MS) * HOUR_MS
    const noted = this.#noted()
    const within = noted.find((span) => span.from <= from && from < span.to)
    if (within !== undefined && time - within.stored < LATE_MS) return
    this.#keep(joined([...noted, { from, to: from + HOUR_MS, stored: time }]))
  }

  /** What of the time before `before` has only entries that are as old as they say; in order. */
  old(before: number): readonly Span[] {
    const spans: Span[] = []
    let from = 0
    for (const span of this.#noted().filter(({ stored }) => stored >= before)) {
      if (span.from >= before) break
      if (from < span.from) spans.push({ from, to: span.from })
      from = span.to
    }
    return from < before ? [...spans, { from, to: before }] : spans
  }

  /** Whether no clock was right that showed this: an entry of then was too old when this release was made. */
  #isImpossible(time: number): boolean {
    return time < RELEASED_AT - this.#keptMs
  }

  #noted(): readonly Noted[] {
    const text = this.#db.meta(SPANS)
    return text === undefined ? [] : readCell<readonly Noted[]>(text, [], areSpans)
  }

  #keep(spans: readonly Noted[]): void {
    this.#db.setMeta(SPANS, JSON.stringify(spans))
  }
}

/** In order, those that touch as one, and no more than there may be. */
function joined(spans: readonly Noted[]): readonly Noted[] {
  const apart: Noted[] = []
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

function both(a: Noted, b: Noted): Noted {
  return { from: a.from, to: Math.max(a.to, b.to), stored: Math.max(a.stored, b.stored) }
}

function areSpans(value: unknown): boolean {
  const isSpan = (each: unknown): boolean =>
    isObject(each) && ['from', 'to', 'stored'].every((field) => Number.isFinite(each[field]))
  return Array.isArray(value) && value.every(isSpan)
}
