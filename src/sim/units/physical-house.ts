import {
  CLASS_OF,
  type Command,
  type OwnSchedule,
  type DetectionKind,
  type Report,
  type Touch,
  type TouchKey,
} from '../model/bus-types.ts'
import type { GangPlan, Load, Measures, OwnSchedulePlan, UnitPlan, HousePlan } from '../model/house-plan.ts'
import { REGISTERS } from '../registers/register-table.ts'
import { RegisterSettings } from '../registers/register-settings.ts'
import { AcDevice, LockDevice, meterDevice, remoteDevice, sensorDevice } from './other-devices.ts'
import { CoverDevice } from './cover-device.ts'
import type { Device, UnitEnvironment } from './device.ts'
import { LoadDevice } from './load-device.ts'
import { Measuring } from './measuring.ts'
import { Unit } from './unit.ts'
import { Agenda } from '../model/agenda.ts'
import type { RadioNetwork, RadioUnit } from '../adapter/radio.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { TimeZone, type CivilTime } from '../world/civil-time.ts'
import { BaseLoad } from '../world/base-load.ts'
import { Room } from '../world/room.ts'
import { Sky } from '../world/sky.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/durations.ts'

/** Additional sensors of every wall switch. */
const WALL_MEASURES: readonly Measures[] = ['temperature', 'light', 'motion']
const NO_LOAD: Load = { kind: 'none', watts: 0 }
/** Installation dates of units; their counters have grown since. */
const INSTALLED = { from: Date.UTC(2024, 2, 1), to: Date.UTC(2025, 5, 1) }
/** Average share of time that a load is on. */
const USED_SHARE = { lamp: 0.12, socket: 0.2, appliance: 0.05, heater: 0.08, fan: 0.2, none: 0 } as const
const METER_MEAN_W = 420

/** Creates a unit from its plan, with devices, settings and schedules. @throws for an impossible plan */
function makeUnit(plan: UnitPlan, environment: UnitEnvironment): Unit {
  const own = environment.random.fork(`unit/${plan.address}`)
  const unit = new Unit({
    plan,
    environment,
    class: CLASS_OF[plan.model],
    firmware: [plan.model.startsWith('HMHHX') ? 2 : 1, own.whole(0, 4), own.whole(0, 9)],
    hops: own.pick([1, 1, 1, 2, 2, 3]),
    settings: new RegisterSettings(REGISTERS[plan.model]?.unit ?? [], { values: registersOf(plan, null) }),
    gangSettings: new Map((plan.gangs ?? []).map((gang) => [gang.gang, gangSettings(plan, gang)])),
    battery: plan.model === 'HMLK' || (plan.measures?.includes('battery') ?? false),
  })
  const bornAt = own.between(INSTALLED.from, INSTALLED.to)
  const measures = plan.measures ?? (REGISTERS[plan.model] === undefined ? [] : WALL_MEASURES)
  if (measures.length > 0)
    unit.measuring = new Measuring(unit, environment.room(plan.room), measures, {
      offset: own.between(-0.4, 0.4),
      bornAt,
    })
  const hours = Math.max(0, environment.agenda.wall() - bornAt) / 3_600_000
  const grown = (load: Load): number =>
    plan.energyWh ?? hours * load.watts * USED_SHARE[load.kind] * own.between(0.6, 1.2)
  if (plan.gangs === undefined)
    unit.add(
      deviceOf(
        unit,
        plan,
        plan.model === 'HMMT' ? (plan.energyWh ?? hours * METER_MEAN_W) : grown(plan.load ?? NO_LOAD),
      ),
    )
  for (const gang of plan.gangs ?? []) unit.add(gangDevice(unit, gang, grown(gang.load ?? NO_LOAD)))
  plan.schedules?.forEach((schedule, slot) => unit.addSchedule({ ...scheduleOf(schedule, unit), slot, enabled: true }))
  return unit
}

function deviceOf(unit: Unit, plan: UnitPlan, startWh: number): Device {
  const common = { unit, gang: null, roomId: plan.room, mode: plan.mode ?? 'manual' } as const
  const load = (its: 'light_dimmer' | 'light_switch' | 'power_switch' | 'sense_switch'): Device =>
    new LoadDevice({ ...common, class: its, load: plan.load ?? NO_LOAD, startWh })
  const its = CLASS_OF[plan.model]
  switch (its) {
    case 'light_dimmer':
    case 'light_switch':
    case 'power_switch':
    case 'sense_switch':
      return load(its)
    case 'shutter':
      return new CoverDevice({ ...common, class: its, pos: unit.environment.night ? 0 : 100 })
    case 'curtain':
      return new CoverDevice({ ...common, class: its, pos: 100 })
    case 'gate':
      return new CoverDevice({ ...common, class: its, pos: 0 })
    case 'ac':
      return new AcDevice(unit, startWh)
    case 'ir_remote':
      return remoteDevice(plan.room)
    case 'lock':
      return new LockDevice(unit)
    case 'meter':
      return meterDevice(unit, startWh)
    case 'sensor':
    case 'gang_module':
      return sensorDevice(
        unit,
        unit.measuring ?? new Measuring(unit, unit.environment.room(plan.room), [], { offset: 0, bornAt: 0 }),
      )
  }
}

function gangDevice(unit: Unit, plan: GangPlan, startWh: number): Device {
  const common = { unit, gang: plan.gang, roomId: plan.room, mode: plan.mode ?? 'manual' } as const
  if (plan.kind === 'shutter')
    return new CoverDevice({ ...common, class: 'shutter_gang', pos: unit.environment.night ? 0 : 100 })
  return new LoadDevice({ ...common, class: 'switch_gang', load: plan.load ?? NO_LOAD, startWh })
}

/** The planned values of a scope: plain names are the unit's, `name@gang` a gang's. */
function registersOf({ registers = {} }: UnitPlan, gang: number | null): Record<string, number> {
  const suffix = gang === null ? '' : `@${gang}`
  const own = Object.entries(registers).filter(([name]) =>
    gang === null ? !name.includes('@') : name.endsWith(suffix),
  )
  return Object.fromEntries(own.map(([name, value]) => [name.slice(0, name.length - suffix.length), value]))
}

function gangSettings(plan: UnitPlan, { gang, kind }: GangPlan): RegisterSettings {
  const registers = REGISTERS[plan.model]?.[kind === 'shutter' ? 'shutter_gang' : 'switch_gang'] ?? []
  return new RegisterSettings(registers, { isGang: true, values: registersOf(plan, gang) })
}

function scheduleOf({ gang, days, minute, op }: OwnSchedulePlan, unit: Unit): Omit<OwnSchedule, 'slot' | 'enabled'> {
  const command: Command = op === 'on' || op === 'off' ? { op: 'set_power', on: op === 'on' } : { op }
  if (gang !== undefined && !unit.hasGang(gang))
    throw new RangeError(`unit ${unit.address} has no gang ${gang} for a schedule`)
  return { gang: gang ?? null, days: days.reduce((bits, day) => bits | (1 << (day - 1)), 0), minute, command }
}

/** The units take turns in slots, so that a large house never does all its work at once. */
const SLOTS = 12
const SLOT_MS = 5_000
const DUSK_DEGREES = -6

interface PhysicalHouseOptions {
  readonly plan: HousePlan
  readonly clock: Clock
  readonly random: SeededRandom
  /** True if units follow the host's clock; a house that runs fast has its own day. */
  readonly followsHostClock: boolean
}

/** The physical house: rooms, weather, units, mains, and the actions of people. It knows no frames. */
export class PhysicalHouse implements RadioNetwork {
  readonly agenda: Agenda
  readonly plan: HousePlan
  readonly zone: TimeZone
  readonly sky: Sky
  readonly #environment: UnitEnvironment
  #units: readonly Unit[]
  /** Sent IR channels, newest last; bounded. */
  readonly irSent: { readonly emitter: number; readonly channel: number }[] = []
  readonly #byAddress = new Map<number, Unit>()
  readonly #byRoom = new Map<string, Unit[]>()
  readonly #rooms = new Map<string, Room>()
  readonly #followsHostClock: boolean
  #onReport: (unit: RadioUnit, report: Report) => void = () => {}
  #clock: { readonly aheadMs: number; readonly offsetMs: number | null } = { aheadMs: 0, offsetMs: null }
  #slot = 0
  #minute = NaN

  constructor({ plan, clock, random, followsHostClock }: PhysicalHouseOptions) {
    this.plan = plan
    this.agenda = new Agenda(clock)
    this.zone = new TimeZone(plan.timeZone)
    const seed = String(random.fork('world').uint32())
    this.sky = new Sky(seed, plan.latitude, plan.longitude)
    this.#followsHostClock = followsHostClock
    const wall = this.agenda.wall()
    for (const room of plan.rooms) this.#rooms.set(room.id, new Room(room, this.sky, seed, wall))
    this.#environment = this.#environmentOf(random, new BaseLoad(seed, wall))
    this.#units = plan.units.map((unit) => makeUnit(unit, this.#environment)).sort(byAddress)
    for (const unit of this.units) this.#place(unit)
    this.agenda.every(SLOT_MS, () => this.#lookAfterSlot())
    if (this.units.some((unit) => unit.schedules().length > 0)) this.#awaitMinute()
  }

  /** In order of addresses. */
  get units(): readonly Unit[] {
    return this.#units
  }

  /** Installs a unit at an address, replacing any there. */
  install(plan: UnitPlan): void {
    this.uninstall(plan.address)
    this.#add(makeUnit(plan, this.#environment))
  }

  /** Reinstalls a removed unit with its settings and counters, as after a mains cut. */
  putBack(unit: Unit): void {
    this.#add(unit)
    unit.mainsBack()
  }

  /** Removes a unit from the house; it sends nothing more. */
  uninstall(address: number): void {
    const unit = this.#byAddress.get(address)
    if (unit === undefined) return
    unit.mainsLost()
    this.#byAddress.delete(address)
    this.#units = this.#units.filter((other) => other !== unit)
    for (const [room, units] of this.#byRoom)
      this.#byRoom.set(
        room,
        units.filter((other) => other !== unit),
      )
  }

  unit(address: number): Unit | undefined {
    return this.#byAddress.get(address)
  }

  room(id: string): Room | undefined {
    return this.#rooms.get(id)
  }

  unitsIn(roomId: string): readonly Unit[] {
    return this.#byRoom.get(roomId) ?? []
  }

  /** Local time by the house's zone. */
  civil(): CivilTime {
    return this.zone.at(this.agenda.wall())
  }

  onReport(listener: (unit: RadioUnit, report: Report) => void): void {
    this.#onReport = listener
  }

  setClock(epochSeconds: number, offsetMinutes: number): void {
    const aheadMs = this.#followsHostClock ? epochSeconds * 1_000 - this.agenda.wall() : 0
    // The clock has whole seconds: a smaller difference may come from rounding.
    this.#clock = { aheadMs: Math.abs(aheadMs) < 1_000 ? 0 : aheadMs, offsetMs: offsetMinutes * MINUTE_MS }
  }

  /** Touches a key. @throws if the unit does not exist */
  touch(address: number, gang: number | null, key: TouchKey, how: Partial<Omit<Touch, 'key'>> = {}): void {
    this.#unit(address).touch(gang, { key, strength: 50, heldMs: 300, edge: false, ...how })
  }

  /** Motion in a room. */
  motion(roomId: string): void {
    for (const unit of this.unitsIn(roomId)) unit.motion(roomId)
  }

  door(address: number, open: boolean): void {
    this.#unit(address).measuring?.door(open)
  }

  /** A unit reports the start or end of a detection, independent of its sensors. */
  detect(address: number, detection: DetectionKind, value: boolean): void {
    this.#unit(address).report({ kind: 'detection', address, detection, value })
  }

  /** A person starts the programme of an appliance. */
  startAppliance(address: number): void {
    for (const device of this.#unit(address).devices) if (device instanceof LoadDevice) device.startAppliance()
  }

  /** Cuts the mains of some units, or of the whole house. */
  cutMains(addresses?: readonly number[]): void {
    for (const unit of this.#chosen(addresses)) unit.mainsLost()
  }

  returnMains(addresses?: readonly number[]): void {
    for (const unit of this.#chosen(addresses)) unit.mainsBack()
  }

  /** Blocks the movement of a lock, shutter, curtain or gate. */
  jam(address: number, jammed: boolean): void {
    for (const device of this.#unit(address).devices)
      if (device instanceof CoverDevice || device instanceof LockDevice) device.jammed = jammed
  }

  /** Sets the temperature inside a unit; 35 degrees is usual. */
  heatInside(address: number, celsius: number): void {
    for (const device of this.#unit(address).devices) device.heatInside?.(celsius)
  }

  allOff(group: number): void {
    for (const unit of this.units) unit.allOff(group)
  }

  stop(): void {
    this.agenda.stop()
  }

  #unit(address: number): Unit {
    const unit = this.#byAddress.get(address)
    if (unit === undefined) throw new RangeError(`the simulated house has no unit ${address}`)
    return unit
  }

  #chosen(addresses: readonly number[] | undefined): readonly Unit[] {
    return addresses === undefined ? this.units : addresses.map((address) => this.#unit(address))
  }

  #environmentOf(random: SeededRandom, baseLoad: BaseLoad): UnitEnvironment {
    return {
      agenda: this.agenda,
      random: random.fork('units'),
      baseLoad,
      night: this.sky.sunElevation(this.agenda.wall()) < DUSK_DEGREES,
      room: (id) => (id === null ? null : (this.#rooms.get(id) ?? null)),
      report: (unit, report) => {
        if (this.#byAddress.get(unit.address) === unit) this.#onReport(unit, report)
      },
      allOff: (group) => this.allOff(group),
      sendIr: (emitter, channel) => {
        this.irSent.push({ emitter, channel })
        if (this.irSent.length > 100) this.irSent.shift()
      },
    }
  }

  #add(unit: Unit): void {
    this.#place(unit)
    this.#units = [...this.#units, unit].sort(byAddress)
  }

  #place(unit: Unit): void {
    if (this.#byAddress.has(unit.address)) throw new RangeError(`two units have the address ${unit.address}`)
    this.#byAddress.set(unit.address, unit)
    for (const roomId of new Set([unit.plan.room, ...unit.devices.map((device) => device.roomId)])) {
      if (roomId === null) continue
      if (!this.#rooms.has(roomId)) throw new RangeError(`unit ${unit.address} stands in an unknown room ${roomId}`)
      const there = this.#byRoom.get(roomId)
      if (there === undefined) this.#byRoom.set(roomId, [unit])
      else there.push(unit)
    }
  }

  #lookAfterSlot(): void {
    for (let index = this.#slot; index < this.units.length; index += SLOTS) this.units[index]?.everyMinute()
    this.#slot = (this.#slot + 1) % SLOTS
  }

  /** Milliseconds on the units' own clocks, local. */
  #local(): number {
    const unitWall = this.agenda.wall() + this.#clock.aheadMs
    return unitWall + (this.#clock.offsetMs ?? this.zone.offsetMs(unitWall))
  }

  #awaitMinute(): void {
    this.agenda.after(MINUTE_MS - (this.#local() % MINUTE_MS), () => this.#runMinute())
  }

  #runMinute(): void {
    const minute = Math.floor((this.#local() + 1) / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      const day = Math.floor((minute * MINUTE_MS) / DAY_MS)
      for (const unit of this.units) unit.runSchedules((day + 3) % 7, minute - day * 1_440)
    }
    this.#awaitMinute()
  }
}

function byAddress(a: Unit, b: Unit): number {
  return a.address - b.address
}
