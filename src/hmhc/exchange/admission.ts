import type { Priority } from '../../home/ports/unit-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import { DutyBudget } from './duty-budget.ts'
import type { Exchange } from './exchange.ts'

export interface AdmissionOptions {
  readonly clock: Clock
  /** Background radio requests a second, and how many may go at once after a rest. */
  readonly duty: { readonly perSecond: number; readonly reserve: number }
  /** Whether a unit was silent lately: such units together get half of the places, so that they never hold all. */
  readonly isDoubtful: (address: number) => boolean
}

/** Decides which waiting request may go to the adapter now: places in flight, one request for each unit, air time for the background. */
export class Admission {
  readonly #isDoubtful: (address: number) => boolean
  readonly #duty: DutyBudget

  constructor({ clock, duty, isDoubtful }: AdmissionOptions) {
    this.#isDoubtful = isDoubtful
    this.#duty = new DutyBudget(clock, duty.perSecond, duty.reserve)
  }

  /** Milliseconds until a background request may go; 0 when it may go now. */
  get backgroundWaitMs(): number {
    return this.#duty.waitMs
  }

  /** The radio asks for quiet: background requests pause. */
  pauseBackground(ms: number): void {
    this.#duty.pause(ms)
  }

  /** Whether it may go beside those in flight. A yes to a background request takes its air time. */
  mayGo(exchange: Exchange, priority: Priority, inFlight: ReadonlyMap<number, Exchange>, inFlightMax: number): boolean {
    // The last place is kept for people and automations: a slow background read never makes them wait.
    const places = priority === 'background' ? Math.max(1, inFlightMax - 1) : inFlightMax
    if (inFlight.size >= places) return false
    const others = [...inFlight.values()]
    if (others.some((other) => other.units.some((unit) => exchange.units.includes(unit)))) return false
    const doubtful = others.filter((other) => other.units.some(this.#isDoubtful)).length
    if (exchange.units.some(this.#isDoubtful) && doubtful >= Math.max(1, inFlightMax >> 1)) return false
    if (priority !== 'background' || exchange.urgent || !exchange.radio) return true
    if (this.#duty.waitMs > 0) return false
    this.#duty.take()
    return true
  }
}
