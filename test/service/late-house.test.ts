import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { parse } from 'yaml'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { changeUnits, type HouseFile, houseFile, importHouse } from '#support/gateway/house-file.ts'

const EMPTY: HouseContent = {
  info: { name: 'New', timeZone: 'Europe/Berlin', latitude: null, longitude: null, currency: 'EUR' },
  floors: [],
  rooms: [],
  units: [],
  scenes: [],
  groups: [],
}
const DEMO = parse(readFileSync(new URL('../../src/demo/demo-house.yaml', import.meta.url), 'utf8')) as HouseFile

const verifies = verifiesAlone(() => ({ firstHouse: EMPTY }))

interface Shown {
  readonly id: string
  readonly state: unknown
}

/** Local keys of the devices without a state, as a client sees them. */
async function withoutState(home: TestHome): Promise<readonly string[]> {
  const { devices } = (await home.get('/v1/state')) as { devices: readonly Shown[] }
  expect(devices.length).toBeGreaterThan(0)
  const { sensors } = (await home.get('/v1/sensors')) as { sensors: readonly { asOf: number | null }[] }
  expect(sensors.filter(({ asOf }) => asOf === null)).toEqual([])
  return devices.filter(({ state }) => state === null).map(({ id }) => id.split(':').slice(2).join(':'))
}

verifies('devices.late', 'a house that is imported long after the start has all its states', async (home) => {
  expect(home.running.gateway.home.bus.units.size).toBeGreaterThan(30)
  await importHouse(home, DEMO)
  await home.running.hasten(home.running.settled())
  expect(await withoutState(home)).toEqual([])
})

verifies(
  'devices.late',
  'a unit that is removed and added again, or placed, is read at once',
  { tags: ['long'] },
  async (home) => {
    await importHouse(home, DEMO)
    await home.running.hasten(home.running.settled())
    const whole = await houseFile(home)
    await importHouse(home, {
      home: whole['home'],
      rooms: whole['rooms'],
      floors: whole['floors'],
      units: whole.units.filter(({ id }) => id !== 'study-light'),
    })
    expect(home.running.gateway.home.live.states.get('study-light')).toBeUndefined()
    await importHouse(home, whole)
    await home.running.hasten(home.running.settled())
    expect(await withoutState(home)).toEqual([])
  },
)

verifies('devices.late', 'a unit of the bus that is placed is read at once', async (home) => {
  await home.running.admin.call('POST', '/house/place', { address: 22, name: 'Floor lamp' })
  await home.running.hasten(home.running.settled())
  expect(await withoutState(home)).toEqual([])
})

verifies(
  'devices.late',
  'a device that takes the class of its unit is read at once',
  { tags: ['long'] },
  async (home) => {
    const wrong = DEMO.units.map((unit) => (unit.id === 'driveway-gate' ? { ...unit, class: 'shutter' } : unit))
    await importHouse(home, { ...DEMO, scenes: [], automations: [], schedules: [], units: wrong })
    await home.running.hasten(home.running.settled())
    expect(await withoutState(home)).toEqual(['driveway-gate'])
    await changeUnits(home, { 'driveway-gate': { class: 'gate' } })
    await home.running.hasten(home.running.settled())
    expect(await withoutState(home)).toEqual([])
  },
)
