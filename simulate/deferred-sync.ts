import type { CoreDb } from '../src/db/core/core-db.ts'
import type { Clock } from '../src/lib/clock.ts'
import type { Random } from '../src/lib/random.ts'
import { type LogRange, markOfLog } from './files.ts'

/** How long the disk takes: a moment, or much longer, as a card that tidies up. */
const SYNC_MS = [1, 2, 3, 150] as const

/** core.db's log on the disk: all of it, but what was committed without a sync and waits for one. */
export class DeferredSync {
  readonly #file: string
  /** Frames before the first change that waits; null: none waits. */
  #from: number | null = null
  #deferrals = 0
  #onDeferred: () => void = () => {}

  constructor(file: string) {
    this.#file = file
  }

  onDeferred(listener: () => void): void {
    this.#onDeferred = listener
  }

  /** Follows what a database commits without a sync. */
  follow(core: CoreDb): void {
    const [deferring, syncedLater] = [core.deferring.bind(core), core.syncedLater.bind(core)]
    const change = core.change.bind(core)
    let defers = false
    core.deferring = (run) => {
      this.#onDeferred()
      return this.#unsynced(() => {
        defers = true
        try {
          return deferring(run)
        } finally {
          defers = false
        }
      })
    }
    core.syncedLater = (run) => (core.db.inTransaction ? syncedLater(run) : this.#unsynced(() => syncedLater(run)))
    core.change = (run) => {
      const answer = change(run)
      // A commit that waits for the disk takes along what waited before it.
      if (!defers) this.#from = null
      return answer
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
  async sync(clock: Clock, random: Random): Promise<void> {
    const before = this.#deferrals
    const { frames } = markOfLog(this.#file)
    const ms = SYNC_MS[(random.bytes(1)[0] ?? 0) % SYNC_MS.length] ?? 1
    await new Promise<void>((resolve) => {
      clock.after(ms, resolve)
    })
    const all = this.#deferrals === before || this.#from === null
    this.#from = all ? null : Math.max(frames, this.#from ?? frames)
  }

  range(): LogRange {
    const { frames, copied } = markOfLog(this.#file)
    // A log that began anew holds nothing that waited before.
    return { least: Math.max(copied, Math.min(this.#from ?? frames, frames)), most: frames }
  }
}
