import type { Clock } from '../lib/clock.ts'
import { ClockWatch } from '../lib/clock-watch.ts'
import { replaceFile } from '../lib/files.ts'

/**
 * When this release was made: no clock that shows an earlier time is right. Moved forward with every release.
 * Machines without a battery start in 1970 or at their firmware's birthday until a time server answers.
 */
export const RELEASED_AT = Date.UTC(2026, 10, 1)

const SAVE_EVERY_MS = 3_600_000

/** A stored time beyond this is a damaged file. */
const BELIEVABLE_MS = 40 * 365 * 86_400_000

/** The clock, but never before the release or the last time that was seen for sure: what certificates are dated by. */
export class TimeFloor {
  readonly #clock: Clock
  readonly #path: string
  readonly #releasedAt: number
  readonly #watch: ClockWatch
  #lastSeen: number
  #saved: number

  /** @param stored the text of the file at `path`, or null; anything unbelievable counts as null. */
  constructor(clock: Clock, path: string, stored: string | null, releasedAt: number) {
    this.#clock = clock
    this.#path = path
    this.#releasedAt = releasedAt
    this.#lastSeen = parseLastSeen(stored, releasedAt) ?? releasedAt
    this.#saved = this.#lastSeen
    this.#watch = new ClockWatch(clock)
  }

  /** Epoch milliseconds to date certificates by. */
  now(): number {
    return Math.max(this.#clock.now(), this.#lastSeen, this.#releasedAt)
  }

  /** How far the clock stands behind the floor, 0 when it does not. */
  get behindMs(): number {
    return this.now() - this.#clock.now()
  }

  /** An administrator says that the clock is right: what was seen before no longer counts; the release still does. */
  trustClock(): void {
    this.#lastSeen = Math.max(this.#clock.now(), this.#releasedAt)
  }

  /** To be called every minute or so: notes the time once the clock has run for an hour without being set. */
  observe(): void {
    if (this.#watch.steady()) this.#lastSeen = Math.max(this.#lastSeen, this.#clock.now())
  }

  /** True when the time has moved on far enough to be worth a write to the flash memory. */
  get wantsSaving(): boolean {
    return Math.abs(this.#lastSeen - this.#saved) >= SAVE_EVERY_MS
  }

  async save(): Promise<void> {
    const lastSeen = this.#lastSeen
    await replaceFile(this.#path, `${JSON.stringify({ lastSeen })}\n`)
    this.#saved = lastSeen
  }
}

function parseLastSeen(text: string | null, releasedAt: number): number | null {
  const digits = /^\{"lastSeen":(\d{1,15})\}\n$/.exec(text ?? '')?.[1]
  if (digits === undefined) return null
  const lastSeen = Number(digits)
  return lastSeen >= releasedAt && lastSeen - releasedAt < BELIEVABLE_MS ? lastSeen : null
}
