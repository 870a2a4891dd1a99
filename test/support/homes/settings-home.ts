import { onTestFinished } from 'vitest'
import { Emitter } from '../../../src/lib/emitter.ts'
import { House } from '../../../src/home/house/house.ts'
import type { ActivityDraft } from '../../../src/home/model/activity.ts'
import type { DeviceKey } from '../../../src/home/model/device.ts'
import type { Unit } from '../../../src/home/model/house.ts'
import type { RegisterValues, UnitSchedule } from '../../../src/home/model/register.ts'
import type { HomeEvent } from '../../../src/home/home-event.ts'
import type { HouseContent, HouseStore } from '../../../src/home/ports/house-store.ts'
import type { SettingsStore, StoredSetting, UnitScheduleStore } from '../../../src/home/ports/settings-store.ts'
import { UnitSettings } from '../../../src/home/settings/unit-settings.ts'
import { RegisterBus } from '#support/bus/register-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { recordingLog } from '#support/recording-log.ts'

export const MINUTE = 60_000

export const lamp = unitOf('lamp', 1)
export const spot = unitOf('spot', 2)
export const wall = unitOf('wall', 3, {
  model: 'HMHHX2',
  class: 'gang_module',
  gangs: [
    { gang: 0, name: 'left', class: 'switch_gang', room: null },
    { gang: 1, name: 'right', class: 'switch_gang', room: null },
  ],
})
export const SCHEDULE: UnitSchedule = {
  slot: 1,
  enabled: true,
  gang: 1,
  days: [1, 2],
  time: '07:00',
  op: 'set_power',
  args: { on: true },
}

const throwing = (error: unknown): never => {
  throw error
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
  const content: HouseContent = { info: homeInfo(), floors: [], rooms: [], units, scenes: [] }
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

export type SettingsHome = ReturnType<typeof settingsHome>

/** A settings home that reads in the background until the test is over. */
export function startedSettings(...parameters: Parameters<typeof settingsHome>): SettingsHome {
  const home = settingsHome(...parameters)
  home.settings.start()
  onTestFinished(() => home.settings.stop())
  return home
}

/** The cached registers of a device, without their times. */
export const plain = (home: SettingsHome, key: string): Record<string, number> =>
  Object.fromEntries([...home.settings.get(key)].map(([name, { value }]) => [name, value]))

/** What the bus was asked to read, in order. */
export const reads = (home: SettingsHome): string[] =>
  home.bus.calls
    .filter(({ what }) => what !== 'write')
    .map(({ what, target }) => `${what} ${target.address} ${target.gang}`)
