import {
  refuse,
  type Command,
  type Outcome,
  type State,
  type Touch,
  type RemoteKey,
  type AcMode,
  type Fan,
} from '../model/bus-types.ts'
import type { Device } from './device.ts'
import type { Unit } from './unit.ts'
import type { Measuring } from './measuring.ts'
import type { Room } from '../world/room.ts'
import { EnergyCounter, WRAP_WH } from './energy-counter.ts'

const BOLT_MS = 900

/** A lock: its bolt takes a moment, and the lock confirms the bolt's position after that. */
export class LockDevice implements Device {
  readonly gang = null
  readonly class = 'lock'
  readonly roomId: string | null
  readonly #unit: Unit
  #locked = true
  /** An obstacle blocks the bolt. */
  jammed = false

  constructor(unit: Unit) {
    this.#unit = unit
    this.roomId = unit.plan.room
  }

  state(): State {
    return { class: 'lock', locked: this.#locked }
  }

  execute(command: Command, done: (outcome: Outcome) => void): void {
    if (command.op !== 'open' && command.op !== 'close') return done(refuse('not_offered'))
    const locked = command.op === 'close'
    if (locked === this.#locked) return done({ result: 'done', state: this.state() })
    this.#unit.environment.agenda.after(BOLT_MS, () => {
      if (this.jammed) return done(refuse('blocked'))
      this.#locked = locked
      done({ result: 'done', state: this.state() })
    })
  }

  /** Turned by hand, with a key or the knob inside: up unlocks, down locks. */
  touch({ key }: Touch): void {
    const locked = key === 'down'
    if (locked === this.#locked || this.jammed) return
    this.#locked = locked
    this.#unit.reportState(this, 'touch')
  }
}

/** A device of a unit without commands. */
const onlyTells = ({ plan }: Unit) => ({
  gang: null,
  roomId: plan.room,
  execute: (_command: Command, done: (outcome: Outcome) => void): void => done(refuse('not_offered')),
})

/** A meter for consumers without a unit: its energy and the units' add up to the house's, without double counting. */
export function meterDevice(unit: Unit, startWh: number): Device {
  const { address } = unit
  const { agenda, baseLoad } = unit.environment
  const watts = (): number => Math.round(baseLoad.watts(agenda.wall()) * 10) / 10
  return {
    ...onlyTells(unit),
    class: 'meter',
    state: () => ({ class: 'meter', power: watts() }),
    everyMinute: () => {
      const energyWh = Math.floor(startWh + baseLoad.energyWh(agenda.wall())) % WRAP_WH
      unit.report({ kind: 'energy', address, gang: null, energyWh, powerW: watts() })
      unit.report({ kind: 'readings', address, readings: { power: watts() } })
    },
  }
}

export function sensorDevice(unit: Unit, measuring: Measuring): Device {
  return { ...onlyTells(unit), class: 'sensor', state: () => ({ class: 'sensor', ...measuring.reported }) }
}

/** An IR remote: sends keys to a television and a stereo that never answer. */
export function remoteDevice(roomId: string | null): Device {
  let key: RemoteKey | null = null
  const state = (): State => ({ class: 'ir_remote', key })
  return {
    gang: null,
    class: 'ir_remote',
    roomId,
    state,
    execute: (command, done) => {
      if (command.op !== 'key') return done(refuse('not_offered'))
      key = command.key
      done({ result: 'done', state: state() })
    },
  }
}

/** Watts of heat moved at full load, and the compressor's power for it. */
const CAPACITY_W = 2_600
const DRAW_W = 780
const FAN_W: Readonly<Record<Fan, number>> = { auto: 25, low: 15, medium: 30, high: 50 }

/** An air conditioner: moves its room's temperature to the set point while it runs. */
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
