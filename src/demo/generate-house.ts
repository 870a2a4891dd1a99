import type {
  SimModel,
  GangPlan,
  HousePlan,
  Load,
  Measures,
  PersonPlan,
  RoomPlan,
  RoomUse,
  UnitPlan,
} from '../sim/model/house-plan.ts'
import { CLASS_OF } from '../sim/model/bus-types.ts'
import { SeededRandom } from '../sim/model/seeded-random.ts'
import { LIVES } from './demo-plan.ts'

/** The names and places that belong to a plan, in the house-file format; matches it by address. */
export type GeneratedHouseFile = ReturnType<typeof generateHouse>['file']

/** Readings of the sensors of a large house. */
const SENSORS: readonly [readonly Measures[], ...(readonly Measures[])[]] = [
  ['temperature', 'humidity', 'co2'],
  ['motion', 'light', 'battery'],
  ['temperature', 'door', 'battery'],
]
const ROOMS_PER_FLOOR = 12
const UNITS_PER_ROOM = 6
const UNITS_PER_PERSON = 30
const SCENE_STEPS = 12

type Range = readonly [least: number, most: number]

/** Frequency of each model; the list is dealt out repeatedly. */
const DEAL: readonly SimModel[] = [
  'HMHH',
  'HMHHX1',
  'HMTHX2',
  'HMHHX2',
  'HMHH',
  'HMPH',
  'HMSE',
  'HMHHX1',
  'HMHHX3',
  'HMTHX2',
  'HMHH',
  'HMSH',
  'HMSE',
  'HMHHX4',
  'HMHHX1',
  'HMCU',
  'HMHH',
  'HMPH',
  'HMAC',
  'HMHHX2',
  'HMTHX2',
  'HMSE',
  'HMIR',
  'HMHHX1',
]
const NOUN: Readonly<Record<SimModel, string>> = {
  HMHH: 'Dimmer',
  HMHHX1: 'Light',
  HMHHX2: 'Panel',
  HMHHX3: 'Panel',
  HMHHX4: 'Panel',
  HMPH: 'Power switch',
  HMSH: 'Socket',
  HMTHX2: 'Shutter',
  HMAC: 'Air conditioner',
  HMIR: 'Remote',
  HMLK: 'Lock',
  HMGT: 'Gate',
  HMCU: 'Curtain',
  HMSE: 'Sensor',
  HMMT: 'Meter',
}
const USES: readonly RoomUse[] = [
  'hall',
  'living',
  'kitchen',
  'dining',
  'bedroom',
  'bath',
  'office',
  'bedroom',
  'utility',
  'living',
  'bedroom',
  'bath',
]
const DAYLIGHT: Readonly<Record<RoomUse, number>> = {
  hall: 0.005,
  living: 0.03,
  kitchen: 0.02,
  dining: 0.025,
  utility: 0.004,
  bedroom: 0.02,
  bath: 0.007,
  office: 0.02,
  garden: 1,
}
const ROOM_NAME: Readonly<Record<RoomUse, string>> = {
  hall: 'Hall',
  living: 'Living room',
  kitchen: 'Kitchen',
  dining: 'Dining room',
  utility: 'Utility room',
  bedroom: 'Bedroom',
  bath: 'Bathroom',
  office: 'Office',
  garden: 'Garden',
}
const GANGS: Readonly<Partial<Record<SimModel, number>>> = { HMHHX2: 2, HMHHX3: 3, HMHHX4: 4 }

/** A generated house for load tests: the bus side and the matching house file, the same for the same seed. */
export function generateHouse(units: number, seed: string | number) {
  const random = new SeededRandom(`house/${seed}`)
  const rooms = makeRooms(Math.max(3, Math.ceil(units / UNITS_PER_ROOM)))
  const made = Array.from({ length: units }, (_, index) => makeUnit(index, units, rooms, random))
  const floors = Math.ceil(rooms.length / ROOMS_PER_FLOOR)
  const place = { timeZone: 'Europe/Berlin', latitude: 52.52, longitude: 13.405 }
  const plan: HousePlan = {
    ...place,
    rooms: rooms.map((room) => room.plan),
    units: made.map((unit) => unit.plan),
    people: makePeople(units, rooms, random),
  }
  return {
    plan,
    file: {
      home: { name: `Large house ${seed}`, ...place, currency: 'EUR' },
      floors: Array.from({ length: floors }, (_, index) => ({ id: `floor-${index}`, name: `Floor ${index}` })),
      rooms: rooms.map(({ plan, name, floor }) => ({ id: plan.id, name, ...(floor === null ? {} : { floor }) })),
      units: made.map(({ file }) => file),
      scenes: makeScenes(
        made.map(({ file }) => file),
        random,
      ),
    },
  }
}

interface MadeRoom {
  readonly plan: RoomPlan
  readonly name: string
  readonly floor: string | null
}

function makeRooms(count: number): MadeRoom[] {
  return Array.from({ length: count }, (_, index) => {
    // The last room is on no floor.
    const use = index === count - 1 ? 'garden' : (USES[index % USES.length] ?? 'living')
    const floor = use === 'garden' ? null : `floor-${Math.floor(index / ROOMS_PER_FLOOR)}`
    return { plan: { id: `${use}-${index}`, use, daylight: DAYLIGHT[use] }, name: `${ROOM_NAME[use]} ${index}`, floor }
  })
}

/** The first units are a lock, a gate and a meter in no room; the others are dealt out. */
function modelAt(index: number, units: number): SimModel {
  const first: readonly SimModel[] = units >= 10 ? ['HMMT', 'HMLK', 'HMGT'] : []
  return first[index] ?? DEAL[(index - first.length) % DEAL.length] ?? 'HMHHX1'
}

function makeUnit(index: number, units: number, rooms: readonly MadeRoom[], random: SeededRandom) {
  const model = modelAt(index, units)
  const at = model === 'HMGT' ? rooms.length - 1 : model === 'HMLK' ? 0 : Math.floor((index * rooms.length) / units)
  const room = model === 'HMMT' ? null : (rooms[at]?.plan.id ?? null)
  const address = index + 1
  const id = `${NOUN[model].toLowerCase().replaceAll(' ', '-')}-${address}`
  const name = `${NOUN[model]} ${address}`
  const gangs = makeGangs(model, room, rooms[(at + 1) % rooms.length]?.plan.id ?? null, random)
  const plan: UnitPlan = {
    address,
    model,
    room,
    load: loadOf(model, random),
    ...(gangs.length > 0 ? { gangs } : {}),
    ...(model === 'HMSE' ? { measures: random.pick(SENSORS) } : {}),
    mode: random.chance(0.3) && model !== 'HMCU' && model !== 'HMGT' ? 'auto' : 'manual',
    registers: model === 'HMHH' || model === 'HMHHX1' ? { dark_lux: 60, no_motion_min: random.whole(3, 20) } : {},
  }
  const fileGangs = gangs.map(({ gang, kind, room: gangRoom }) => ({
    gang,
    name: `${name} ${gang}`,
    class: `${kind}_gang`,
    ...(gangRoom === null ? {} : { room: gangRoom }),
  }))
  return {
    plan,
    file: {
      id,
      name,
      address,
      model,
      class: CLASS_OF[model],
      ...(room === null ? {} : { room }),
      ...(gangs.length > 0 ? { gangs: fileGangs } : {}),
    },
  }
}

function makeGangs(model: SimModel, room: string | null, nextRoom: string | null, random: SeededRandom): GangPlan[] {
  const count = GANGS[model] ?? 0
  const gangs: GangPlan[] = []
  for (let gang = 0; gang < count; gang++) {
    const shutter = gang + 1 < count && random.chance(0.15)
    const gangRoom = random.chance(0.2) ? nextRoom : room
    gangs.push(
      shutter
        ? { gang, kind: 'shutter', room: gangRoom }
        : { gang, kind: 'switch', room: gangRoom, load: lamp(random) },
    )
    if (shutter) gang++
  }
  return gangs
}

const lamp = (random: SeededRandom): Load => ({ kind: 'lamp', watts: random.whole(6, 60), lux: random.whole(60, 300) })
const between = (random: SeededRandom, [least, most]: Range): number => random.whole(least, most)

function loadOf(model: SimModel, random: SeededRandom): Load {
  if (model === 'HMPH') return { kind: random.chance(0.4) ? 'heater' : 'socket', watts: between(random, [200, 1_500]) }
  if (model === 'HMSH') return { kind: 'socket', watts: between(random, [20, 400]) }
  return model === 'HMHH' || model === 'HMHHX1' ? lamp(random) : { kind: 'none', watts: 0 }
}

/** Households that share the house, each with rooms of its own. */
function makePeople(units: number, rooms: readonly MadeRoom[], random: SeededRandom): PersonPlan[] {
  const of = (use: RoomUse, index: number): string | undefined => {
    const fitting = rooms.filter(({ plan }) => plan.use === use)
    return fitting[index % Math.max(1, fitting.length)]?.plan.id
  }
  return Array.from({ length: Math.ceil(units / UNITS_PER_PERSON) }, (_, index) => {
    const needs = {
      sleep: 'bedroom',
      wash: 'bath',
      cook: 'kitchen',
      eat: 'dining',
      relax: 'living',
      work: 'office',
      pass: 'hall',
      tidy: 'utility',
      outside: 'garden',
    } as const
    const found = Object.entries(needs).flatMap(([need, use]) => {
      const room = of(use, index)
      return room === undefined ? [] : [[need, room] as const]
    })
    return {
      id: `person-${index}`,
      ...random.pick([LIVES.commuter, LIVES.homeWorker, LIVES.commuter, LIVES.child]),
      rooms: Object.fromEntries(found),
    }
  })
}

function makeScenes(units: readonly { readonly id: string; readonly class: string }[], random: SeededRandom) {
  const steps = units.flatMap(({ id: device, class: gangRoom }): object[] => {
    if (gangRoom === 'light_dimmer') return [{ device, op: 'set_brightness', args: { bri: random.whole(10, 90) } }]
    if (gangRoom === 'light_switch') return [{ device, op: 'set_power', args: { on: random.chance(0.5) } }]
    return gangRoom === 'shutter' ? [{ device, op: 'set_position', args: { pos: random.whole(0, 100) } }] : []
  })
  const count = Math.max(1, Math.min(100, Math.floor(units.length / 20)))
  return Array.from({ length: count }, (_, index) => ({
    id: `scene-${index}`,
    name: `Scene ${index}`,
    steps: steps.slice(index * SCENE_STEPS, (index + 1) * SCENE_STEPS),
  })).filter(({ steps: own }) => own.length > 0)
}
