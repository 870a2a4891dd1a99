import type { Clock } from '@hm-gateway/lib/clock.ts'
import { ClockWatch, JUMP_MS } from '@hm-gateway/lib/clock-watch.ts'
import { replaceFile } from '@hm-gateway/lib/files.ts'
import { BACKDATE_MS } from './authority.ts'

const SAVE_EVERY_MS = 3_600_000

/** Largest plausible stored time; a larger one means a damaged file. */
const BELIEVABLE_MS = 40 * 365 * 86_400_000

export interface TimeFloorParts {
  readonly clock: Clock
  /** File with the last time seen. */
  readonly path: string
  /** Text of that file, or null; an implausible text counts as null. */
  readonly stored: string | null
  readonly releasedAt: number
  /** Epoch ms by which the current certificate was dated, or null. */
  readonly datedAt: number | null
}

/** Clock and uptime when the clock was last trusted; ms. */
interface Belief {
  readonly wall: number
  readonly uptime: number
  /** A clock further ahead of its expected time than this is not trusted. */
  readonly tolerance: number
}

/**
 * Time for dating certificates: the clock, but never before the release or the last trusted time. A clock that was set
 * ahead, or is far ahead of the gateway's last run, is trusted after an hour. Until then time continues from the last
 * trusted one (docs/tls.md#why).
 */
export class TimeFloor {
  readonly #clock: Clock
  readonly #path: string
  readonly #releasedAt: number
  readonly #watch: ClockWatch
  #lastSeen: number
  #saved: number
  /** Null until a clock has shown a plausible time. */
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
    // A certificate dated by the release proves no time. Two days do not matter, because certificates start that far in
    // the past.
    if (lastRan > releasedAt) this.#belief = { ...this.#present(), wall: lastRan, tolerance: BACKDATE_MS }
    else this.#believe()
  }

  /** Epoch milliseconds to date certificates by. */
  now(): number {
    const now = this.#clock.now()
    const isBelieved = now >= this.#floor() && this.aheadMs === 0
    return isBelieved ? now : Math.max(this.#expected() ?? 0, this.#floor())
  }

  /**
   * The present time in epoch ms, or null if it is unknown. A clock that is set in this run leaves it known by uptime;
   * a clock that is doubtful since the start says nothing.
   */
  get known(): number | null {
    if (this.behindMs === 0 && this.aheadMs === 0) return this.#clock.now()
    return this.#belief?.tolerance === JUMP_MS ? this.#expected() : null
  }

  /** Milliseconds by which the clock is behind the floor, else 0. */
  get behindMs(): number {
    return Math.max(0, this.#floor() - this.#clock.now())
  }

  /** Milliseconds by which the clock is ahead of its expected time, 0 within the tolerance. */
  get aheadMs(): number {
    if (this.#belief === null) return 0
    const ahead = this.#clock.now() - (this.#expected() ?? 0)
    return ahead > this.#belief.tolerance ? ahead : 0
  }

  /** Trusts the clock at an administrator's word: times seen before no longer count, the release still does. */
  trustClock(): void {
    this.#lastSeen = Math.max(this.#clock.now(), this.#releasedAt)
    this.#believe()
  }

  /** Call it about every minute. Trusts the clock once it has run for an hour without being set. */
  observe(): void {
    const isSteady = this.#watch.steady()
    if (isSteady || this.aheadMs === 0) this.#believe()
    if (isSteady) this.#lastSeen = Math.max(this.#lastSeen, this.#clock.now())
  }

  /** True if enough time has passed to justify a write to the flash memory. */
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

  /** Expected time of a clock that was not set. */
  #expected(): number | null {
    if (this.#belief === null) return null
    return this.#belief.wall + this.#clock.boot().uptimeMs - this.#belief.uptime
  }

  /** Continues from the last trusted time if the clock is behind the floor. */
  #believe(): void {
    if (this.behindMs === 0) this.#belief = { ...this.#present(), tolerance: JUMP_MS }
  }

  /** Uses uptime, which includes sleep unlike the monotonic clock, so that sleep does not look like a jump. */
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
