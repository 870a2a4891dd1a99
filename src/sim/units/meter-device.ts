import { refuse, type Command, type Outcome, type State } from '../bus-types.ts'
import type { Device } from './device.ts'
import type { Unit } from './unit.ts'

const WRAP_WH = 0x1_0000_0000

/**
 * A meter in front of what no unit measures: its energy and the units' add up to the house's, and nothing counts twice.
 */
export class MeterDevice implements Device {
  readonly gang = null
  readonly class = 'meter'
  readonly roomId: string | null
  readonly #unit: Unit
  readonly #startWh: number

  constructor(unit: Unit, startWh: number) {
    this.#unit = unit
    this.#startWh = startWh
    this.roomId = unit.plan.room
  }

  state(): State {
    return { class: 'meter', power: this.#watts }
  }

  execute(_command: Command, done: (outcome: Outcome) => void): void {
    done(refuse('not_offered'))
  }

  everyMinute(): void {
    const { agenda, baseLoad } = this.#unit.environment
    const energyWh = Math.floor(this.#startWh + baseLoad.energyWh(agenda.wall())) % WRAP_WH
    this.#unit.report({ kind: 'energy', address: this.#unit.address, gang: null, energyWh, powerW: this.#watts })
    this.#unit.report({ kind: 'readings', address: this.#unit.address, readings: { power: this.#watts } })
  }

  get #watts(): number {
    return Math.round(this.#unit.environment.baseLoad.watts(this.#unit.environment.agenda.wall()) * 10) / 10
  }
}
