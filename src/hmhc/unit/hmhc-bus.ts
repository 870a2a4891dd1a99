import { Emitter } from '../../lib/emitter.ts'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import type { RegisterValues, UnitSchedule, Command, DeviceState, BusDown } from '../../home/model/device.ts'
import type {
  Requester,
  BusFailure,
  BusReport,
  BusUnit,
  GroupItem,
  Priority,
  UnitTarget,
  UnitBus,
} from '../../home/ports/unit-bus.ts'
import { NO_ANSWER, refused, UNKNOWN_UNIT } from './unit-requests.ts'
import { GroupControl } from './group-control.ts'
import { readRegisters, readSchedules, writeRegisters } from './register-access.ts'
import { UnitConnection, type ConnectionOptions } from './unit-connection.ts'

/** Used until an adapter has sent its limit. */
const REGISTERS_PER_FRAME = 16

/** The unit protocol HMHC (docs/hmhc.md) as the home's `UnitBus`. */
export class HmhcBus implements UnitBus {
  readonly #reports: Emitter<BusReport>
  readonly #connection: UnitConnection
  readonly #groups: GroupControl

  constructor(options: ConnectionOptions) {
    this.#reports = new Emitter((error) => options.log.error({ err: error }, 'A listener of the unit bus failed'))
    this.#connection = new UnitConnection(options, (report) => this.#reports.emit(report))
    this.#groups = new GroupControl({
      exchange: this.#connection.exchange,
      requests: this.#connection.requests,
      control: (item, priority, asker) => this.control(item.target, item.command, priority, asker),
    })
  }

  get down(): BusDown | null {
    return this.#connection.down
  }

  get retryMs(): number | null {
    return this.#connection.exchange.retryMs
  }

  get units(): ReadonlyMap<number, BusUnit> {
    return this.#connection.registry.units
  }

  start(): void {
    this.#connection.start()
  }

  /** Closes the line; pending requests fail as unavailable. */
  stop(): void {
    this.#connection.stop()
  }

  /** Line counters since the start, and the number of waiting requests. */
  counters(): ReturnType<UnitConnection['counters']> {
    return this.#connection.counters()
  }

  obstacle(target: UnitTarget): BusFailure | null {
    const { registry, requests } = this.#connection
    const known = this.#connection.precheck(target) ?? requests.leftAlone(target.address)
    return known ?? (registry.units.get(target.address)?.reachable === false ? NO_ANSWER : null)
  }

  async control(
    target: UnitTarget,
    command: Command,
    priority: Priority,
    asker: Requester = null,
  ): Promise<Result<DeviceState, BusFailure>> {
    const { requests } = this.#connection
    const refused = this.#connection.precheck(target)
    if (refused !== null) return fail(refused)
    // Only the newest waiting brightness of a lamp needs a frame (Spec 2.4: the answer is the state confirmed by the
    // lamp).
    const key = command.op === 'set_brightness' ? { key: `bri ${target.address} ${target.gang}` } : {}
    const reply = await requests.ask<'control'>({ name: 'control', ...target, command }, { priority, asker, ...key })
    return reply.ok ? this.#connection.plausible(target, reply.value) : reply
  }

  async controlGroup(
    items: readonly GroupItem[],
    priority: Priority,
    asker: Requester = null,
  ): Promise<readonly Result<DeviceState, BusFailure>[]> {
    const obstacles = items.map(({ target }) => this.#connection.precheck(target))
    const sendable = items.flatMap((item, index) => (obstacles[index] === null ? [{ index, item }] : []))
    const results = await this.#groups.send(sendable, { priority, asker }, (target, state) =>
      this.#connection.plausible(target, state),
    )
    return items.map((_, index) => results.get(index) ?? fail(obstacles[index] ?? NO_ANSWER))
  }

  async readState(
    target: UnitTarget,
    priority: Priority,
    asker: Requester = null,
  ): Promise<Result<DeviceState, BusFailure>> {
    const refused = this.#connection.precheck(target)
    return refused === null ? this.#connection.readState(target, { priority, asker }) : fail(refused)
  }

  refresh(address: number): void {
    this.#connection.refresh(address)
  }

  async readRegisters(target: UnitTarget, priority: Priority): Promise<Result<RegisterValues, BusFailure>> {
    const { registry, requests } = this.#connection
    const unit = registry.units.get(target.address)
    const refused = this.#connection.precheck(target)
    if (refused !== null || unit === undefined) return fail(refused ?? UNKNOWN_UNIT)
    return readRegisters(unit, target, this.#perFrame, async (registers) => {
      const reply = await requests.ask<'read_registers'>({ name: 'read_registers', ...target, registers }, { priority })
      return reply.ok ? ok(reply.value.registers) : reply
    })
  }

  async writeRegisters(
    target: UnitTarget,
    values: RegisterValues,
    priority: Priority,
    asker: Requester = null,
  ): Promise<Result<RegisterValues, BusFailure>> {
    const { registry, requests } = this.#connection
    const unit = registry.units.get(target.address)
    const refused = this.#connection.precheck(target)
    if (refused !== null || unit === undefined) return fail(refused ?? UNKNOWN_UNIT)
    return writeRegisters(unit, target, values, this.#perFrame, async (registers) => {
      const reply = await requests.ask<'write_registers'>(
        { name: 'write_registers', ...target, registers },
        { priority, asker },
      )
      return reply.ok ? ok(reply.value.registers) : reply
    })
  }

  async readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>> {
    const refused = this.#connection.precheck({ address, gang: null })
    return refused === null ? readSchedules(this.#connection.requests, address, priority) : fail(refused)
  }

  async identify(target: UnitTarget, seconds: number, asker: Requester = null): Promise<Result<null, BusFailure>> {
    const { registry, requests } = this.#connection
    const refusal = this.#connection.precheck(target)
    if (refusal !== null) return fail(refusal)
    if (registry.units.get(target.address)?.capabilities?.includes('identify') !== true)
      return fail(refused('the unit cannot blink'))
    const reply = await requests.ask<'identify'>(
      { name: 'identify', ...target, seconds },
      { priority: 'person', asker },
    )
    return reply.ok ? ok(null) : reply
  }

  async ping(address: number, priority: Priority): Promise<Result<null, BusFailure>> {
    const refused = this.#connection.precheck({ address, gang: null })
    if (refused !== null) return fail(refused)
    const reply = await this.#connection.requests.ask<'ping'>({ name: 'ping', address }, { priority })
    return reply.ok ? ok(null) : reply
  }

  onReport(listener: (report: BusReport) => void): () => void {
    return this.#reports.on(listener)
  }

  get #perFrame(): number {
    return this.#connection.exchange.hello?.registersMax ?? REGISTERS_PER_FRAME
  }
}
