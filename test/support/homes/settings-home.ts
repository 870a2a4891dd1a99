import type { Emitter as ListenersOf } from '../../../src/lib/emitter.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import { ok, fail, type Result } from '../../../src/lib/result.ts'
import { House } from '../../../src/home/house/house.ts'
import type { ActivityDraft } from '../../../src/home/model/activity.ts'
import type { DeviceKey } from '../../../src/home/model/device.ts'
import type { HomeInfo, Unit } from '../../../src/home/model/house.ts'
import type { RegisterValues, UnitSchedule } from '../../../src/home/model/register.ts'
import type { HomeEvent } from '../../../src/home/home-event.ts'
import type { HouseContent, HouseStore } from '../../../src/home/ports/house-store.ts'
import type { SettingsStore, StoredSetting, UnitScheduleStore } from '../../../src/home/ports/settings-store.ts'
import type {
  BusDown,
  BusFailure,
  BusReport,
  BusUnit,
  Priority,
  Target,
  UnitBus,
} from '../../../src/home/ports/unit-bus.ts'
import { UnitSettings } from '../../../src/home/settings/unit-settings.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'

const INFO: HomeInfo = { name: 'Home', timeZone: 'Europe/Berlin', latitude: null, longitude: null, currency: 'EUR' }

export const unitOf = (id: string, address: number, more: Partial<Unit> = {}): Unit => ({
  id,
  name: id,
  address,
  model: 'HMHH',
  class: 'light_dimmer',
  room: null,
  position: address,
  gangs: [],
  ...more,
})

const throwing = (error: unknown): never => {
  throw error
}

export interface BusCall {
  readonly what: 'read' | 'write' | 'schedules'
  readonly target: Target
  readonly values?: RegisterValues
  readonly priority: Priority
  readonly at: number
}

/**
 * Units that hold registers, at the UnitBus interface; every call waits until the test lets it go, where it says so.
 */
export class RegisterBus implements UnitBus {
  readonly retryMs = null
  down: BusDown | null = null
  readonly units = new Map<number, BusUnit>()
  readonly held = new Map<string, Record<string, number>>()
  readonly schedules = new Map<number, readonly UnitSchedule[]>()
  readonly calls: BusCall[] = []
  /** What the next calls fail with, by address, until removed. */
  readonly failures = new Map<number, BusFailure>()
  /** Called before every answer; a test may hold the answer back or change the unit meanwhile. */
  beforeAnswer: (call: BusCall) => Promise<void> = async () => {}
  readonly #reports: ListenersOf<BusReport> = new Emitter<BusReport>(throwing)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  at(target: Target): Record<string, number> {
    const key = `${target.address} ${target.gang}`
    const registers = this.held.get(key) ?? {}
    this.held.set(key, registers)
    return registers
  }

  report(report: BusReport): void {
    if (report.kind === 'link') this.down = report.down
    this.#reports.emit(report)
  }

  onReport(listener: (report: BusReport) => void): () => void {
    return this.#reports.on(listener)
  }

  async readRegisters(target: Target, priority: Priority): Promise<Result<RegisterValues, BusFailure>> {
    const seen = { ...this.at(target) }
    return this.#answer({ what: 'read', target, priority, at: this.#now() }, () => seen)
  }

  async writeRegisters(
    target: Target,
    values: RegisterValues,
    priority: Priority,
  ): Promise<Result<RegisterValues, BusFailure>> {
    return this.#answer({ what: 'write', target, values, priority, at: this.#now() }, () => {
      const registers = this.at(target)
      for (const [name, value] of Object.entries(values)) if (Object.hasOwn(registers, name)) registers[name] = value
      return Object.fromEntries(
        Object.keys(values)
          .filter((name) => Object.hasOwn(registers, name))
          .map((name) => [name, registers[name]!]),
      )
    })
  }

  async readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>> {
    return this.#answer(
      { what: 'schedules', target: { address, gang: null }, priority, at: this.#now() },
      () => this.schedules.get(address) ?? [],
    )
  }

  obstacle(): never {
    throw new Error('settings never control')
  }
  readState(): never {
    throw new Error('settings never read states')
  }
  control(): never {
    throw new Error('settings never control')
  }
  controlGroup(): never {
    throw new Error('settings never control')
  }
  ping(): never {
    throw new Error('settings never ping')
  }

  async #answer<T>(call: BusCall, take: () => T): Promise<Result<T, BusFailure>> {
    this.calls.push(call)
    await this.beforeAnswer(call)
    if (this.down !== null) return fail({ kind: 'unavailable' })
    const failure = this.failures.get(call.target.address)
    return failure === undefined ? ok(take()) : fail(failure)
  }
}

/** Keeps settings as a database would; `broken` makes every write fail. */
export class MemorySettings implements SettingsStore {
  readonly rows = new Map<string, StoredSetting>()
  broken = false

  load(): StoredSetting[] {
    return [...this.rows.values()]
  }
  save(device: DeviceKey, values: RegisterValues, asOf: number): void {
    if (this.broken) throw new Error('disk full')
    for (const [name, value] of Object.entries(values))
      this.rows.set(`${device} ${name}`, { device, name, value, asOf })
  }
  replace(device: DeviceKey, values: RegisterValues, asOf: number): void {
    this.forget(device)
    this.save(device, values, asOf)
  }
  forget(device: DeviceKey): void {
    for (const [key, row] of this.rows) if (row.device === device) this.rows.delete(key)
  }
}

export class MemorySchedules implements UnitScheduleStore {
  readonly rows = new Map<string, { unit: string; schedules: readonly UnitSchedule[]; asOf: number }>()

  load(): { unit: string; schedules: readonly UnitSchedule[]; asOf: number }[] {
    return [...this.rows.values()]
  }
  save(unit: string, schedules: readonly UnitSchedule[], asOf: number): void {
    this.rows.set(unit, { unit, schedules, asOf })
  }
  forget(unit: string): void {
    this.rows.delete(unit)
  }
}

function houseOf(units: readonly Unit[], events: Emitter<HomeEvent>, clock: ManualClock): House {
  const content: HouseContent = { info: INFO, floors: [], rooms: [], units, scenes: [] }
  const store: HouseStore = {
    load: () => content,
    saveInfo() {},
    saveRoom() {},
    saveUnit() {},
    saveScene() {},
    removeScene() {},
    replace() {},
  }
  return new House({ store, work: { change: (run) => run(() => {}) }, events, clock })
}

/** A house of units whose settings are kept, with everything around them visible to the test. */
export function settingsHome(
  units: readonly Unit[],
  kept: { settings?: MemorySettings; schedules?: MemorySchedules } = {},
) {
  const clock = new ManualClock()
  const heard: HomeEvent[] = []
  const events = new Emitter<HomeEvent>(throwing)
  events.on((each) => heard.push(each))
  const house = houseOf(units, events, clock)
  const bus = new RegisterBus(() => clock.monotonic())
  for (const unit of units) {
    const gangs = unit.gangs.map((gang) => ({ gang: gang.gang, class: gang.class }))
    bus.units.set(unit.address, {
      address: unit.address,
      model: unit.model ?? 'HMSE',
      class: unit.class,
      firmware: '1',
      gangs,
      reachable: true,
    })
  }
  const log = recordingLog()
  const drafts: ActivityDraft[] = []
  const store = { settings: kept.settings ?? new MemorySettings(), schedules: kept.schedules ?? new MemorySchedules() }
  const settings = new UnitSettings({
    house,
    bus,
    ...store,
    events,
    clock,
    log,
    activity: { record: (draft) => drafts.push(draft), committed: async () => {} },
    stateAfter: async () => {},
    changeWords: (_device, names) => `${names.join(' and ')} changed`,
  })
  return { clock, heard, events, house, bus, log, drafts, store, settings }
}
