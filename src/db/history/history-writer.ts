import type { Clock } from '../../lib/clock.ts'
import { LastDay } from '../../lib/last-day.ts'
import type { Log } from '../../lib/log.ts'
import { isDamaged, isStorageFailure } from '../../lib/storage-failure.ts'
import type { HistoryFile } from './history-file.ts'
import type { RowJournal } from './row-journal.ts'

/** Number of pending rows; excess rows are dropped and counted. */
export const WRITES_WAITING_MAX = 10_000
/** Rows per commit: about ten milliseconds of work. */
const WRITES_PER_COMMIT_MAX = 1_000
/** Rows of a small commit: a few pages of the log. */
const WRITES_SMALL_MAX = 8
/** Time that rows stay in the journal, so that one commit stores a scene's. */
const JOURNAL_MS = 1_000
/** Rows in the journal: about two milliseconds of work. */
const JOURNAL_ROWS_MAX = 256
/** Pause after a failed commit, */
const FAILURE_PAUSE_MS = 1_000
/** or this many times the duration of the commit: SQLite blocks for ten seconds if a lock fails. */
const FAILURE_PAUSE_TIMES = 10

export interface HistoryWriterParts {
  readonly db: HistoryFile
  readonly clock: Clock
  readonly log: Log
  /** Runs a function at the end of this event loop turn. */
  readonly defer: (run: () => void) => void
}

/**
 * Number of written rows; `shed`: dropped because too many were pending; `failed`: dropped because the file accepted no
 * writes; `leftOutLately`: both in the last 24 hours.
 */
export interface WriteCounts {
  readonly written: number
  readonly shed: number
  readonly failed: number
  readonly leftOutLately: number
}

/** `row`: the write as data for the journal; without it, its turn is committed at once. */
interface Write {
  readonly run: () => void
  readonly row: object | undefined
}

/**
 * Commits the writes of one event loop turn together, or rows of several turns that are in the journal meanwhile. On a
 * full disk, or if writes come faster than SQLite stores them, the writer drops and counts rows until there is room.
 */
export class HistoryWriter {
  readonly #parts: HistoryWriterParts
  readonly #leftOut: LastDay
  #journal: RowJournal | null = null
  #waiting: Write[] = []
  /** Number of the first waiting writes that are in the journal. */
  #inJournal = 0
  #cancel: (() => void) | null = null
  #scheduled = false
  #waiters: { readonly upTo: number; readonly resolve: () => void }[] = []
  #added = 0
  #settled = 0
  #written = 0
  #shed = 0
  #failed = 0
  #failingSince: { readonly failedBefore: number } | null = null
  #pausedUntil = -Infinity
  /** Start time of the present commit. */
  #begunAt = 0
  #leavingOut = false

  constructor(parts: HistoryWriterParts) {
    this.#parts = parts
    this.#leftOut = new LastDay(parts.clock)
  }

  get counts(): WriteCounts {
    return {
      written: this.#written,
      shed: this.#shed,
      failed: this.#failed,
      leftOutLately: this.#leftOut.count,
    }
  }

  /** On a full disk all rows are dropped: the remaining space belongs to the configuration. */
  leaveOut(all: boolean): void {
    this.#leavingOut = all
  }

  /** Keeps rows in this journal from now on. */
  keepIn(journal: RowJournal): void {
    this.#journal = journal
  }

  /** Adds a write to this turn's commit; false if it was dropped. Never throws. */
  add(run: () => void, row?: object): boolean {
    if (this.#leavingOut) {
      this.#hasFailed(1)
      return false
    }
    if (this.#waiting.length >= WRITES_WAITING_MAX) {
      this.#shed++
      this.#leftOut.add(1)
      return false
    }
    this.#waiting.push({ run, row })
    this.#added++
    this.#schedule()
    return true
  }

  /** Resolves when everything added so far is committed, in the journal or dropped for good. */
  committed(): Promise<void> {
    if (this.#settled === this.#added) return Promise.resolve()
    const upTo = this.#added
    return new Promise((resolve) => this.#waiters.push({ upTo, resolve }))
  }

  /** Commits all pending writes now. */
  flush(): void {
    while (this.#waiting.length > 0) this.#commitSome()
  }

  /** Runs a write in its own transaction, after all pending ones. @throws if it cannot be stored */
  now<T>(write: () => T): T {
    this.flush()
    return this.#parts.db.transaction(write)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#parts.defer(() => {
      this.#scheduled = false
      if (this.#keep()) this.#cancel ??= this.#parts.clock.after(JOURNAL_MS, () => this.flush())
      else this.#commitSome()
      if (this.#waiting.length > this.#inJournal) this.#schedule()
    })
  }

  /** Adds the rows of a turn to the journal; false if they must be committed now. */
  #keep(): boolean {
    const fresh = this.#waiting.slice(this.#inJournal)
    const rows = fresh.flatMap(({ row }) => row ?? [])
    // Many rows of one turn share its commit.
    const areMany = fresh.length > WRITES_SMALL_MAX || this.#waiting.length > JOURNAL_ROWS_MAX
    if (fresh.length === 0 || rows.length < fresh.length || areMany || this.#isPaused()) return false
    if (this.#journal?.append(rows) !== true) return false
    this.#inJournal = this.#waiting.length
    this.#settle(fresh.length)
    return true
  }

  #commitSome(): void {
    const batch = this.#waiting.splice(0, WRITES_PER_COMMIT_MAX)
    if (batch.length === 0) return
    if (this.#isPaused()) this.#hasFailed(batch.length)
    else {
      this.#begunAt = this.#parts.clock.monotonic()
      this.#commit(batch.map(({ run }) => run))
    }
    const settled = batch.length - this.#inJournal
    if (this.#inJournal > 0) this.#journal?.clear()
    this.#inJournal = 0
    this.#cancel?.()
    this.#cancel = null
    this.#settle(settled)
  }

  #isPaused(): boolean {
    return this.#parts.clock.monotonic() < this.#pausedUntil
  }

  #settle(count: number): void {
    this.#settled += count
    const ready = this.#waiters.filter((waiter) => waiter.upTo <= this.#settled)
    this.#waiters = this.#waiters.filter((waiter) => waiter.upTo > this.#settled)
    for (const waiter of ready) waiter.resolve()
  }

  #commit(batch: readonly (() => void)[]): void {
    try {
      const small = batch.length <= WRITES_SMALL_MAX
      this.#parts.db.transaction(
        () => {
          for (const write of batch) write()
        },
        { small },
      )
      this.#markStored(batch.length)
    } catch (error) {
      if (isOfTheFile(error)) this.#storageFailed(error, batch.length)
      else this.#commitOneByOne(batch)
    }
  }

  /** One row of the batch is bad: the others are stored without it. */
  #commitOneByOne(batch: readonly (() => void)[]): void {
    for (const [index, write] of batch.entries()) {
      try {
        this.#parts.db.transaction(write, { small: true })
        this.#markStored(1)
      } catch (error) {
        if (isOfTheFile(error)) return this.#storageFailed(error, batch.length - index)
        this.#hasFailed(1)
        this.#parts.log.error({ err: error }, 'One row of the history could not be stored and was left out.')
      }
    }
  }

  #markStored(count: number): void {
    this.#written += count
    if (this.#failingSince === null) return
    const lost = this.#failed - this.#failingSince.failedBefore
    this.#failingSince = null
    this.#parts.log.info({ lost }, 'The history can be written again.')
  }

  #storageFailed(error: unknown, count: number): void {
    const now = this.#parts.clock.monotonic()
    this.#pausedUntil = now + Math.max(FAILURE_PAUSE_MS, FAILURE_PAUSE_TIMES * (now - this.#begunAt))
    if (this.#failingSince === null) {
      this.#failingSince = { failedBefore: this.#failed }
      this.#parts.log.error(
        { err: error },
        'The history cannot be written: entries are left out until there is room. Everything else goes on.',
      )
    }
    this.#hasFailed(count)
  }

  #hasFailed(count: number): void {
    this.#failed += count
    this.#leftOut.add(count)
  }
}

/** True if the file or its disk failed rather than one row. */
function isOfTheFile(error: unknown): boolean {
  return isStorageFailure(error) || isDamaged(error)
}
