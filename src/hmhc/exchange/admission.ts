import type { Priority } from '../../home/ports/unit-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import type { BucketOptions } from '../../lib/token-bucket.ts'
import type { Exchange } from './exchange.ts'

/** Air time for radio requests that nobody waits for: this many a minute, and this many at once after a rest. */
export const BACKGROUND_A_MINUTE = 30
export const BACKGROUND_AT_ONCE = 60
export const AIR_TIME: BucketOptions = { perSecond: BACKGROUND_A_MINUTE / 60, burst: BACKGROUND_AT_ONCE }

export interface AdmissionOptions {
  readonly clock: Clock
  /** The budget of background radio requests. */
  readonly airTime: BucketOptions
  /** Whether a unit was silent lately: such units together get half of the places, so that they never hold all. */
  readonly isDoubtful: (address: number) => boolean
}

/**
 * Decides which waiting request may go to the adapter now: places in flight, one request for each unit, one group of
 * each asker, air time for the background.
 */
export class Admission {
  readonly #isDoubtful: (address: number) => boolean
  readonly #airTime: TokenBucket

  constructor({ clock, airTime, isDoubtful }: AdmissionOptions) {
    this.#isDoubtful = isDoubtful
    this.#airTime = new TokenBucket(clock, airTime)
  }

  /** Milliseconds until a background request may go; 0 when it may go now. */
  get backgroundWaitMs(): number {
    return Math.ceil(this.#airTime.waitSeconds * 1_000)
  }

  /** The radio asks for quiet: background requests pause, and have no reserve afterwards. */
  pauseBackground(ms: number): void {
    this.#airTime.pause(ms / 1_000)
  }

  /** Whether it may go beside those in flight. A yes to a background request takes its air time. */
  mayGo(exchange: Exchange, priority: Priority, inFlight: ReadonlyMap<number, Exchange>, inFlightMax: number): boolean {
    // The last place is kept for people and automations: a slow background read never makes them wait.
    const places = priority === 'background' ? Math.max(1, inFlightMax - 1) : inFlightMax
    if (inFlight.size >= places) return false
    const others = [...inFlight.values()]
    if (others.some((other) => other.units.some((unit) => exchange.units.includes(unit)))) return false
    // One command of another waits for the air at most until one group has answered, not for several.
    if (exchange.group && others.some((other) => other.group && other.asker === exchange.asker)) return false
    const doubtful = others.filter((other) => other.units.some(this.#isDoubtful)).length
    if (exchange.units.some(this.#isDoubtful) && doubtful >= Math.max(1, inFlightMax >> 1)) return false
    return priority !== 'background' || exchange.urgent || !exchange.radio || this.#airTime.take()
  }
}
