import type { UnitPlan } from '../../src/sim/model/house-plan.ts'
import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/durations.ts'
import { parseYaml } from '../../src/lib/yaml.ts'
import { markOf } from '../world/house.ts'
import type { PhysicalUnit } from '../world/physical-units.ts'
import type { World } from '../world/world.ts'
import { act, type ActKind, pick, withOne } from './act.ts'
import { restart } from './nature.ts'

/** Changes of units in the house file or on the walls. Changes on the walls also happen while the gateway is off. */
export const UNIT_ACTS: readonly ActKind[] = [
  act('give another address', 3, giveAddress),
  act('exchange addresses', 3, exchangeAddresses),
  act('replace a unit', 3, replaceUnit),
  act('take a unit out of the house', 2, takeOutOfHouse),
  act('place a new unit', 3, placeNew),
  { ...act('install another model', 3, installModel), always: true },
  { ...act('install a module', 2, installModule), always: true },
  { ...act('replace a meter', 3, replaceMeter), always: true },
  { ...act('take a unit out of the network', 2, takeOutOfNetwork), always: true },
  { ...act('change a unit while the gateway is off', 3, changeWhileOff), atOnce: true },
]

/** Addresses of the lock and the gate. They stay, because the check of openings uses their ids. */
const STAYING: readonly number[] = [12, 13]
/** The house file is edited at most this long after the installation of a unit. */
const EDITED_MS = 5 * MINUTE_MS
/** The counter of a used meter exceeds every counter of the home by this much. */
const USED_WH = { least: 1_000_000, most: 3_000_000 } as const
const lamp = { kind: 'lamp', watts: 20, lux: 200 } as const

interface FileGang {
  readonly gang: number
  readonly name: string
  readonly class: string
  readonly room: string | null
}

/** A unit of a house file. */
interface FileUnit {
  readonly id: string
  address: number
  model?: string | null
  class?: string
  gangs?: readonly FileGang[]
}

/** Exports the home, changes the units of the file and imports it. */
async function editUnits(world: World, edit: (units: readonly FileUnit[]) => readonly FileUnit[]): Promise<void> {
  const { body } = await world.answering.order('house.export')
  const text = body['file']
  if (typeof text !== 'string' || !world.running) return
  const file = parseYaml(text) as { readonly units?: readonly FileUnit[] }
  const changed = { ...file, units: edit(file.units ?? []) }
  await world.answering.order('house.import', { body: { file: JSON.stringify(changed), check: false } })
}

/** Physical units outside the house file, of the same model as the unit at the address. */
function spares(world: World, address: number): readonly PhysicalUnit[] {
  const placed = new Set(world.content.units.map((unit) => unit.address))
  const listing = world.physical.at(address)?.listing
  return world.physical.all().filter((unit) => !placed.has(unit.plan.address) && unit.listing === listing)
}

function movable(world: World): readonly number[] {
  return world.known.units.map(({ address }) => address).filter((address) => !STAYING.includes(address))
}

/** Gives an id the address of a physical unit outside the house file. */
function giveAddress(world: World, chance: SeededRandom): void {
  const addresses = movable(world).filter((address) => spares(world, address).length > 0)
  withOne(chance, addresses, (address) =>
    withOne(chance, spares(world, address), ({ plan }) => {
      void editUnits(world, (units) =>
        units.map((unit) => (unit.address === address ? { ...unit, address: plan.address } : unit)),
      )
    }),
  )
}

/** Swaps the addresses of two ids of one class. */
function exchangeAddresses(world: World, chance: SeededRandom): void {
  const units = world.known.units.filter(({ address }) => !STAYING.includes(address))
  const pairs = units.flatMap((one, place) =>
    units
      .slice(place + 1)
      .flatMap((other) => (one.class === other.class ? [[one.address, other.address] as const] : [])),
  )
  withOne(chance, pairs, ([one, other]) => {
    const exchanged = new Map([
      [one, other],
      [other, one],
    ])
    void editUnits(world, (all) =>
      all.map((unit) => ({ ...unit, address: exchanged.get(unit.address) ?? unit.address })),
    )
  })
}

/** Replaces the unit of an id by another unit of the network. If that one has an id too, both swap addresses. */
function replaceUnit(world: World, chance: SeededRandom): void {
  const units = world.known.units.filter(({ address }) => !STAYING.includes(address))
  withOne(chance, units, ({ id: unit, address: own }) => {
    const alike = spares(world, own).map(({ plan }) => plan.address)
    const others = world.physical.all().map(({ plan }) => plan.address)
    const addresses = chance.chance(0.6) ? alike : others.filter((address) => !STAYING.includes(address))
    withOne(chance, addresses, (address) => {
      void world.answering.order('house.replace', { body: { unit, address, dryRun: chance.chance(0.1) } })
    })
  })
}

/** Removes a unit from the house file and usually adds it again later. */
function takeOutOfHouse(world: World, chance: SeededRandom): void {
  withOne(chance, movable(world), (address) => {
    const comesBack = chance.chance(0.8)
    const wait = chance.whole(MINUTE_MS, HOUR_MS)
    let removed: readonly FileUnit[] = []
    const out = editUnits(world, (units) => {
      removed = units.filter((unit) => unit.address === address)
      return units.filter((unit) => unit.address !== address)
    })
    void out.then(() => {
      if (!comesBack) return
      world.clock.after(wait, () => {
        const taken = new Set(removed.flatMap(({ id, address: its }) => [id, its]))
        if (world.running)
          void editUnits(world, (units) => [
            ...units.filter(({ id, address: its }) => !taken.has(id) && !taken.has(its)),
            ...removed,
          ])
      })
    })
  })
}

/** Adds a unit of the network to the house file. */
function placeNew(world: World, chance: SeededRandom): void {
  const placed = new Set(world.content.units.flatMap(({ id, address }) => [id, `u${address}`, `at ${address}`]))
  const free = world.physical
    .all()
    .filter(({ plan: { address } }) => !placed.has(`u${address}`) && !placed.has(`at ${address}`))
  withOne(chance, free, ({ plan: { address }, unit }) => {
    const id = `u${address}`
    const room = chance.pick(['living', 'attic', 'yard', null])
    const gangs = unit.info.gangs.map(({ gang }) => ({ gang, name: markOf('g', `${id}g${gang}`), room }))
    const body = { unit: id, address, name: markOf('u', id), room, gangs }
    void world.answering.order('house.place', { body })
  })
}

/** Installs another unit at an address. Some time later the house file often follows. */
function install(world: World, chance: SeededRandom, plan: UnitPlan): void {
  world.clock.stayAwake(EDITED_MS)
  world.physical.install(plan)
  if (!chance.chance(0.6)) return
  world.clock.after(chance.whole(1_000, EDITED_MS), () => {
    if (world.running) void editUnits(world, (units) => units.map((unit) => following(world, unit, plan.address)))
  })
}

/** The entry of a unit in the house file, updated to the physical unit at its address. */
function following(world: World, unit: FileUnit, address: number): FileUnit {
  const physical = world.physical.at(address)
  if (unit.address !== address || physical === undefined) return unit
  const { model, class: unitClass, gangs } = physical.unit.info
  const room = (unit as { readonly room?: string | null }).room ?? null
  const light = 'light' in unit ? { light: undefined } : {}
  return {
    ...unit,
    ...light,
    model,
    class: unitClass,
    gangs: gangs.map(({ gang, class: gangClass }) => {
      const before = unit.gangs?.find((its) => its.gang === gang)
      return {
        gang,
        name: before?.name ?? markOf('g', `${unit.id}g${gang}`),
        class: gangClass,
        room: before?.room ?? room,
      }
    }),
  }
}

/** A start value for the counter of a new unit, different from every other unit of the home. */
function newCounter(chance: SeededRandom): number {
  return 1_100_000 + chance.whole(0, 500)
}

const OTHER_MODELS: Readonly<Record<string, UnitPlan['model']>> = {
  HMHH: 'HMHHX1',
  HMHHX1: 'HMHH',
  HMPH: 'HMHHX1',
}

/** Replaces a lamp's switch by a dimmer, or a dimmer or socket by a switch. */
function installModel(world: World, chance: SeededRandom): void {
  const units = world.physical
    .all()
    .filter(({ plan: { address, model } }) => !STAYING.includes(address) && OTHER_MODELS[model] !== undefined)
  withOne(chance, units, ({ plan: { address, room, model } }) => {
    const other = OTHER_MODELS[model] ?? model
    const registers = other === 'HMHH' ? { registers: { turn_on_brightness: chance.whole(50, 99) } } : {}
    install(world, chance, { address, room, model: other, load: lamp, energyWh: newCounter(chance), ...registers })
  })
}

/** Replaces a module by one with another number of gangs. */
function installModule(world: World, chance: SeededRandom): void {
  const modules = world.physical.all().filter(({ plan }) => plan.gangs !== undefined)
  withOne(chance, modules, ({ plan: { address, room, gangs = [] } }) => {
    const count =
      pick(
        chance,
        [2, 3, 4].filter((one) => one !== gangs.length),
      ) ?? 2
    const model = `HMHHX${count}` as UnitPlan['model']
    const all = Array.from({ length: count }, (_, gang) => ({ gang, kind: 'switch' as const, room, load: lamp }))
    install(world, chance, { address, room, model, gangs: all, energyWh: newCounter(chance) })
  })
}

/** After some silence replaces a unit by one of the same model, which is new or was used elsewhere for years. */
function replaceMeter(world: World, chance: SeededRandom): void {
  const units = world.physical
    .all()
    .filter(
      ({ plan: { address, load, gangs } }) => !STAYING.includes(address) && load !== undefined && gangs === undefined,
    )
  withOne(chance, units, ({ plan }) => {
    const { address } = plan
    const silentMs = chance.pick([10_000, 20 * MINUTE_MS, 6 * HOUR_MS])
    const energyWh = chance.chance(0.5) ? 0 : (plan.energyWh ?? 0) + chance.whole(USED_WH.least, USED_WH.most)
    const registers = plan.model === 'HMHH' ? { registers: { turn_on_brightness: chance.whole(50, 99) } } : {}
    const putBack = world.physical.takeOut(address)
    world.clock.after(silentMs, () => {
      if (chance.chance(0.2)) putBack()
      else if (world.physical.at(address) === undefined) world.physical.install({ ...plan, ...registers, energyWh })
    })
  })
}

/** Changes a unit during a restart of the gateway. */
async function changeWhileOff(world: World, chance: SeededRandom): Promise<void> {
  await restart(world, chance)
  pick(chance, [installModel, installModule, replaceMeter, takeOutOfNetwork])?.(world, chance)
}

/** Takes a unit out of the network and puts it back with its settings and counters. */
function takeOutOfNetwork(world: World, chance: SeededRandom): void {
  withOne(chance, world.physical.all(), ({ plan: { address } }) => {
    const ms = chance.whole(1_000, 40 * MINUTE_MS)
    const putBack = world.physical.takeOut(address)
    world.clock.after(ms, putBack)
  })
}
