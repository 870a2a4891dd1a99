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
    const [deferring, change] = [core.deferring.bind(core), core.change.bind(core)]
    let defers = false
    core.deferring = (run) => {
      const [earlier, { frames }] = [this.#from, markOfLog(this.#file)]
      this.#onDeferred()
      // Its sync may begin before it returns.
      this.#deferrals += 1
      this.#from ??= frames
      defers = true
      try {
        return deferring(run)
      } finally {
        defers = false
        if (markOfLog(this.#file).frames === frames) this.#from = earlier
      }
    }
    core.change = (run) => {
      const answer = change(run)
      // A commit that waits for the disk takes along what waited before it.
      if (!defers) this.#from = null
      return answer
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
