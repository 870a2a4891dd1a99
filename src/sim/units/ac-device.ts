import { refuse, type AcMode, type Command, type Fan, type Outcome, type State, type Touch } from '../bus-types.ts'
import type { Room } from '../world/room.ts'
import type { Device } from './device.ts'
import { EnergyCounter } from './energy-counter.ts'
import type { Unit } from './unit.ts'

/** Watts of heat moved at full load, and what the compressor draws for it. */
const CAPACITY_W = 2_600
const DRAW_W = 780
const FAN_W: Readonly<Record<Fan, number>> = { auto: 25, low: 15, medium: 30, high: 50 }

/** An air conditioner: pulls its room's temperature to the set point while it runs. */
export class AcDevice implements Device {
  readonly gang = null
  readonly class = 'ac'
  readonly roomId: string | null
  readonly energy: EnergyCounter
  readonly #unit: Unit
  readonly #room: Room | null
  #on = false
  #temp = 23
  #mode: AcMode = 'cool'
  #fan: Fan = 'auto'

  constructor(unit: Unit, startWh: number) {
    this.#unit = unit
    this.roomId = unit.plan.room
    const { agenda } = unit.environment
    this.energy = new EnergyCounter(agenda, startWh, (energyWh, powerW) =>
      unit.report({ kind: 'energy', address: unit.address, gang: null, energyWh, powerW }),
    )
    this.#room = unit.environment.room(this.roomId)
    this.#room?.add({ heat: (celsius) => this.#effort(celsius) * CAPACITY_W })
  }

  state(): State {
    return { class: 'ac', on: this.#on, temp: this.#temp, mode: this.#mode, fan: this.#fan }
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    switch (command.op) {
      case 'set_power':
        this.#on = command.on
        break
      case 'set_temp':
        this.#temp = Math.round(command.temp * 2) / 2
        break
      case 'set_ac_mode':
        this.#mode = command.mode
        break
      case 'set_fan':
        this.#fan = command.fan
        break
      default:
        return done(refuse('not_offered'))
    }
    this.everyMinute()
    done({ result: 'done', state: this.state() })
  }

  get on(): boolean {
    return this.#on
  }

  /** Its own hand-held remote: up turns it on, down off. */
  touch({ key }: Touch): void {
    const on = key === 'up'
    if (on === this.#on) return
    this.#on = on
    this.everyMinute()
    this.#unit.reportState(this, 'touch')
  }

  everyMinute(): void {
    const celsius = this.#room?.temperature(this.#unit.environment.agenda.wall()) ?? this.#temp
    this.energy.draw(this.#on ? Math.round(FAN_W[this.#fan] + Math.abs(this.#effort(celsius)) * DRAW_W) : 0)
    this.energy.everyMinute()
  }

  mainsLost(): void {
    this.energy.draw(0)
  }

  mainsBack(): void {
    this.everyMinute()
    this.#unit.reportState(this, 'mains_return')
  }

  /** -1 (full cooling) to 1 (full heating). */
  #effort(celsius: number): number {
    if (!this.#on || !this.#unit.powered || this.#mode === 'fan_only') return 0
    if (this.#mode === 'dry') return -0.15
    const wanted = Math.max(-1, Math.min(1, this.#temp - celsius))
    const rounded = Math.round(wanted * 10) / 10
    if (this.#mode === 'cool') return Math.min(0, rounded)
    return this.#mode === 'heat' ? Math.max(0, rounded) : rounded
  }
}
