import { onTestFinished } from 'vitest'
import type { HistoryDb } from '../../../src/db/history/history-db.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import type { ActivityDraft, HomeEvent } from '../../../src/home/model/events.ts'
import type { Unit } from '../../../src/home/model/house.ts'
import type { UnitSchedule } from '../../../src/home/model/device.ts'
import { UnitSettings } from '../../../src/home/settings/unit-settings.ts'
import { RegisterBus } from '#support/bus/register-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { unitOf } from '#support/homes/house-content.ts'
import { tempHistory } from '#support/homes/history.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
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

/** A house of units with settings; all its collaborators are visible to the test. */
export function settingsHome(units: readonly Unit[], history: HistoryDb = tempHistory()) {
  const clock = new ManualClock()
  const homeEvents: HomeEvent[] = []
  const events = new Emitter<HomeEvent>(throwing)
  events.on((event) => homeEvents.push(event))
  const house = storedHouse({ units }, { events, clock })
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
  const settings = new UnitSettings({
    house,
    bus,
    settings: history.settings,
    schedules: history.unitSchedules,
    events,
    clock,
    log,
    activity: { record: (draft) => drafts.push(draft), committed: async () => {} },
    readStateAfter: async () => {},
    changeWords: (_device, names) => `${names.join(' and ')} changed`,
  })
  return { clock, homeEvents: homeEvents, events, house, bus, log, drafts, history, settings }
}

export type SettingsHome = ReturnType<typeof settingsHome>

/** A settings home that reads in the background until the test ends. */
export function startedSettings(...parameters: Parameters<typeof settingsHome>): SettingsHome {
  const home = settingsHome(...parameters)
  home.settings.start()
  onTestFinished(() => home.settings.stop())
  return home
}

/** The cached registers of a device, without times. */
export const plain = (home: SettingsHome, key: string): Record<string, number> =>
  Object.fromEntries([...home.settings.get(key)].map(([name, { value }]) => [name, value]))

/** The reads that the bus received, in order. */
export const reads = (home: SettingsHome): string[] =>
  home.bus.calls
    .filter(({ what }) => what !== 'write')
    .map(({ what, target }) => `${what} ${target.address} ${target.gang}`)
