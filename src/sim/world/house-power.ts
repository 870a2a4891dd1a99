import { noiseAt } from '../seeded-random.ts'

const FRIDGE_PERIOD_MS = 52 * 60_000
const FRIDGE_SHARE = 0.38
const FRIDGE_WATTS = 85
const STANDBY_WATTS = 95

/** The house's wiring: what all loads draw together, and what no unit measures (fridge, router, standby). */
export class HousePower {
  readonly #seed: string
  #watts = 0
  #wattMs = 0
  #wall: number

  constructor(seed: string, wall: number) {
    this.#seed = seed
    this.#wall = wall
  }

  /** A load changed by `watts`. */
  change(watts: number, wall: number): void {
    this.#catchUp(wall)
    this.#watts += watts
  }

  watts(wall: number): number {
    return Math.max(0, this.#watts) + this.#unmeasured(wall)
  }

  /** Watt-hours since the house was made. */
  energyWh(wall: number): number {
    this.#catchUp(wall)
    return this.#wattMs / 3_600_000
  }

  #unmeasured(wall: number): number {
    const fridge = (wall / FRIDGE_PERIOD_MS) % 1 < FRIDGE_SHARE ? FRIDGE_WATTS : 2
    return STANDBY_WATTS + fridge + 25 * noiseAt(`${this.#seed}/standby`, Math.floor(wall / 600_000))
  }

  #catchUp(wall: number): void {
    if (wall <= this.#wall) return
    this.#wattMs += this.watts(wall) * (wall - this.#wall)
    this.#wall = wall
  }
}
