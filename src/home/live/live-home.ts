import { classesOf, type House } from '../house/house.ts'
import type { UnitBus, BusReport, Target } from '../ports/unit-bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Cause, GATEWAY_CAUSE, type HomeEvent } from '../model/events.ts'
import {
  type DeviceClass,
  type DeviceKey,
  deviceKey,
  parseDeviceKey,
  type DeviceState,
  type Readings,
  type ChangeTrigger,
} from '../model/device.ts'
import type { Unit } from '../model/house.ts'
import { otherClass } from '../house/placing.ts'
import { CommandCauses } from './command-causes.ts'
import { LatestReadings, StateCache } from './state-cache.ts'

interface ReachabilityParts {
  readonly house: Pick<House, 'units'>
  readonly bus: Pick<UnitBus, 'down' | 'units'>
  /** A unit of the house has stopped to answer, or answers again. */
  readonly tell: (unit: string, reachable: boolean) => void
}

/**
 * Which units of the house answer. The bus is asked by address each time, so that no edit of the house, whether a unit
 * is added or its address changes, leaves an outdated word behind; kept is only what was told last.
 */
class Reachability {
  readonly #parts: ReachabilityParts
  readonly #told = new Map<string, boolean>()

  constructor(parts: ReachabilityParts) {
    this.#parts = parts
    this.lookAtHouse()
  }

  /**
   * False while the bus knows the unit to be silent, and for a unit that the adapter does not know: a command would be
   * 504 (Spec 4 rule 3). True before the first contact, when nothing is known.
   */
  of(id: string): boolean {
    const { house, bus } = this.#parts
    const unit = house.units.get(id)
    if (unit === undefined || (bus.units.size === 0 && bus.down !== null)) return true
    return bus.units.get(unit.address)?.reachable === true
  }

  /** Tells whether a unit answers, where that is not what was told last. */
  look(id: string): void {
    const reachable = this.of(id)
    if (this.#told.get(id) === reachable) return
    this.#told.set(id, reachable)
    this.#parts.tell(id, reachable)
  }

  /** The same for all units. One that is new in the house is read with the house, so nothing of it has to be told. */
  lookAtHouse(): void {
    const { units } = this.#parts.house
    for (const id of this.#told.keys()) if (!units.has(id)) this.#told.delete(id)
    for (const id of units.keys()) {
      if (this.#told.has(id)) this.look(id)
      else this.#told.set(id, this.of(id))
    }
  }
}

/** What a unit calls the thing that moved it, in words for the log. */
const TRIGGER_NAMES: Readonly<Record<Exclude<ChangeTrigger, 'sync' | 'command'>, string>> = {
  touch: 'touched at the wall',
  motion: 'motion',
  own_schedule: 'own schedule',
  own_timer: 'own timer',
  sleep: 'sleep mode',
  mains_return: 'mains return',
  protection: 'protection',
}

interface LiveHomeParts {
  readonly house: House
  readonly bus: UnitBus
  readonly events: Emitter<HomeEvent>
  readonly clock: Clock
}

/**
 * The home as it is right now: takes the bus's reports, keeps the last confirmed state and readings of every device,
 * and emits what changed. Reading from here never sends a frame (Spec 1 point 6).
 */
export class LiveHome {
  readonly states = new StateCache()
  /** Told by who sends commands: before each, and with its answer. */
  readonly commands = new CommandCauses()
  readonly #parts: LiveHomeParts
  readonly #readings = new LatestReadings()
  readonly #reachability: Reachability
  /** When each device last said something, in its own name: a gang for itself, a unit for what belongs to all of it. */
  readonly #heard = new Map<DeviceKey, number>()
  readonly #stop: (() => void)[] = []
  #version = 0

  /** The class of each device: a state that was taken for one class says nothing of another. */
  #classes: ReadonlyMap<DeviceKey, DeviceClass>

  constructor(parts: LiveHomeParts) {
    this.#parts = parts
    this.#classes = classesOf(parts.house.units.values())
    this.#reachability = new Reachability({ ...parts, tell: (unit, reachable) => this.#tellReach(unit, reachable) })
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

  /** Counts up with everything that units say, and when one of them stops or begins to answer. */
  get version(): number {
    return this.#version
  }

  /** Of a unit, or the power and energy of a gang. */
  readings(key: DeviceKey): { readonly readings: Readings; readonly asOf: number } | undefined {
    return this.#readings.get(key)
  }

  /** Takes readings stored before a restart; they stand until the device reports new ones. */
  remember(key: DeviceKey, readings: Readings, asOf: number): void {
    if (!this.#classes.has(key) || this.#readings.get(key) !== undefined) return
    this.#readings.merge(key, readings, asOf)
    this.#hear(key, asOf)
  }

  /** True once every device that has a state has reported it. */
  get settled(): boolean {
    return (
      this.#parts.bus.down === null &&
      [...this.#parts.house.devices.values()].every(
        (device) =>
          device.class === 'gang_module' ||
          this.states.get(device.key) !== undefined ||
          otherClass(device, this.#parts.bus.units) !== null,
      )
    )
  }

  /** Whether a command to the unit would not be 504, as far as it is known (Spec 4 rule 3). */
  reachable(unit: string): boolean {
    return this.#reachability.of(unit)
  }

  /** When a device last said something in its own name (epoch ms), or undefined before it did. */
  heardAt(key: DeviceKey): number | undefined {
    return this.#heard.get(key)
  }

  /** Takes a state that a unit confirmed, with what caused it. */
  confirm(key: DeviceKey, state: DeviceState, trigger: ChangeTrigger, cause: Cause): void {
    const asOf = this.#parts.clock.now()
    const { previous, changed } = this.states.confirm(key, state, asOf)
    this.commands.heard(key, state, trigger)
    this.#hear(key, asOf)
    this.#parts.events.emit({ kind: 'state', device: key, state, previous, changed, trigger, cause, asOf })
    if (this.#isWithoutPower(key, state)) this.#takeReadings(key, { power: 0 }, asOf)
  }

  /** A device that stopped answering on its way may be anywhere: `asOf` stays that of its last word. */
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

  /** The device that the house has at a bus target, if it has one of the class that the bus says. */
  keyAt(target: Target): DeviceKey | undefined {
    const unit = this.#parts.house.unitAt(target.address)
    if (!unit) return undefined
    const key = deviceKey({ unit: unit.id, gang: target.gang })
    const device = this.#parts.house.devices.get(key)
    return device && otherClass(device, this.#parts.bus.units) === null ? key : undefined
  }

  /** Drops what is known of devices that went or changed their class, and reads the new ones. */
  #takeHouse(): void {
    const { house, bus } = this.#parts
    const before = this.#classes
    this.#classes = classesOf(house.units.values())
    const isNew = (key: DeviceKey): boolean => this.#classes.get(key) !== before.get(key)
    this.#forget(isNew)
    this.#reachability.lookAtHouse()
    const added = [...house.devices.values()].filter(({ key }) => isNew(key))
    for (const unit of new Set(added.map((device) => device.unit))) bus.refresh(unit.address)
  }

  /** Drops what is known of the unit that the id named before, and asks the one that it names now. */
  #takeReplaced(id: string): void {
    this.#forget((key) => parseDeviceKey(key).unit === id)
    const unit = this.#parts.house.units.get(id)
    if (unit !== undefined) this.#parts.bus.refresh(unit.address)
  }

  /** Drops what is known of some devices. Clients of those that the house still has hear that it is unknown. */
  #forget(isGone: (key: DeviceKey) => boolean): void {
    const { house, events, clock } = this.#parts
    const at = clock.now()
    const gone = [...this.#heard.keys()].filter(isGone)
    this.commands.keepOnly((key) => !isGone(key))
    for (const device of gone) {
      this.#heard.delete(device)
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
        return this.#reachability.lookAtHouse()
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

  /** The unit is the cause of what it did itself; the gateway is the cause of a state that it only read again. */
  #causeOf(key: DeviceKey, { trigger, state }: Extract<BusReport, { kind: 'state' }>): Cause {
    if (trigger === 'command') return this.commands.of(key, state)
    if (trigger === 'sync') return GATEWAY_CAUSE
    return { source: 'unit', name: TRIGGER_NAMES[trigger], ref: key }
  }

  /** A detection is a reading too: true from its begin to its end. A first report says that it has just changed. */
  #takeDetection(unit: Unit, { detection, value }: Extract<BusReport, { kind: 'detection' }>, at: number): void {
    this.#takeReadings(unit.id, { [detection]: value }, at, { [detection]: !value })
    this.#parts.events.emit({ kind: 'detection', unit: unit.id, detection, value, at })
  }

  /** The unit at an address, unless the bus says that it is of another class. */
  #unitAt(address: number): Unit | undefined {
    const unit = this.#parts.house.unitAt(address)
    return unit && otherClass({ unit, gang: null }, this.#parts.bus.units) === null ? unit : undefined
  }

  /** @param before values that held until now, where nothing was known. */
  #takeReadings(key: DeviceKey, readings: Readings, asOf: number, before: Readings | null = null): void {
    const { merged, known, differs } = this.#readings.merge(key, readings, asOf)
    this.#hear(key, asOf)
    const deviceClass = this.#classes.get(key)
    const isState = deviceClass === 'sensor' || deviceClass === 'meter'
    // What was remembered over a restart is no state: the first word makes one, also where it says the same.
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

  /** Whether a confirmed off ends the power last reported. A sense switch is off by its low power, not without any. */
  #isWithoutPower(key: DeviceKey, state: DeviceState): boolean {
    if (!('on' in state) || state.on || this.#classes.get(key) === 'sense_switch') return false
    return (this.#readings.get(key)?.readings.power ?? 0) !== 0
  }

  #takeUnit(report: Extract<BusReport, { kind: 'unit' }>): void {
    const unit = this.#parts.house.unitAt(report.unit.address)
    if (!unit) return
    // The bus may know a unit only from now on.
    this.#version += 1
    this.#reachability.look(unit.id)
  }

  #tellReach(unit: string, reachable: boolean): void {
    this.#version += 1
    this.#parts.events.emit({ kind: 'unit', unit, reachable, at: this.#parts.clock.now() })
  }

  #hear(key: DeviceKey, at: number): void {
    this.#heard.set(key, at)
    this.#version += 1
  }
}
