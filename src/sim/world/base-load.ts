import { noiseAt } from '../model/seeded-random.ts'

const FRIDGE_PERIOD_MS = 52 * 60_000
const FRIDGE_SHARE = 0.38
const FRIDGE_WATTS = 85
const STANDBY_WATTS = 95

/** Consumers without a unit: fridge, router, standby. A meter measures them. */
export class BaseLoad {
  readonly #seed: string
  #wattMs = 0
  #wall: number

  constructor(seed: string, wall: number) {
    this.#seed = seed
    this.#wall = wall
  }

  watts(wall: number): number {
    const fridge = (wall / FRIDGE_PERIOD_MS) % 1 < FRIDGE_SHARE ? FRIDGE_WATTS : 2
    return STANDBY_WATTS + fridge + 25 * noiseAt(`${this.#seed}/standby`, Math.floor(wall / 600_000))
  }

  /** Watt-hours since the house was created. */
  energyWh(wall: number): number {
    if (wall > this.#wall) {
      this.#wattMs += this.watts(wall) * (wall - this.#wall)
      this.#wall = wall
    }
    return this.#wattMs / 3_600_000
  }
}
