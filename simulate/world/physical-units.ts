import type { Report, State } from '../../src/sim/model/bus-types.ts'
import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import type { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import type { Unit } from '../../src/sim/units/unit.ts'

/** A counter report of a unit. */
export interface CounterReport {
  readonly gang: number | null
  readonly wh: number
  /** Monotonic milliseconds. */
  readonly at: number
  /** `at` by the wall clock, epoch ms. */
  readonly wall: number
  /** True if it certainly reached the gateway. */
  certain: boolean
}

/** One physical unit with all its reports, independent of its id in the house. */
export class PhysicalUnit {
  readonly number: number
  readonly plan: UnitPlan
  readonly unit: Unit
  /** True if its counters began at 0 when it was installed. */
  readonly isNew: boolean
  readonly counters: CounterReport[] = []
  /** Time of the last report of each state, by gang and state. */
  readonly #states = new Map<string, number>()
  readonly #readings = new Set<string>()
  readonly #registers = new Set<string>()

  constructor(number: number, plan: UnitPlan, unit: Unit) {
    this.number = number
    this.plan = plan
    this.unit = unit
    this.isNew = plan.energyWh === 0
  }

  /** Model and gangs in the adapter's listing. */
  get listing(): string {
    const { model, gangs } = this.unit.info
    return `${model} ${gangs.map(({ gang, class: gangClass }) => `${gang} ${gangClass}`).join(',')}`
  }

  /** Time of the last report of a state, monotonic milliseconds, or undefined. */
  reportedState(gang: number | null, state: object): number | undefined {
    return this.#states.get(`${gang} ${stateText(state)}`)
  }

  /** States reported since a time, monotonic milliseconds. */
  statesSince(gang: number | null, since: number): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#states]
      .filter(([text, at]) => at >= since && text.startsWith(`${gang} `))
      .map(([text]) => Object.fromEntries(JSON.parse(text.slice(text.indexOf(' ') + 1)) as [string, unknown][]))
  }

  /** True if the unit reported a value. Values on the wire are rounded, except counters. */
  reportedReading(gang: number | null, kind: string, value: unknown): boolean {
    if (typeof value !== 'number' || kind === 'energy') return this.#readings.has(`${gang} ${kind} ${String(value)}`)
    const tenths = Math.round(value * 10)
    return [-1, 0, 1].some((by) => this.#readings.has(`${gang} ${kind} ${tenths + by} tenths`))
  }

  /** True if a setting of the unit itself ever had a value. */
  hadRegister(name: string, value: unknown): boolean {
    return this.#registers.has(`${name} ${String(value)}`)
  }

  takeState(gang: number | null, { class: unitClass, ...state }: State, at: number): void {
    this.#states.set(`${gang} ${stateText(state)}`, at)
    if (unitClass === 'sensor' || unitClass === 'meter') this.#takeReadings(null, state)
  }

  takeReport(report: Report, { at, wall, certain }: Pick<CounterReport, 'at' | 'wall' | 'certain'>): void {
    if (report.kind === 'state_changed') this.takeState(report.gang, report.state, at)
    if (report.kind === 'readings') this.#takeReadings(null, report.readings)
    if (report.kind === 'detection') this.#takeReadings(null, { [report.detection]: report.value })
    if (report.kind !== 'energy') return
    const { gang, energyWh, powerW } = report
    this.counters.push({ gang, wh: energyWh, at, wall, certain })
    this.#takeReadings(gang, { energy: energyWh, power: powerW })
  }

  takeRegisters(): void {
    const { settings } = this.unit
    for (const name of MARKED_REGISTERS) if (settings.has(name)) this.#registers.add(`${name} ${settings.value(name)}`)
  }

  #takeReadings(gang: number | null, readings: object): void {
    for (const [kind, value] of Object.entries(readings)) {
      const isRounded = typeof value === 'number' && kind !== 'energy'
      this.#readings.add(`${gang} ${kind} ${isRounded ? `${Math.round(value * 10)} tenths` : String(value)}`)
    }
  }
}

/** Settings with a different value in each unit, so that a value identifies its unit. */
export const MARKED_REGISTERS = ['turn_on_brightness'] as const

interface PhysicalUnitsParts {
  readonly house: SimulatedHouse
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Epoch ms. */
  readonly wall: () => number
  /** True if a report now certainly reaches the gateway. */
  readonly reaches: () => boolean
}

/** The physical units of a home, in its network and removed from it. */
export class PhysicalUnits {
  readonly #parts: PhysicalUnitsParts
  readonly #byAddress = new Map<number, PhysicalUnit>()
  readonly #all: PhysicalUnit[] = []
  readonly #listeners: (() => void)[] = []

  constructor(parts: PhysicalUnitsParts) {
    this.#parts = parts
    for (const unit of parts.house.house.units) this.#take(unit.plan)
  }

  /** The unit in the network at an address. */
  at(address: number): PhysicalUnit | undefined {
    return this.#byAddress.get(address)
  }

  all(): readonly PhysicalUnit[] {
    return [...this.#byAddress.values()]
  }

  /** True if a fast clock dated a counter report in the future. */
  get reportedAhead(): boolean {
    const now = this.#parts.wall()
    return this.#all.some(({ counters }) => counters.some(({ wall }) => wall > now))
  }

  /** Calls `listener` after each change of the units. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Installs another unit at an address. */
  install(plan: UnitPlan): void {
    this.#parts.house.house.install(plan)
    this.#take(plan)
    this.#changed()
    this.#parts.house.join(plan.address)
  }

  /** Takes the unit at an address out of the network; the returned function puts the same unit back. */
  takeOut(address: number): () => void {
    const physical = this.#byAddress.get(address)
    this.#parts.house.uninstall(address)
    this.#byAddress.delete(address)
    this.#changed()
    return () => {
      if (physical === undefined || this.#byAddress.has(address)) return
      this.#byAddress.set(address, physical)
      this.#changed()
      this.#parts.house.putBack(physical.unit)
    }
  }

  /** Marks the counter reports since `since` (monotonic milliseconds) as possibly lost. */
  doubt(since: number): void {
    for (const { counters } of this.#all)
      for (const counter of counters) if (counter.at >= since) counter.certain = false
  }

  #take(plan: UnitPlan): void {
    const unit = this.#parts.house.house.unit(plan.address)
    if (unit === undefined) return
    const physical = new PhysicalUnit(this.#all.length + 1, plan, unit)
    this.#all.push(physical)
    this.#byAddress.set(plan.address, physical)
    this.#listenTo(physical)
  }

  /** Records everything that a unit sends: reports, states, outcomes and settings. */
  #listenTo(physical: PhysicalUnit): void {
    const { now, wall, reaches } = this.#parts
    const { unit } = physical
    physical.takeRegisters()
    const [report, states] = [unit.report.bind(unit), unit.states.bind(unit)]
    const [execute, write] = [unit.execute.bind(unit), unit.writeRegisters.bind(unit)]
    const recording: Pick<Unit, 'report' | 'states' | 'execute' | 'writeRegisters'> = {
      report: (its) => {
        if (unit.answers) physical.takeReport(its, { at: now(), wall: wall(), certain: reaches() })
        report(its)
      },
      states: () => {
        const read = states()
        for (const { gang, state } of read) physical.takeState(gang, state, now())
        return read
      },
      execute: (gang, command, done) =>
        execute(gang, command, (outcome) => {
          if (outcome.result === 'done') physical.takeState(gang, outcome.state, now())
          done(outcome)
        }),
      writeRegisters: (gang, registers) => {
        const refusal = write(gang, registers)
        physical.takeRegisters()
        return refusal
      },
    }
    Object.assign(unit, recording)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A state as text, with sorted fields. */
export function stateText(state: object): string {
  return JSON.stringify(Object.entries(state).sort(([a], [b]) => (a < b ? -1 : 1)))
}
