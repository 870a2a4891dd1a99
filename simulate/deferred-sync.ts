import type { CoreDb } from '../src/db/core/core-db.ts'
import type { Clock } from '../src/lib/clock.ts'
import type { Random } from '../src/lib/random.ts'
import { type LogRange, markOfLog } from './files.ts'

/** How long the disk takes: a moment, or much longer, as a card that tidies up. */
const SYNC_MS = [1, 2, 3, 150] as const

/** Milliseconds that the next sync takes. */
export type SyncMs = () => number

export const syncMsBy =
  (random: Random): SyncMs =>
  () =>
    SYNC_MS[(random.bytes(1)[0] ?? 0) % SYNC_MS.length] ?? 1

/** SQLite's number for `synchronous=FULL`. */
const FULL = 2

const failure = (code: string): Error => Object.assign(new Error(`${code}: planted by the simulator.`), { code })

/** core.db's log on the disk: all of it, but what was committed without a sync and waits for one. */
export class DeferredSync {
  readonly #file: string
  /** Frames before the first change that waits; null: none waits. */
  #from: number | null = null
  #deferrals = 0
  #fails = false
  #onDeferred: () => void = () => {}

  constructor(file: string) {
    this.#file = file
  }

  onDeferred(listener: () => void): void {
    this.#onDeferred = listener
  }

  /** From now on the disk fails to sync anything, or does again. */
  fail(fails: boolean): void {
    this.#fails = fails
  }

  /** Follows what a database commits without a sync. */
  follow(core: CoreDb): void {
    const [deferring, syncedLater] = [core.deferring.bind(core), core.syncedLater.bind(core)]
    const change = core.change.bind(core)
    core.deferring = (run) => {
      this.#onDeferred()
      return this.#unsynced(() => deferring(run))
    }
    core.syncedLater = (run) => (core.db.inTransaction ? syncedLater(run) : this.#unsynced(() => syncedLater(run)))
    core.change = (run) => {
      let waits = false
      const answer = change((record) => {
        waits = core.db.pragma('synchronous', { simple: true }) === FULL
        const its = run(record)
        if (waits && this.#fails) throw failure('SQLITE_IOERR_FSYNC')
        return its
      })
      // A commit that waits for the disk takes along what waited before it.
      if (waits) this.#from = null
      return answer
    }
    const pragma = core.db.pragma.bind(core.db)
    core.db.pragma = (text, options) => {
      if (text !== 'wal_checkpoint(PASSIVE)') return pragma(text, options)
      if (this.#fails) throw failure('SQLITE_IOERR_FSYNC')
      this.#from = null
      return pragma(text, options)
    }
  }

  #unsynced<T>(commit: () => T): T {
    const [earlier, { frames }] = [this.#from, markOfLog(this.#file)]
    // Its sync may begin before it returns.
    this.#deferrals += 1
    this.#from ??= frames
    try {
      return commit()
    } finally {
      if (markOfLog(this.#file).frames === frames) this.#from = earlier
    }
  }

  /** The disk takes its time; what is committed meanwhile waits for the next sync. */
  async sync(clock: Clock, syncMs: SyncMs): Promise<void> {
    const before = this.#deferrals
    const { frames } = markOfLog(this.#file)
    await new Promise<void>((resolve) => {
      clock.after(syncMs(), resolve)
    })
    if (this.#fails) throw failure('EIO')
    const all = this.#deferrals === before || this.#from === null
    this.#from = all ? null : Math.max(frames, this.#from ?? frames)
  }

  range(): LogRange {
    const { frames, copied } = markOfLog(this.#file)
    // A log that began anew holds nothing that waited before.
    return { least: Math.max(copied, Math.min(this.#from ?? frames, frames)), most: frames }
  }
}
