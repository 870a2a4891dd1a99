import type { Clock } from '../lib/clock.ts'
import { ClockWatch, JUMP_MS } from '../lib/clock-watch.ts'
import { replaceFile } from '../lib/files.ts'

/**
 * When this release was made: no clock that shows an earlier time is right. Moved forward with every release.
 * Machines without a battery start in 1970 or at their firmware's birthday until a time server answers.
 */
export const RELEASED_AT = Date.UTC(2026, 10, 1)

const SAVE_EVERY_MS = 3_600_000

/** A stored time beyond this is a damaged file. */
const BELIEVABLE_MS = 40 * 365 * 86_400_000

/** A moment of the wall clock, and the age of the machine then; both in ms. */
interface Moment {
  readonly wall: number
  readonly uptime: number
}

/**
 * What certificates are dated by: the clock, but never before the release or the last time that was seen for sure. A
 * clock that was set ahead is believed after an hour; until then time goes on from where it was
 * (docs/tls.md#why).
 */
export class TimeFloor {
  readonly #clock: Clock
  readonly #path: string
  readonly #releasedAt: number
  readonly #watch: ClockWatch
  #lastSeen: number
  #saved: number
  /** When the clock was last believed. */
  #believed: Moment

  /** @param stored the text of the file at `path`, or null; anything unbelievable counts as null. */
  constructor(clock: Clock, path: string, stored: string | null, releasedAt: number) {
    this.#clock = clock
    this.#path = path
    this.#releasedAt = releasedAt
    this.#lastSeen = parseLastSeen(stored, releasedAt) ?? releasedAt
    this.#saved = this.#lastSeen
    this.#watch = new ClockWatch(clock)
    this.#believed = this.#present()
  }

  /** Epoch milliseconds to date certificates by. */
  now(): number {
    return Math.max(this.aheadMs > 0 ? this.#expected() : this.#clock.now(), this.#floor())
  }

  /** How far the clock stands behind the floor, 0 when it does not. */
  get behindMs(): number {
    return Math.max(0, this.#floor() - this.#clock.now())
  }

  /** How far the clock was set ahead within the last hour, 0 when it was not. */
  get aheadMs(): number {
    const ahead = this.#clock.now() - this.#expected()
    // A clock that stood behind the floor was wrong, and is not believed less for being set.
    return ahead > JUMP_MS && this.#believed.wall >= this.#floor() ? ahead : 0
  }

  /** An administrator says that the clock is right: what was seen before no longer counts; the release still does. */
  trustClock(): void {
    this.#lastSeen = Math.max(this.#clock.now(), this.#releasedAt)
    this.#believed = this.#present()
  }

  /** To be called every minute or so: notes the time once the clock has run for an hour without being set. */
  observe(): void {
    const isSteady = this.#watch.steady()
    if (isSteady || this.aheadMs === 0) this.#believed = this.#present()
    if (isSteady) this.#lastSeen = Math.max(this.#lastSeen, this.#clock.now())
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

  #floor(): number {
    return Math.max(this.#lastSeen, this.#releasedAt)
  }

  /** What the clock would show had nobody set it. */
  #expected(): number {
    return this.#believed.wall + this.#present().uptime - this.#believed.uptime
  }

  /** The machine's age goes on while it sleeps, unlike the monotonic clock: so sleep is not taken for a jump. */
  #present(): Moment {
    return { wall: this.#clock.now(), uptime: this.#clock.boot().uptimeMs }
  }
}

function parseLastSeen(text: string | null, releasedAt: number): number | null {
  const digits = /^\{"lastSeen":(\d{1,15})\}\n$/.exec(text ?? '')?.[1]
  if (digits === undefined) return null
  const lastSeen = Number(digits)
  return lastSeen >= releasedAt && lastSeen - releasedAt < BELIEVABLE_MS ? lastSeen : null
}
