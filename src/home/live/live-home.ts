import { classesOf, type House } from '../house/house.ts'
import type { UnitBus, BusReport, UnitTarget } from '../ports/unit-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Cause, GATEWAY_CAUSE, type HomeEvent, TRIGGER_NAMES } from '../model/events.ts'
import {
  type DeviceClass,
  type DeviceKey,
  deviceKey,
  parseDeviceKey,
  type DeviceState,
  type Readings,
  type ChangeTrigger,
  type UnitCapability,
} from '../model/device.ts'
import type { Unit } from '../model/house.ts'
import { conflictingClass } from '../house/placing.ts'
import { CommandCauses } from './command-causes.ts'
import { LatestReadings, StateCache } from './state-cache.ts'

interface ReachabilityParts {
  readonly house: Pick<House, 'units'>
  readonly bus: Pick<UnitBus, 'down' | 'units'>
  /** Reports that a unit of the house stopped answering or answers again. */
  readonly report: (unit: string, reachable: boolean) => void
}

/**
 * Reachability of the house's units. It asks the bus by address each time, so an added unit or a changed address leaves
 * no outdated value. It stores only the last reported value.
 */
class Reachability {
  readonly #parts: ReachabilityParts
  readonly #reported = new Map<string, boolean>()

  constructor(parts: ReachabilityParts) {
    this.#parts = parts
    this.checkHouse()
  }

  /**
   * False for a silent unit and for one that the adapter does not know: a command would get 504 (Spec 4 rule 3). True
   * before the first contact, when nothing is known.
   */
  of(id: string): boolean {
    const { house, bus } = this.#parts
    const unit = house.units.get(id)
    if (unit === undefined || (bus.units.size === 0 && bus.down !== null)) return true
    return bus.units.get(unit.address)?.reachable === true
  }

  /** Reports the reachability of a unit if it changed. */
  check(id: string): void {
    const reachable = this.of(id)
    if (this.#reported.get(id) === reachable) return
    this.#reported.set(id, reachable)
    this.#parts.report(id, reachable)
  }

  /** Checks all units. A new unit is read with the house, so it needs no report. */
  checkHouse(): void {
    const { units } = this.#parts.house
    for (const id of this.#reported.keys()) if (!units.has(id)) this.#reported.delete(id)
    for (const id of units.keys()) {
      if (this.#reported.has(id)) this.check(id)
      else this.#reported.set(id, this.of(id))
    }
  }
}

interface LiveHomeParts {
  readonly house: House
  readonly bus: UnitBus
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
}

/**
 * The home's current state: takes the bus's reports, stores the last confirmed state and readings of every device, and
 * emits changes. Reading never sends a frame (Spec 1 point 6).
 */
export class LiveHome {
  readonly states = new StateCache()
  /** Senders of commands call it before each command and with the answer. */
  readonly commands = new CommandCauses()
  readonly #parts: LiveHomeParts
  readonly #readings = new LatestReadings()
  readonly #reachability: Reachability
  /** Time of each device's last own report: a gang for itself, a unit for the whole. */
  readonly #lastReports = new Map<DeviceKey, number>()
  readonly #stop: (() => void)[] = []
  #version = 0

  /** The class of each device: a state of one class means nothing for another. */
  #classes: ReadonlyMap<DeviceKey, DeviceClass>

  constructor(parts: LiveHomeParts) {
    this.#parts = parts
    this.#classes = classesOf(parts.house.units.values())
    this.#reachability = new Reachability({ ...parts, report: (...change) => this.#reportReach(...change) })
    this.#stop.push(
      this.#parts.bus.onReport((report) => this.#take(report)),
      this.#parts.events.on((event) => {
        if (event.kind === 'structure') this.#takeHouse()
        if (event.kind === 'rebound') this.#takeReplaced(event.unit)
      }),
    )
  }

  stop(): void {
    for (const stop of this.#stop.splice(0)) stop()
  }

  /** Counts all reports of units and changes of their reachability. */
  get version(): number {
    return this.#version
  }

  /** Readings of a unit, or power and energy of a gang. */
  readings(key: DeviceKey): { readonly readings: Readings; readonly asOf: number } | undefined {
    return this.#readings.get(key)
  }

  /** Takes readings stored before a restart; they hold until the device reports new ones. */
  remember(key: DeviceKey, readings: Readings, asOf: number): void {
    if (!this.#classes.has(key) || this.#readings.get(key) !== undefined) return
    this.#readings.merge(key, readings, asOf)
    this.#noteReport(key, asOf)
  }

  /** True once every device that has a state has reported it. */
  get settled(): boolean {
    return (
      this.#parts.bus.down === null &&
      [...this.#parts.house.devices.values()].every(
        (device) =>
          device.class === 'gang_module' ||
          this.states.get(device.key) !== undefined ||
          conflictingClass(device, this.#parts.bus.units) !== null,
      )
    )
  }

  /** Capabilities that the adapter lists for the unit of a device. */
  capabilities(key: DeviceKey): readonly UnitCapability[] {
    const unit = this.#parts.house.devices.get(key)?.unit
    return (unit && this.#parts.bus.units.get(unit.address)?.capabilities) ?? []
  }

  /** True if a command to the unit would not get 504, as far as is known (Spec 4 rule 3). */
  reachable(unit: string): boolean {
    return this.#reachability.of(unit)
  }

  /** Time of a device's last own report (epoch ms), or undefined before the first. */
  lastReportAt(key: DeviceKey): number | undefined {
    return this.#lastReports.get(key)
  }

  /** Takes a state that a unit confirmed, with its cause. */
  confirm(key: DeviceKey, state: DeviceState, trigger: ChangeTrigger, cause: Cause): void {
    const asOf = this.#parts.clock.now()
    const { previous, changed } = this.states.confirm(key, state, asOf)
    this.commands.observe(key, state, trigger)
    this.#noteReport(key, asOf)
    this.#parts.events.emit({ kind: 'state', device: key, state, previous, changed, trigger, cause, asOf })
    if (this.#isWithoutPower(key, state)) this.#takeReadings(key, { power: 0 }, asOf)
  }

  /**
   * The position of a device that stopped answering while moving is unknown. `asOf` stays the time of its last report.
   */
  loseMovement(key: DeviceKey): void {
    const known = this.states.get(key)
    if (known === undefined || !('move' in known.state)) return
    const state = { ...known.state, move: 'unknown' as const }
    const { previous, changed } = this.states.confirm(key, state, known.asOf)
    this.#version += 1
    const asOf = this.#parts.clock.now()
    this.#parts.events.emit({
      kind: 'state',
      device: key,
      state,
      previous,
      changed,
      trigger: 'sync',
      cause: GATEWAY_CAUSE,
      asOf,
    })
  }

  /** The house's device at a bus target, if its class matches the bus. */
  keyAt(target: UnitTarget): DeviceKey | undefined {
    const unit = this.#parts.house.unitAt(target.address)
    if (!unit) return undefined
    const key = deviceKey({ unit: unit.id, gang: target.gang })
    const device = this.#parts.house.devices.get(key)
    return device && conflictingClass(device, this.#parts.bus.units) === null ? key : undefined
  }

  /** Drops data of devices that were removed or changed their class, and reads the new ones. */
  #takeHouse(): void {
    const { house, bus } = this.#parts
    const before = this.#classes
    this.#classes = classesOf(house.units.values())
    const isNew = (key: DeviceKey): boolean => this.#classes.get(key) !== before.get(key)
    this.#forget(isNew)
    this.#reachability.checkHouse()
    const added = [...house.devices.values()].filter(({ key }) => isNew(key))
    for (const unit of new Set(added.map((device) => device.unit))) bus.refresh(unit.address)
  }

  /** Drops data of the unit that the id named before, and reads the new unit. */
  #takeReplaced(id: string): void {
    this.#forget((key) => parseDeviceKey(key).unit === id)
    const unit = this.#parts.house.units.get(id)
    if (unit !== undefined) this.#parts.bus.refresh(unit.address)
  }

  /** Drops data of some devices. Subscribers learn that the state of those still in the house is unknown. */
  #forget(isOutdated: (key: DeviceKey) => boolean): void {
    const { house, events, clock } = this.#parts
    const at = clock.now()
    const outdated = [...this.#lastReports.keys()].filter(isOutdated)
    this.commands.keepOnly((key) => !isOutdated(key))
    for (const device of outdated) {
      this.#lastReports.delete(device)
      this.states.forget(device)
      const previous = this.#readings.forget(device)
      this.#version += 1
      if (!house.devices.has(device)) continue
      events.emit({ kind: 'forgotten', device, at })
      if (previous) events.emit({ kind: 'readings', device, readings: {}, previous, changed: true, asOf: at })
    }
  }

  #take(report: BusReport): void {
    const at = this.#parts.clock.now()
    switch (report.kind) {
      case 'link':
        this.#version += 1
        this.#parts.events.emit({ kind: 'link', down: report.down, at })
        return this.#reachability.checkHouse()
      case 'state': {
        const key = this.keyAt(report.target)
        if (key) this.confirm(key, report.state, report.trigger, this.#causeOf(key, report))
        return
      }
      case 'readings': {
        const unit = this.#unitAt(report.address)
        if (unit) this.#takeReadings(unit.id, report.readings, at)
        return
      }
      case 'detection': {
        const unit = this.#unitAt(report.address)
        if (unit) this.#takeDetection(unit, report, at)
        return
      }
      case 'touch': {
        const device = this.keyAt(report.target)
        if (device === undefined) return
        const { key, press } = report
        const cause: Cause = { source: 'unit', name: TRIGGER_NAMES.touch, ref: device }
        this.#noteReport(device, at)
        return this.#parts.events.emit({ kind: 'touch', device, key, press, cause, at })
      }
      case 'energy': {
        const key = this.keyAt(report)
        if (!key) return
        const { energyWh, powerW } = report
        this.#takeReadings(key, { power: powerW, energy: energyWh }, at)
        return this.#parts.events.emit({ kind: 'energy', device: key, energyWh, powerW, at })
      }
      case 'unit':
        return this.#takeUnit(report)
      case 'registers':
      case 'trouble':
        // `UnitSettings` takes settings, and the bus itself logs trouble.
        return
    }
  }

  /** The unit is the cause of its own changes; the gateway is the cause of a state that it only read again. */
  #causeOf(key: DeviceKey, { trigger, state }: Extract<BusReport, { kind: 'state' }>): Cause {
    if (trigger === 'command') return this.commands.of(key, state)
    if (trigger === 'sync') return GATEWAY_CAUSE
    return { source: 'unit', name: TRIGGER_NAMES[trigger], ref: key }
  }

  /** A detection is a reading too: true from its start to its end. The first report counts as a change. */
  #takeDetection(unit: Unit, { detection, value }: Extract<BusReport, { kind: 'detection' }>, at: number): void {
    this.#takeReadings(unit.id, { [detection]: value }, at, { [detection]: !value })
    this.#parts.events.emit({ kind: 'detection', unit: unit.id, detection, value, at })
  }

  /** The unit at an address, unless the bus lists another class. */
  #unitAt(address: number): Unit | undefined {
    const unit = this.#parts.house.unitAt(address)
    return unit && conflictingClass({ unit, gang: null }, this.#parts.bus.units) === null ? unit : undefined
  }

  /** @param before values that held until now if none were known. */
  #takeReadings(key: DeviceKey, readings: Readings, asOf: number, before: Readings | null = null): void {
    const { merged, known, differs } = this.#readings.merge(key, readings, asOf)
    this.#noteReport(key, asOf)
    const deviceClass = this.#classes.get(key)
    const isState = deviceClass === 'sensor' || deviceClass === 'meter'
    // Remembered readings are no state: the first report after a restart creates one, even with the same values.
    const isNewState = isState && this.states.confirm(key, merged, asOf).changed
    const previous = known === null ? before : { ...before, ...known }
    this.#parts.events.emit({
      kind: 'readings',
      device: key,
      readings: merged,
      previous,
      changed: isNewState || differs,
      asOf,
    })
  }

  /** True if a confirmed off ends the last reported power. A sense switch is off at low power, which is not zero. */
  #isWithoutPower(key: DeviceKey, state: DeviceState): boolean {
    if (!('on' in state) || state.on || this.#classes.get(key) === 'sense_switch') return false
    return (this.#readings.get(key)?.readings.power ?? 0) !== 0
  }

  #takeUnit(report: Extract<BusReport, { kind: 'unit' }>): void {
    const unit = this.#parts.house.unitAt(report.unit.address)
    if (!unit) return
    // The bus may know a unit only from now on.
    this.#version += 1
    this.#reachability.check(unit.id)
  }

  #reportReach(unit: string, reachable: boolean): void {
    this.#version += 1
    this.#parts.events.emit({ kind: 'unit', unit, reachable, at: this.#parts.clock.now() })
  }

  #noteReport(key: DeviceKey, at: number): void {
    this.#lastReports.set(key, at)
    this.#version += 1
  }
}
