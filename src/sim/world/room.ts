import type { RoomPlan } from '../model/house-plan.ts'
import { noiseAt } from '../model/seeded-random.ts'
import type { Sky } from './sky.ts'
import { MINUTE_MS } from '../../lib/durations.ts'

const STEP_MS = 10 * MINUTE_MS
/** After a longer gap the room restarts from its surroundings. */
const MEMORY_MS = 24 * 3_600_000
const LAG_MS = { temperature: 150 * MINUTE_MS, co2: 45 * MINUTE_MS, damp: 25 * MINUTE_MS }
const CO2_OUTSIDE = 420

/** Effects of units on their room. */
export interface Influence {
  /** Lux of artificial light. */
  lux?(): number
  /** Watts of heat at the given room temperature; negative cools. */
  heat?(celsius: number): number
  /** 0 (covered) to 1 (open), for covers of a window. */
  open?(): number
}

/** Air and light of one room, computed on request. */
export class Room {
  readonly id: string
  readonly plan: RoomPlan
  readonly #sky: Sky
  readonly #seed: string
  readonly #influences: Influence[] = []
  #people = 0
  #awake = 0
  #wall: number
  #temperature: number
  #co2 = 600
  #damp = 0

  constructor(plan: RoomPlan, sky: Sky, seed: string, wall: number) {
    this.id = plan.id
    this.plan = plan
    this.#sky = sky
    this.#seed = `${seed}/room/${plan.id}`
    this.#wall = wall
    this.#temperature = 20
    this.#temperature = this.#balance(wall)
  }

  add(influence: Influence): void {
    this.#influences.push(influence)
  }

  get people(): number {
    return this.#people
  }

  get awake(): number {
    return this.#awake
  }

  /** Sets the people in the room from `wall` on. */
  occupy(people: number, awake: number, wall: number): void {
    this.#catchUp(wall)
    this.#people = people
    this.#awake = awake
  }

  /** A shower or a boiling pot. */
  steam(percent: number, wall: number): void {
    this.#catchUp(wall)
    this.#damp += percent
  }

  /** 0 to 1: share of the window without covers. */
  openness(): number {
    let open = 1
    for (const influence of this.#influences) if (influence.open !== undefined) open *= 0.02 + 0.98 * influence.open()
    return open
  }

  /** Lux of daylight. */
  daylight(wall: number): number {
    return this.plan.daylight * this.#sky.daylight(wall) * this.openness()
  }

  light(wall: number): number {
    let lux = this.daylight(wall)
    for (const influence of this.#influences) lux += influence.lux?.() ?? 0
    return lux
  }

  temperature(wall: number): number {
    if (this.plan.use === 'garden') return this.#sky.temperature(wall)
    this.#catchUp(wall)
    return this.#temperature
  }

  humidity(wall: number): number {
    if (this.plan.use === 'garden') return Math.min(99, this.#sky.humidity(wall))
    this.#catchUp(wall)
    const outside = this.#sky.temperature(wall)
    const base =
      40 +
      0.6 * Math.max(-5, Math.min(25, outside)) +
      6 * noiseAt(`${this.#seed}/damp`, Math.floor(wall / (3 * 3_600_000)))
    return Math.min(98, base + 2 * this.#people + this.#damp)
  }

  co2(wall: number): number {
    if (this.plan.use === 'garden') return CO2_OUTSIDE
    this.#catchUp(wall)
    return this.#co2
  }

  /** Equilibrium temperature: the weather, the house's own heating by day and night, sun, people, units. */
  #balance(wall: number): number {
    const outside = this.#sky.temperature(wall)
    const sun = Math.min(4, this.daylight(wall) / 700)
    const hour = (wall / 3_600_000 + 1) % 24
    const set = this.plan.use === 'utility' || this.plan.use === 'hall' ? 18 : hour > 5 && hour < 21 ? 20.4 : 18.6
    const unheated = 0.72 * outside + 7
    let heat = 0
    for (const influence of this.#influences) heat += influence.heat?.(this.#temperature) ?? 0
    return Math.max(unheated, set) + sun + 0.4 * this.#people + heat / 250
  }

  #catchUp(wall: number): void {
    if (wall <= this.#wall) return
    if (wall - this.#wall > MEMORY_MS) this.#wall = wall - MEMORY_MS
    while (this.#wall < wall) {
      const dt = Math.min(STEP_MS, wall - this.#wall)
      this.#wall += dt
      const near = (lag: number): number => 1 - Math.exp(-dt / lag)
      this.#temperature += (this.#balance(this.#wall) - this.#temperature) * near(LAG_MS.temperature)
      this.#co2 += (CO2_OUTSIDE + 60 + 330 * this.#people - this.#co2) * near(LAG_MS.co2)
      this.#damp *= 1 - near(LAG_MS.damp)
    }
  }
}
