import { readHouseFile } from '../../../src/home/house/house-file.ts'
import type { HouseContent } from '../../../src/home/ports/house-store.ts'
import type { PhysicalHouse } from '../../../src/sim/units/physical-house.ts'
import type { HousePlan, Load, UnitPlan } from '../../../src/sim/model/house-plan.ts'
import type { PassingClock } from '#support/clocks/passing-clock.ts'
import type { TestHome } from '#support/gateway/harness.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND

/** The models that have settings. */
const SWITCHES = /^HM(HH|PH|SH|TH)/

const LAMP: Load = { kind: 'lamp', watts: 40, lux: 200 }
const HEATER: Load = { kind: 'heater', watts: 500 }

/** One unit of each model that has settings, each in its own room without daylight; `second` shares the dimmer's. */
const PLANS: readonly (UnitPlan & { readonly id: string; readonly class: string })[] = [
  { id: 'dimmer', class: 'light_dimmer', address: 1, model: 'HMHH', room: 'parlour', load: LAMP },
  { id: 'second', class: 'light_switch', address: 2, model: 'HMHHX1', room: 'parlour', load: LAMP },
  { id: 'single', class: 'light_switch', address: 3, model: 'HMHHX1', room: 'cellar', load: LAMP },
  {
    id: 'module',
    class: 'gang_module',
    address: 4,
    model: 'HMHHX2',
    room: 'attic',
    gangs: [
      { gang: 0, kind: 'switch', room: 'attic', load: LAMP },
      { gang: 1, kind: 'switch', room: 'attic', load: LAMP },
    ],
  },
  {
    id: 'mixed',
    class: 'gang_module',
    address: 5,
    model: 'HMHHX3',
    room: 'shed',
    gangs: [
      { gang: 0, kind: 'switch', room: 'shed', load: LAMP },
      { gang: 1, kind: 'shutter', room: 'shed' },
    ],
  },
  { id: 'power', class: 'power_switch', address: 6, model: 'HMPH', room: 'boiler', load: HEATER },
  { id: 'sense', class: 'sense_switch', address: 7, model: 'HMSH', room: 'pantry', load: HEATER },
  { id: 'shutter', class: 'shutter', address: 8, model: 'HMTHX2', room: 'porch' },
  {
    id: 'porch-lamp',
    class: 'light_dimmer',
    address: 9,
    model: 'HMHH',
    room: 'porch',
    load: { kind: 'lamp', watts: 90, lux: 800 },
  },
]

export const INTENT_PLAN: HousePlan = {
  timeZone: 'Europe/Berlin',
  latitude: 52.5,
  longitude: 13.4,
  people: [],
  units: PLANS,
  rooms: [...new Set(PLANS.map(({ room }) => room))].flatMap((id) =>
    id === null ? [] : [{ id, use: 'utility' as const, daylight: 0 }],
  ),
}

/** The bus address of a device in that house: its unit's address, and its gang. */
export function placeOf(local: string): readonly [address: number, gang: number | null] {
  const [id, gang] = local.split(':')
  const plan = PLANS.find((plan) => plan.id === id)
  if (plan === undefined) throw new Error(`The house has no ${local}.`)
  return [plan.address, gang === undefined ? null : Number(gang)]
}

/** The names and rooms of that house. */
export function intentHouse(): HouseContent {
  const units = PLANS.map(({ id, address, model, room, gangs = [], class: its }) => ({
    id,
    name: id,
    address,
    model,
    room,
    class: its,
    gangs: gangs.map((gang) => ({
      gang: gang.gang,
      name: `${id} ${gang.gang}`,
      class: `${gang.kind}_gang`,
      room: gang.room,
    })),
  }))
  const file = { home: { name: 'Werkhof' }, rooms: INTENT_PLAN.rooms.map(({ id }) => ({ id, name: id })), units }
  const read = readHouseFile(JSON.stringify(file), 'Europe/Berlin')
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** Resolves once the settings and schedules of every switch in the house have been read. */
export async function settingsRead(home: TestHome, clock: PassingClock): Promise<void> {
  const { house, settings } = home.running.gateway.home
  const missing = (): boolean =>
    [...house.devices.values()].some(
      ({ key, unit }) =>
        SWITCHES.test(unit.model ?? '') && (settings.get(key).size === 0 || settings.schedulesOf(key) === undefined),
    )
  while (missing()) await clock.pass(SECOND)
}

/** The registers of a simulated unit. */
export function simulatedRegisters(
  house: PhysicalHouse,
  address: number,
  gang: number | null,
  names: readonly string[],
): Record<string, number> {
  const settings = house.unit(address)?.settingsOf(gang)
  return Object.fromEntries(names.map((name) => [name, settings?.value(name, -1) ?? -1]))
}

/** Shorter than the stream's ping timeout. */
const LAPSE_STEP_MS = 28 * SECOND

/** Lets time pass while the test's own connection stays alive: an open stream has to answer its pings. */
export async function passTime(home: TestHome, clock: PassingClock, ms: number): Promise<void> {
  if (home.transport === 'http') return clock.pass(ms)
  for (let left = ms; left > 0; left -= LAPSE_STEP_MS) {
    await clock.pass(Math.min(left, LAPSE_STEP_MS))
    await home.get('/v1/integration')
  }
}
