import type { Clock } from '../../lib/clock.ts'
import type { ActivityStore, OutboxRow, OutboxSource } from '../ports/history-store.ts'

const ROWS_AT_ONCE = 200
/** More rows than clients within their rate limits write before the first are removed; a crash may leave more. */
export const ROWS_WAITING_MAX = 2_000
/** Most rows in the outbox: beyond it the oldest are dropped, because core.db must stay small. */
export const OUTBOX_ROWS_MAX = 10_000
/** Time that rows may stay in the outbox after the history has taken them, until they are on its disk. */
const REMOVE_AFTER_MS = 1_000
/**
 * Waits before a retry after the history accepted no writes: first the shorter one, then twice as long each time. Each
 * retry reads all waiting rows, so further changes must not cause one.
 */
export const OUTBOX_RETRY_MS = { first: 1_000, last: 60_000 }
/** Number of changes after which the oldest rows are dropped meanwhile. */
const CHANGES_UNTIL_CUT = 500

/**
 * Moves the rows of core.db's outbox into the history. A row is deleted there only after it is safe here, and is stored
 * here only once, so a crash neither loses nor repeats an entry. Returns the number of moved rows. Throws if the
 * history accepts no writes: the rows then wait for the next call.
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
  /** Resolves when the rows of the history are on the disk. */
  readonly onDisk: () => Promise<void>
  readonly clock: Clock
  /** Called after each failure; `dropped` rows gave way to newer ones. */
  readonly failed: (error: unknown, dropped: number) => void
}

/**
 * Drains the outbox without waiting for the disk. The history has each row at once for its readers. The outbox deletes
 * rows in batches after they are on the disk.
 */
export class OutboxDrain {
  readonly #parts: OutboxDrainParts
  /** Rows that are in the history and still in the outbox, in their order. */
  #taken: readonly OutboxRow[] = []
  #cancel: (() => void) | null = null
  /** Error of the last failed attempt and the wait before the next one; null while the history accepts rows. */
  #retry: { readonly error: unknown; readonly waitMs: number } | null = null
  #changes = 0
  #stopped = false

  constructor(parts: OutboxDrainParts) {
    this.#parts = parts
  }

  /** Call it after rows were added to the outbox. */
  drain(): void {
    if (this.#retry === null) return this.#take()
    this.#changes += 1
    if (this.#changes % CHANGES_UNTIL_CUT !== 0) return
    const dropped = this.#cut()
    if (dropped > 0) this.#parts.failed(this.#retry.error, dropped)
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
      this.#retry = null
    } catch (error) {
      this.#scheduleRetry(error)
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
      // Repeats the rows in case the history started anew meanwhile; it stores none twice.
      history.takeOutbox(rows, 'later')
      await onDisk()
      if (this.#stopped) return
      source.remove(rows.map((row) => row.id))
      const last = rows.at(-1)?.id ?? 0
      this.#taken = this.#taken.filter(({ id }) => id > last)
    } catch (error) {
      this.#scheduleRetry(error)
    }
  }

  /** A disk that accepts no writes accepts no deletion either. */
  #cut(): number {
    try {
      return this.#parts.source.cut(OUTBOX_ROWS_MAX)
    } catch {
      return 0
    }
  }

  #scheduleRetry(error: unknown): void {
    if (this.#stopped) return
    this.#parts.failed(error, this.#cut())
    this.#cancel?.()
    const { first, last } = OUTBOX_RETRY_MS
    const waitMs = this.#retry === null ? first : Math.min(last, 2 * this.#retry.waitMs)
    this.#retry = { error, waitMs }
    this.#cancel = this.#parts.clock.after(waitMs, () => {
      this.#cancel = null
      this.#take()
    })
  }
}
