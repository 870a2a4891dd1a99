import type { Clock } from '@hm-gateway/lib/clock.ts'
import { ClockWatch, JUMP_MS } from '@hm-gateway/lib/clock-watch.ts'
import { replaceFile } from '@hm-gateway/lib/files.ts'
import { BACKDATE_MS } from './authority.ts'

const SAVE_EVERY_MS = 3_600_000

/** A stored time beyond this is a damaged file. */
const BELIEVABLE_MS = 40 * 365 * 86_400_000

export interface TimeFloorParts {
  readonly clock: Clock
  /** Where the time last seen is stored. */
  readonly path: string
  /** The text of that file, or null; anything unbelievable counts as null. */
  readonly stored: string | null
  readonly releasedAt: number
  /** By which time the certificate at hand was made, epoch ms, or null where there is none. */
  readonly datedAt: number | null
}

/** What the clock showed when it was believed, and the age of the machine then; all in ms. */
interface Belief {
  readonly wall: number
  readonly uptime: number
  /** A clock further ahead than this of what it should show by now is not believed. */
  readonly tolerance: number
}

/**
 * What certificates are dated by: the clock, but never before the release or the last time that was seen for sure. A
 * clock that was set ahead, or is far ahead of when the gateway last ran, is believed after an hour; until then time
 * goes on from where it was (docs/tls.md#why).
 */
export class TimeFloor {
  readonly #clock: Clock
  readonly #path: string
  readonly #releasedAt: number
  readonly #watch: ClockWatch
  #lastSeen: number
  #saved: number
  /** Null where no clock has shown a time yet that can be right. */
  #belief: Belief | null

  constructor({ clock, path, stored, releasedAt, datedAt }: TimeFloorParts) {
    this.#clock = clock
    this.#path = path
    this.#releasedAt = releasedAt
    const lastSeen = parseLastSeen(stored, releasedAt)
    this.#lastSeen = lastSeen ?? releasedAt
    this.#saved = this.#lastSeen
    this.#watch = new ClockWatch(clock)
    const lastRan = Math.max(lastSeen ?? 0, datedAt ?? 0)
    this.#belief = null
    // What was dated by the release says nothing. Two days are nothing to certificates: they begin that long ago.
    if (lastRan > releasedAt) this.#belief = { ...this.#present(), wall: lastRan, tolerance: BACKDATE_MS }
    else this.#believe()
  }

  /** Epoch milliseconds to date certificates by. */
  now(): number {
    const now = this.#clock.now()
    const isBelieved = now >= this.#floor() && this.aheadMs === 0
    return isBelieved ? now : Math.max(this.#expected() ?? 0, this.#floor())
  }

  /** How far the clock stands behind the floor, 0 when it does not. */
  get behindMs(): number {
    return Math.max(0, this.#floor() - this.#clock.now())
  }

  /** How far the clock is ahead of what it should show by now, 0 where that is nothing or no more than it may be. */
  get aheadMs(): number {
    if (this.#belief === null) return 0
    const ahead = this.#clock.now() - (this.#expected() ?? 0)
    return ahead > this.#belief.tolerance ? ahead : 0
  }

  /** An administrator says that the clock is right: what was seen before no longer counts; the release still does. */
  trustClock(): void {
    this.#lastSeen = Math.max(this.#clock.now(), this.#releasedAt)
    this.#believe()
  }

  /** To be called every minute or so: notes the time once the clock has run for an hour without being set. */
  observe(): void {
    const isSteady = this.#watch.steady()
    if (isSteady || this.aheadMs === 0) this.#believe()
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
  #expected(): number | null {
    if (this.#belief === null) return null
    return this.#belief.wall + this.#clock.boot().uptimeMs - this.#belief.uptime
  }

  /** A clock behind the floor is wrong: then time goes on from what was believed before. */
  #believe(): void {
    if (this.behindMs === 0) this.#belief = { ...this.#present(), tolerance: JUMP_MS }
  }

  /** The machine's age goes on while it sleeps, unlike the monotonic clock: so sleep is not taken for a jump. */
  #present(): Omit<Belief, 'tolerance'> {
    return { wall: this.#clock.now(), uptime: this.#clock.boot().uptimeMs }
  }
}

function parseLastSeen(text: string | null, releasedAt: number): number | null {
  const digits = /^\{"lastSeen":(\d{1,15})\}\n$/.exec(text ?? '')?.[1]
  if (digits === undefined) return null
  const lastSeen = Number(digits)
  return lastSeen >= releasedAt && lastSeen - releasedAt < BELIEVABLE_MS ? lastSeen : null
}
