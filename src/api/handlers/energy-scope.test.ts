// @module-tag repeated
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { times } from '#support/long.ts'
import { ExposedHouse } from '../../exposure/exposed-house.ts'
import { GroupMembers } from '../../exposure/group-members.ts'
import type { Exposure, Pick } from '../../exposure/integration.ts'
import { DEFAULT_KNOBS } from '../../exposure/knobs.ts'
import { readHouseFile } from '../../home/house/house-file.ts'
import type { House } from '../../home/house/house.ts'
import { ENERGY_PERIODS } from '../../home/record/energy-range.ts'
import { Energy } from '../../home/record/energy.ts'
import { parseTariffs } from '../../home/record/tariff.ts'
import { silentLog } from '../../lib/log.ts'
import { refuse } from '../errors.ts'
import { energyScope } from './energy-scope.ts'
import { HOUR_MS } from '../../lib/durations.ts'

const NOW = Date.UTC(2027, 9, 31, 11)
const clock = new ManualClock(NOW)
const house = demoHouse()

function demoHouse(): House {
  const read = readHouseFile(readFileSync(join(import.meta.dirname, '../../demo/demo-house.yaml'), 'utf8'), 'UTC')
  if (!read.ok) throw new Error(read.error)
  return storedHouse(read.value, { clock })
}

function viewOf(exposure: Exposure): ExposedHouse {
  return new ExposedHouse(
    house,
    { id: 'i', name: 'I', enabled: true, exposure, knobs: DEFAULT_KNOBS, createdAt: 0 },
    'gateway',
    new GroupMembers(house, { get: () => undefined }),
  )
}

/** Every device took something in each of the last days, in amounts that no rounding can hide. */
function energyOfAll(): Energy {
  const tariffs = parseTariffs({
    name: 'T',
    standingPerDay: 1,
    rates: [{ price: 0.21, from: '22:00', to: '06:00' }, { price: 0.3 }],
  })
  const history = tempHistory({ clock, file: ':memory:' })
  const energy = new Energy({
    store: history.energy,
    clock,
    log: silentLog,
    timeZone: 'Europe/Berlin',
    tariffs: tariffs.ok ? tariffs.value : null,
  })
  const keys = [...house.devices.keys()]
  for (const [index, key] of keys.entries()) {
    for (let back = 1; back < 400; back += 7)
      energy.addPast(key, 1_001 + index * 17, NOW - back * 11 * HOUR_MS, NOW - back * 11 * HOUR_MS + HOUR_MS)
    energy.addPast(key, 333 + index, NOW - HOUR_MS, NOW)
  }
  return energy
}

const picks: fc.Arbitrary<readonly Pick[]> = fc.array(
  fc.oneof(
    fc.constantFrom(...house.floors.keys()).map((id): Pick => ({ kind: 'floor', id })),
    fc.constantFrom(...house.rooms.keys()).map((id): Pick => ({ kind: 'room', id })),
    fc.constantFrom(...house.units.keys()).map((id): Pick => ({ kind: 'unit', id })),
    fc
      .constantFrom(...[...house.devices.values()].filter((device) => device.gang !== null))
      .map((device): Pick => ({ kind: 'gang', id: device.unit.id, gang: device.gang?.gang ?? 0 })),
  ),
  { minLength: 1, maxLength: 8 },
)

describe('the house is the sum of its floors, its rooms on no floor, and its units in no room', () => {
  const holds = (view: ExposedHouse, energy: Energy): void => {
    for (const period of ENERGY_PERIODS) {
      const mwh = (devices: readonly string[]): number =>
        Math.round(energy.answer({ devices, range: { period }, standing: false }).energy * 1_000)
      const roomless = [...view.devices()]
        .filter((device) => device.room === null && !device.onlyGangs)
        .map((device) => device.key)
      const parts = [
        ...view.floors.map((floor) => energyScope(`floor:${floor.id}`, view, refuse)),
        ...view.rooms.map((room) => energyScope(`room:${room.id}`, view, refuse)),
        roomless,
      ]
      expect(
        parts.reduce((sum, devices) => sum + mwh(devices), 0),
        period,
      ).toBe(mwh(energyScope('house', view, refuse)))
      for (const floor of view.floors) {
        expect(
          floor.rooms.reduce((sum, room) => sum + mwh(energyScope(`room:${room.id}`, view, refuse)), 0),
          period,
        ).toBe(mwh(energyScope(`floor:${floor.id}`, view, refuse)))
      }
    }
  }

  test('on All', () => {
    holds(viewOf({ expose: 'All' }), energyOfAll())
  })

  test('on Selected, for every selection', () => {
    const energy = energyOfAll()
    fc.assert(
      fc.property(picks, (some) => {
        holds(viewOf({ expose: 'Selected', picks: some }), energy)
      }),
      { numRuns: times(2, 250) },
    )
  })
})
