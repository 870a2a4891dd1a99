import { CLASS_OF, type Command, type OwnSchedule } from '../model/bus-types.ts'
import type { GangPlan, Load, Measures, OwnSchedulePlan, UnitPlan } from '../model/house-plan.ts'
import { REGISTERS } from '../registers/register-table.ts'
import { Settings } from '../registers/settings.ts'
import { AcDevice, LockDevice, MeterDevice, RemoteDevice, SensorDevice } from './other-devices.ts'
import { CoverDevice } from './cover-device.ts'
import type { Device, UnitEnvironment } from './device.ts'
import { LoadDevice } from './load-device.ts'
import { Measuring } from './measuring.ts'
import { Unit } from './unit.ts'

/** What every wall switch measures besides. */
const WALL_MEASURES: readonly Measures[] = ['temperature', 'light', 'motion']
const NO_LOAD: Load = { kind: 'none', watts: 0 }
/** Units were installed between these days; their counters have grown since. */
const INSTALLED = { from: Date.UTC(2024, 2, 1), to: Date.UTC(2025, 5, 1) }
/** How much of the time a load is on, over the years. */
const USED_SHARE = { lamp: 0.12, socket: 0.2, appliance: 0.05, heater: 0.08, fan: 0.2, none: 0 } as const
const METER_MEAN_W = 420

/**
 * Makes a unit as its plan says, with its devices, settings and schedules. Throws on a plan that no unit could follow.
 */
export function makeUnit(plan: UnitPlan, environment: UnitEnvironment): Unit {
  const own = environment.random.fork(`unit/${plan.address}`)
  const unit = new Unit({
    plan,
    environment,
    class: CLASS_OF[plan.model],
    firmware: [plan.model.startsWith('HMHHX') ? 2 : 1, own.whole(0, 4), own.whole(0, 9)],
    hops: own.pick([1, 1, 1, 2, 2, 3]),
    settings: new Settings(REGISTERS[plan.model]?.unit ?? [], { values: registersOf(plan, null) }),
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
      return new RemoteDevice(plan.room)
    case 'lock':
      return new LockDevice(unit)
    case 'meter':
      return new MeterDevice(unit, startWh)
    case 'sensor':
    case 'gang_module':
      return new SensorDevice(
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

function gangSettings(plan: UnitPlan, { gang, kind }: GangPlan): Settings {
  const registers = REGISTERS[plan.model]?.[kind === 'shutter' ? 'shutter_gang' : 'switch_gang'] ?? []
  return new Settings(registers, { isGang: true, values: registersOf(plan, gang) })
}

function scheduleOf({ gang, days, minute, op }: OwnSchedulePlan, unit: Unit): Omit<OwnSchedule, 'slot' | 'enabled'> {
  const command: Command = op === 'on' || op === 'off' ? { op: 'set_power', on: op === 'on' } : { op }
  if (gang !== undefined && !unit.hasGang(gang))
    throw new RangeError(`unit ${unit.address} has no gang ${gang} for a schedule`)
  return { gang: gang ?? null, days: days.reduce((bits, day) => bits | (1 << (day - 1)), 0), minute, command }
}
