import type { Clock } from '../../lib/clock.ts'
import type { ActivityStore, OutboxRow, OutboxSource } from '../ports/history-store.ts'

const ROWS_AT_ONCE = 200
/** More than clients within their rates write until the first of them are removed; what a crash left may be more. */
export const ROWS_WAITING_MAX = 2_000
/** Beyond it the oldest are left out of the activity: they wait in core.db, which must stay small. */
export const ROWS_KEPT_MAX = 10_000
/** How long rows that the history has may stay in the outbox too, until it has them on the disk. */
const REMOVE_AFTER_MS = 1_000
/**
 * Rows that the history could not take are read again after the shorter time at first, then after twice as long each
 * time: each try reads all that wait, so the next change must not make one.
 */
export const TRIED_AGAIN_MS = { first: 1_000, last: 60_000 }
/** Meanwhile the oldest are left out after so many changes. */
const CHANGES_UNTIL_CUT = 500

/**
 * Moves what core.db's outbox holds into the history. A row is removed there only after it is safe here, and is stored
 * here only once, so a crash at any point neither loses nor repeats an entry. Returns how many rows were moved; throws
 * when the history takes no writes: the rows then wait in the outbox for the next call.
 */
export function drainOutbox(source: OutboxSource, history: Pick<ActivityStore, 'takeOutbox'>): number {
  let moved = 0
  for (;;) {
    const rows = source.peek(ROWS_AT_ONCE)
    if (rows.length === 0) return moved
    history.takeOutbox(rows, 'now')
    source.remove(rows.map((row) => row.id))
    moved += rows.length
  }
}

export interface OutboxDrainParts {
  readonly source: OutboxSource
  readonly history: Pick<ActivityStore, 'takeOutbox'>
  /** Resolves when what the history holds is on the disk. */
  readonly onDisk: () => Promise<void>
  readonly clock: Clock
  /** Told with each failure; `leftOut` rows gave way to newer ones. */
  readonly failed: (error: unknown, leftOut: number) => void
}

/**
 * The same without waiting for the disk: the history has each row at once, for whoever reads it, and the outbox gives
 * it up when the disk has it, many together.
 */
export class OutboxDrain {
  readonly #parts: OutboxDrainParts
  /** Rows that the history has and the outbox still keeps, in their order. */
  #taken: readonly OutboxRow[] = []
  #cancel: (() => void) | null = null
  /** Why the history took nothing at the last try, and when the next one is; null while it takes them. */
  #refused: { readonly error: unknown; readonly waitMs: number } | null = null
  #changes = 0
  #stopped = false

  constructor(parts: OutboxDrainParts) {
    this.#parts = parts
  }

  /** Something was written to the outbox. */
  drain(): void {
    if (this.#refused === null) return this.#take()
    this.#changes += 1
    if (this.#changes % CHANGES_UNTIL_CUT !== 0) return
    const leftOut = this.#cut()
    if (leftOut > 0) this.#parts.failed(this.#refused.error, leftOut)
  }

  #take(): void {
    const { source, history } = this.#parts
    try {
      const rows = [...this.#taken, ...source.peek(ROWS_WAITING_MAX, this.#taken.at(-1)?.id)]
      if (rows.length >= ROWS_WAITING_MAX) {
        drainOutbox(source, history)
        this.#taken = []
      } else if (rows.length > 0) {
        history.takeOutbox(rows, 'later')
        this.#taken = rows
        this.#cancel ??= this.#parts.clock.after(REMOVE_AFTER_MS, () => void this.#remove())
      }
      this.#refused = null
    } catch (error) {
      this.#again(error)
    }
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  async #remove(): Promise<void> {
    this.#cancel = null
    const { source, history, onDisk } = this.#parts
    const rows = this.#taken
    try {
      // Once more, should the history have begun anew meanwhile; it stores none twice.
      history.takeOutbox(rows, 'later')
      await onDisk()
      if (this.#stopped) return
      source.remove(rows.map((row) => row.id))
      const last = rows.at(-1)?.id ?? 0
      this.#taken = this.#taken.filter(({ id }) => id > last)
    } catch (error) {
      this.#again(error)
    }
  }

  /** A disk that takes no writes at all takes no more rows either. */
  #cut(): number {
    try {
      return this.#parts.source.cut(ROWS_KEPT_MAX)
    } catch {
      return 0
    }
  }

  #again(error: unknown): void {
    if (this.#stopped) return
    this.#parts.failed(error, this.#cut())
    this.#cancel?.()
    const { first, last } = TRIED_AGAIN_MS
    const waitMs = this.#refused === null ? first : Math.min(last, 2 * this.#refused.waitMs)
    this.#refused = { error, waitMs }
    this.#cancel = this.#parts.clock.after(waitMs, () => {
      this.#cancel = null
      this.#take()
    })
  }
}
