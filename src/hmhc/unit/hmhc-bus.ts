import type { Clock } from '../../lib/clock.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Random } from '../../lib/random.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { RegisterValues, UnitSchedule } from '../../home/model/register.ts'
import type { Command, DeviceState } from '../../home/model/state.ts'
import type {
  BusDown,
  BusFailure,
  BusReport,
  BusUnit,
  GroupItem,
  Priority,
  Target,
  UnitBus,
} from '../../home/ports/unit-bus.ts'
import { AIR_TIME } from '../exchange/admission.ts'
import { Counters } from '../exchange/counters.ts'
import type { Count } from '../exchange/counters.ts'
import { ExchangeRunner } from '../exchange/exchange-runner.ts'
import type { ClassedState } from '../message/state-codec.ts'
import type { Port } from '../port/port.ts'
import type { RegisterMap } from '../register-map.ts'
import { ClockSetter, machineUtcOffset } from './clock-setter.ts'
import type { UtcOffset } from './clock-setter.ts'
import { NO_ANSWER, refused, UNAVAILABLE, UNKNOWN_UNIT } from './failures.ts'
import { GroupControl } from './group-control.ts'
import { RegisterAccess } from './register-access.ts'
import { ReportGate } from './report-gate.ts'
import { ReportReader } from './report-reader.ts'
import { readSchedules } from './schedule-reader.ts'
import type { UnitChange } from './unit-registry.ts'
import { UnitRegistry } from './unit-registry.ts'
import { UnitRequests } from './unit-requests.ts'
import { UnitSync } from './unit-sync.ts'

/** Used until an adapter has said what it takes. */
const REGISTERS_PER_FRAME = 16
/** How long background requests rest when the radio is jammed or at its limit. */
export const PAUSE_AFTER_TROUBLE_MS = 5 * 60_000

export interface HmhcBusOptions {
  /** Gives a port that was never opened before, each time the line is to be opened. */
  readonly openPort: () => Port
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly registers: RegisterMap
  /** The home's offset from UTC in minutes, for the units' own schedules; the machine's unless said. */
  readonly utcOffset?: UtcOffset
}

/** The unit protocol HMHC (docs/hmhc.md) as the home's `UnitBus`. */
export class HmhcBus implements UnitBus {
  readonly #log: Log
  readonly #counters = new Counters()
  readonly #listeners: Emitter<BusReport>
  readonly #gate: ReportGate<BusReport>
  readonly #registry: UnitRegistry
  readonly #exchange: ExchangeRunner
  readonly #requests: UnitRequests
  readonly #groups: GroupControl
  readonly #sync: UnitSync
  readonly #clockSetter: ClockSetter
  readonly #registers: RegisterAccess
  readonly #reports: ReportReader
  #down: BusDown | null = 'port'
  #radioUp = true
  #listed = false

  constructor(options: HmhcBusOptions) {
    const { clock, log } = options
    const counters = this.#counters
    this.#log = log
    this.#listeners = new Emitter((error) => log.error({ err: error }, 'A listener of the unit bus failed'))
    this.#gate = new ReportGate(clock, (report) => this.#listeners.emit(report))
    this.#registry = new UnitRegistry(clock)
    this.#registers = new RegisterAccess(options.registers)
    const exchange = new ExchangeRunner(
      {
        ...options,
        airTime: AIR_TIME,
        counters,
        isDoubtful: (address) => this.#registry.breaker(address)?.doubtful ?? false,
      },
      {
        ready: (hello) => this.#ready(hello.radioUp),
        down: (why) => this.#lost(why),
        reported: (report) => this.#reports.read(report),
        replied: () => this.#gate.shut(),
      },
    )
    this.#exchange = exchange
    const observer = {
      unitChanged: (change: UnitChange) => this.#unitChanged(change),
      listOutdated: () => this.#sync.listAgain(),
    }
    this.#requests = new UnitRequests({ exchange, registry: this.#registry, counters, observer })
    this.#groups = new GroupControl({
      exchange,
      requests: this.#requests,
      control: (item, priority) => this.control(item.target, item.command, priority),
    })
    this.#sync = new UnitSync({
      exchange,
      requests: this.#requests,
      registry: this.#registry,
      clock,
      log,
      listener: {
        listed: (units) => this.#listedAll(units),
        stateRead: (address, states) => {
          for (const { gang, ...state } of states) this.#stateRead({ address, gang }, state)
        },
      },
    })
    this.#clockSetter = new ClockSetter(clock, options.utcOffset ?? machineUtcOffset, (epoch, offset) => {
      void exchange.send({ name: 'set_clock', epoch, offset }, { priority: 'automation' })
    })
    this.#reports = this.#makeReader()
  }

  get down(): BusDown | null {
    return this.#down
  }

  get units(): ReadonlyMap<number, BusUnit> {
    return this.#registry.units
  }

  start(): void {
    this.#exchange.start()
    this.#clockSetter.start()
  }

  /** Lets go of the line; what is under way fails as unavailable. */
  stop(): void {
    this.#clockSetter.stop()
    this.#sync.stop()
    this.#exchange.stop()
    this.#down = 'port'
  }

  /** What the line went through since the start, and how much waits now. */
  counters(): Readonly<Record<Count | 'waiting' | 'statesOutstanding', number>> {
    return { ...this.#counters.all(), waiting: this.#exchange.waiting, statesOutstanding: this.#sync.outstanding }
  }

  async control(target: Target, command: Command, priority: Priority): Promise<Result<DeviceState, BusFailure>> {
    const refused = this.#precheck(target)
    if (refused !== null) return fail(refused)
    // Brightnesses that wait for one lamp are worth one frame, the newest (Spec 2.4: the answer is what the lamp confirmed).
    const how =
      command.op === 'set_brightness' ? { priority, key: `bri ${target.address} ${target.gang}` } : { priority }
    const reply = await this.#requests.ask<'control'>(target.address, { name: 'control', ...target, command }, how)
    return reply.ok ? this.#plausible(target, reply.value) : reply
  }

  async controlGroup(
    items: readonly GroupItem[],
    priority: Priority,
  ): Promise<readonly Result<DeviceState, BusFailure>[]> {
    const obstacles = items.map(({ target }) => this.#precheck(target))
    const sendable = items.flatMap((item, index) => (obstacles[index] === null ? [{ index, item }] : []))
    const results = await this.#groups.send(sendable, priority, (target, state) => this.#plausible(target, state))
    return items.map((_, index) => results.get(index) ?? fail(obstacles[index] ?? NO_ANSWER))
  }

  async readRegisters(target: Target, priority: Priority): Promise<Result<RegisterValues, BusFailure>> {
    const unit = this.#registry.units.get(target.address)
    const refused = this.#precheck(target)
    if (refused !== null || unit === undefined) return fail(refused ?? UNKNOWN_UNIT)
    return this.#registers.read(unit, target, this.#perFrame, async (registers) => {
      const reply = await this.#requests.ask<'read_registers'>(
        target.address,
        { name: 'read_registers', ...target, registers },
        { priority },
      )
      return reply.ok ? ok(reply.value.registers) : reply
    })
  }

  async writeRegisters(
    target: Target,
    values: RegisterValues,
    priority: Priority,
  ): Promise<Result<RegisterValues, BusFailure>> {
    const unit = this.#registry.units.get(target.address)
    const refused = this.#precheck(target)
    if (refused !== null || unit === undefined) return fail(refused ?? UNKNOWN_UNIT)
    return this.#registers.write(unit, target, values, this.#perFrame, async (registers) => {
      const reply = await this.#requests.ask<'write_registers'>(
        target.address,
        { name: 'write_registers', ...target, registers },
        { priority },
      )
      return reply.ok ? ok(reply.value.registers) : reply
    })
  }

  async readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>> {
    const refused = this.#precheck({ address, gang: null })
    return refused === null ? readSchedules(this.#requests, address, priority) : fail(refused)
  }

  async ping(address: number, priority: Priority): Promise<Result<null, BusFailure>> {
    const refused = this.#precheck({ address, gang: null })
    if (refused !== null) return fail(refused)
    const reply = await this.#requests.ask<'ping'>(address, { name: 'ping', address }, { priority })
    return reply.ok ? ok(null) : reply
  }

  onReport(listener: (report: BusReport) => void): () => void {
    return this.#listeners.on(listener)
  }

  get #perFrame(): number {
    return this.#exchange.hello?.registersMax ?? REGISTERS_PER_FRAME
  }

  /** What stands in the way of any frame to this target, known without asking. */
  #precheck(target: Target): BusFailure | null {
    if (this.#down !== null) return UNAVAILABLE
    if (!this.#registry.units.has(target.address)) return UNKNOWN_UNIT
    return this.#registry.classOf(target) === undefined ? refused('the unit has no such gang') : null
  }

  /** A confirmed state has its device's class; anything else is not about this device. */
  #plausible(target: Target, reply: ClassedState): Result<DeviceState, BusFailure> {
    if (reply.class === this.#registry.classOf(target)) return ok(reply.state)
    this.#counters.add('implausibleReports')
    return fail(NO_ANSWER)
  }

  #makeReader(): ReportReader {
    return new ReportReader({
      registry: this.#registry,
      registers: this.#registers,
      listener: {
        passed: (report) => this.#gate.pass(report),
        implausible: (what) => {
          this.#counters.add('implausibleReports')
          this.#log.warn(what, 'The adapter reported something that does not fit its units')
          this.#sync.listAgain()
        },
        heard: (address) => {
          const change = this.#registry.heard(address)
          if (change !== null) this.#unitChanged(change)
        },
        unitChanged: (change) => this.#unitChanged(change),
        trouble: (trouble) => {
          this.#log.warn({ trouble }, 'The radio has trouble; background requests rest')
          this.#exchange.pauseBackground(PAUSE_AFTER_TROUBLE_MS)
        },
        radio: (up) => this.#radioChanged(up),
      },
    })
  }

  /** A session began: everything that was missed is read again. */
  #ready(radioUp: boolean): void {
    this.#radioUp = radioUp
    this.#listed = false
    this.#clockSetter.set()
    void this.#sync.list()
  }

  #listedAll(units: readonly BusUnit[]): void {
    const first = this.#registry.units.size === 0
    const changes = this.#registry.replace(units)
    this.#listed = true
    this.#log.info({ units: units.length }, 'The adapter told its units')
    // At the first contact every unit is new; only those that cannot be reached are news then.
    const events = first
      ? units.filter((unit) => !unit.reachable).map((unit) => ({ change: 'lost' as const, unit }))
      : changes
    for (const change of events) this.#gate.pass({ kind: 'unit', ...change })
    this.#radioChanged(this.#radioUp)
  }

  #radioChanged(up: boolean): void {
    this.#radioUp = up
    if (!this.#listed) return
    this.#setDown(up ? null : 'radio')
    if (up) this.#sync.readAll()
    else this.#exchange.dropRadio()
  }

  #lost(why: 'port' | 'silent'): void {
    this.#sync.stop()
    this.#setDown(why)
  }

  #setDown(down: BusDown | null): void {
    if (down === this.#down) return
    this.#down = down
    this.#log.info({ down }, down === null ? 'The unit protocol carries frames' : 'The unit protocol carries no frames')
    this.#gate.pass({ kind: 'link', down })
  }

  #unitChanged(change: UnitChange): void {
    this.#gate.pass({ kind: 'unit', ...change })
    if (change.change !== 'lost') this.#sync.read(change.unit.address)
  }

  #stateRead(target: Target, read: ClassedState): void {
    if (!this.#plausible(target, read).ok) return
    // What sensors and meters hold are readings, whichever way they come.
    if (read.class === 'sensor' || read.class === 'meter')
      this.#gate.pass({ kind: 'readings', address: target.address, readings: read.state })
    else this.#gate.pass({ kind: 'state', target, state: read.state, trigger: 'sync' })
  }
}
