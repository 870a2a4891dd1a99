import type { HomeBus } from '../../../src/gateway/home.ts'
import type {
  DeviceClass,
  RegisterValues,
  UnitSchedule,
  Command,
  DeviceState,
  BusDown,
} from '../../../src/home/model/device.ts'
import type { Unit } from '../../../src/home/model/house.ts'
import type { BusFailure, BusReport, BusUnit, UnitTarget } from '../../../src/home/ports/unit-bus.ts'
import { fail, ok, type Result } from '../../../src/lib/result.ts'

const FIRST: Readonly<Record<DeviceClass, DeviceState>> = {
  light_switch: { on: false, mode: 'manual' },
  light_dimmer: { on: false, bri: 0, mode: 'manual' },
  shutter: { pos: 100, move: 'stopped', mode: 'auto' },
  curtain: { pos: 0, move: 'stopped', mode: 'manual' },
  power_switch: { on: false, mode: 'eco', temp: 21 },
  sense_switch: { on: false, mode: 'manual' },
  ac: { on: false, temp: 22, mode: 'cool', fan: 'auto' },
  ir_remote: { key: null },
  lock: { locked: true },
  gate: { pos: 0, move: 'stopped' },
  sensor: { temperature: 20 },
  meter: { power: 100 },
  gang_module: { temperature: 0 },
  switch_gang: { on: false, mode: 'manual' },
  shutter_gang: {
    pos: 50,
    move: 'stopped',
    mode: 'manual',
  },
}

/** Bus properties of a unit that the house does not store. */
export interface BusSide {
  /** Registers of the unit itself, or of one of its gangs. */
  registers(unit: Unit, gang: number | null): RegisterValues
  schedules(unit: Unit): readonly UnitSchedule[]
}

const NOTHING_BESIDES: BusSide = { registers: () => ({}), schedules: () => [] }

/** A bus without a radio. Units obey at once, so traffic of one unit never delays another. */
export class QuietBus implements HomeBus {
  down: BusDown | null = 'port'
  readonly retryMs = null
  readonly #units: () => Iterable<Unit>
  readonly #side: BusSide
  readonly #listeners = new Set<(report: BusReport) => void>()
  readonly #states = new Map<string, DeviceState>()
  readonly #registers = new Map<string, RegisterValues>()
  readonly silent = new Set<number>()
  /** While a test sets this promise, commands are answered only after it resolves. */
  held: Promise<void> | null = null

  constructor(units: () => Iterable<Unit>, side: BusSide = NOTHING_BESIDES) {
    this.#units = units
    this.#side = side
  }

  readonly units = {
    get: (address: number): BusUnit | undefined => {
      const unit = this.#at(address)
      return unit && this.#busUnit(unit)
    },
    has: (address: number): boolean => this.#at(address) !== undefined,
    size: Infinity,
    values: () => [...this.#units()].map((unit) => this.#busUnit(unit)).values(),
  } as HomeBus['units']

  start(): void {
    this.setLink(null)
    for (const unit of this.#units()) this.#reportState(unit)
  }

  refresh(address: number): void {
    const unit = this.#at(address)
    if (this.down === null && unit !== undefined) this.#reportState(unit)
  }

  #reportState(unit: Unit): void {
    for (const gang of unit.class === 'gang_module' ? unit.gangs.map((gang) => gang.gang) : [null]) {
      const target = { address: unit.address, gang }
      this.report({ kind: 'state', target, state: this.stateOf(target), trigger: 'sync' })
    }
  }

  stop(): void {
    this.#listeners.clear()
  }

  counters(): ReturnType<HomeBus['counters']> {
    throw new Error('A bus without a radio counts nothing.')
  }

  setLink(down: BusDown | null): void {
    if (this.down === down) return
    this.down = down
    this.report({ kind: 'link', down })
  }

  /** Sets whether a unit is silent. */
  setSilent(unit: Unit, silent: boolean): void {
    if (this.silent.has(unit.address) === silent) return
    if (silent) this.silent.add(unit.address)
    else this.silent.delete(unit.address)
    this.report({ kind: 'unit', change: silent ? 'lost' : 'back', unit: this.#busUnit(unit) })
  }

  stateOf(target: UnitTarget): DeviceState {
    const unit = this.#at(target.address)
    const kind = unit?.gangs.find(({ gang }) => gang === target.gang)?.class ?? unit?.class ?? 'light_switch'
    const state = this.#states.get(nameOf(target)) ?? FIRST[kind]
    const switches = 'temp' in state && !('fan' in state)
    return switches && this.#registersOf(target)['climate_load'] === 0 ? { ...state, temp: null } : state
  }

  obstacle(target: UnitTarget): BusFailure | null {
    const refused = this.#precheck(target)
    return refused?.ok === false ? refused.error : null
  }

  async control(target: UnitTarget, command: Command): Promise<Result<DeviceState, BusFailure>> {
    if (this.held) await this.held
    const refused = this.#precheck(target)
    if (refused) return refused
    const state = after(this.stateOf(target), command)
    this.#states.set(nameOf(target), state)
    return ok(state)
  }

  controlGroup(
    items: readonly { readonly target: UnitTarget; readonly command: Command }[],
  ): Promise<Result<DeviceState, BusFailure>[]> {
    return Promise.all(items.map(({ target, command }) => this.control(target, command)))
  }

  readState(target: UnitTarget): Promise<Result<DeviceState, BusFailure>> {
    return Promise.resolve(this.#precheck(target) ?? ok(this.stateOf(target)))
  }

  readRegisters(target: UnitTarget): Promise<Result<RegisterValues, BusFailure>> {
    return Promise.resolve(this.#precheck(target) ?? ok(this.#registersOf(target)))
  }

  writeRegisters(target: UnitTarget, values: RegisterValues): Promise<Result<RegisterValues, BusFailure>> {
    const refused = this.#precheck(target)
    if (refused) return Promise.resolve(refused)
    const held = { ...this.#registersOf(target), ...values }
    this.#registers.set(nameOf(target), held)
    return Promise.resolve(ok(held))
  }

  readSchedules(address: number): Promise<Result<readonly UnitSchedule[], BusFailure>> {
    const unit = this.#at(address)
    return Promise.resolve(this.#precheck({ address, gang: null }) ?? ok(unit ? this.#side.schedules(unit) : []))
  }

  identify(target: UnitTarget): Promise<Result<null, BusFailure>> {
    return Promise.resolve(this.#precheck(target) ?? ok(null))
  }

  ping(address: number): Promise<Result<null, BusFailure>> {
    return Promise.resolve(this.#precheck({ address, gang: null }) ?? ok(null))
  }

  onReport(listener: (report: BusReport) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A unit sends a report unasked. */
  report(report: BusReport): void {
    if (report.kind === 'state') this.#states.set(nameOf(report.target), report.state)
    if (report.kind === 'registers')
      this.#registers.set(nameOf(report.target), { ...this.#registersOf(report.target), ...report.values })
    for (const listener of this.#listeners) listener(report)
  }

  #registersOf(target: UnitTarget): RegisterValues {
    const unit = this.#at(target.address)
    return this.#registers.get(nameOf(target)) ?? (unit ? this.#side.registers(unit, target.gang) : {})
  }

  #precheck({ address }: UnitTarget): Result<never, BusFailure> | null {
    if (this.down !== null) return fail({ kind: 'unavailable' })
    if (!this.#at(address)) return fail({ kind: 'unknown_unit' })
    return this.silent.has(address) ? fail({ kind: 'no_answer' }) : null
  }

  #at(address: number): Unit | undefined {
    for (const unit of this.#units()) if (unit.address === address) return unit
    return undefined
  }

  #busUnit(unit: Unit): BusUnit {
    const { address, model, class: unitClass, gangs } = unit
    return {
      address,
      model: model ?? 'HMHHX1',
      class: unitClass,
      firmware: '1.0.0',
      gangs,
      reachable: !this.silent.has(address),
    }
  }
}

const nameOf = ({ address, gang }: UnitTarget): string => `${address}:${gang}`

/** The state that a command leads to, at once. */
function after(state: DeviceState, command: Command): DeviceState {
  switch (command.op) {
    case 'set_power':
      return { ...state, ...command.args, ...('bri' in state ? { bri: command.args.on ? 80 : 0 } : {}) }
    case 'set_brightness':
      return { ...state, ...command.args, on: command.args.bri > 0 }
    case 'open':
    case 'close':
      return 'locked' in state
        ? { locked: command.op === 'close' }
        : { ...state, pos: command.op === 'open' ? 100 : 0, move: 'stopped' }
    case 'stop':
      return { ...state, move: 'stopped' }
    default:
      // The caller has checked that the device supports the command.
      return { ...state, ...command.args } as DeviceState
  }
}
