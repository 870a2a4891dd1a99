import { lastZoneTime } from '../../src/lib/zone-time.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/durations.ts'
import type { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import type { Gang, Room, Scene, Unit } from '../../src/home/model/house.ts'
import type { SceneStep } from '../../src/home/model/steps.ts'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import type { RuleFile } from '../../src/home/rules/rule-file.ts'
import type { HousePlan, RoomPlan, UnitPlan } from '../../src/sim/model/house-plan.ts'

/** Homes begin within these ten years. */
const FIRST_YEAR = 2026
const YEARS = 10
/** Share of the homes that begin right before a turn of the calendar. */
const AT_TURN_SHARE = 0.6
const LEAP_DAYS = [Date.UTC(2028, 1, 29), Date.UTC(2032, 1, 29)] as const

const zoneTime = lastZoneTime()

/** Time of a home's first start: anywhere in ten years, most often a day before a turn of the calendar. */
function startIn(timeZone: string, chance: SeededRandom): number {
  const year = FIRST_YEAR + chance.whole(0, YEARS - 1)
  const anywhere = Date.UTC(year, 0, 1) + chance.whole(0, 364 * 24 * 60) * MINUTE_MS
  if (!chance.chance(AT_TURN_SHARE)) return anywhere
  const turn = chance.pick([
    Date.UTC(year, chance.whole(1, 11), 1),
    Date.UTC(year + 1, 0, 1),
    chance.pick(LEAP_DAYS),
    ...clockChanges(timeZone, year),
  ])
  return turn - chance.whole(1, 30 * 60) * MINUTE_MS
}

/** Clock changes of a zone in a year, to the hour. */
function clockChanges(timeZone: string, year: number): number[] {
  const zone = zoneTime(timeZone)
  const changes: number[] = []
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY_MS) {
    if (zone.offsetMinutes(day) === zone.offsetMinutes(day + DAY_MS)) continue
    let hour = day
    while (zone.offsetMinutes(hour) === zone.offsetMinutes(day)) hour += HOUR_MS
    changes.push(hour)
  }
  return changes
}

/** Every name in the home has a unique word of this form, its mark. A text with the mark is about that thing. */
export const MARK = /(?<![\w-])Z(?:[fgrsu][a-z0-9]{1,11}|n\d{1,11})z(?![\w-])/g

/** The mark of a thing. Ids and gangs have letters, digits, dashes and one colon. */
export function markOf(kind: string, id: string): string {
  return `Z${kind}${id.replaceAll(/[^a-z0-9]/g, '')}z`
}

const ROOMS: readonly RoomPlan[] = [
  { id: 'hall', use: 'hall', daylight: 0.01 },
  { id: 'living', use: 'living', daylight: 0.03 },
  { id: 'attic', use: 'office', daylight: 0.02 },
  { id: 'yard', use: 'garden', daylight: 1 },
]

interface PlannedUnit {
  readonly plan: UnitPlan
  readonly unit: Pick<Unit, 'class'> & { readonly gangs?: readonly Pick<Gang, 'class' | 'room'>[] }
}

const lamp = { kind: 'lamp', watts: 20, lux: 200 } as const

/** First value of a unit's counter. Counters differ by less than a kWh, so that a mix-up would be billed. */
function counterOf(address: number): number {
  return 1_000_000 + 20 * address
}

/** Units in the network but not in the house file. They replace others later. */
const SPARE: readonly UnitPlan[] = [
  { address: 41, model: 'HMHHX1', room: 'hall', load: lamp },
  { address: 42, model: 'HMPH', room: 'attic', load: { kind: 'socket', watts: 60 } },
  { address: 43, model: 'HMHH', room: 'living', load: lamp, registers: { turn_on_brightness: 43 } },
]

/** Units of every home: a lamp, a lock and a gate. */
const ALWAYS: readonly PlannedUnit[] = [
  { plan: { address: 11, model: 'HMHHX1', room: 'hall', load: lamp }, unit: { class: 'light_switch' } },
  { plan: { address: 12, model: 'HMLK', room: 'hall' }, unit: { class: 'lock' } },
  { plan: { address: 13, model: 'HMGT', room: 'yard', travelSeconds: 12 }, unit: { class: 'gate' } },
]

/** Units of some homes. */
const SOME: readonly PlannedUnit[] = [
  {
    plan: { address: 21, model: 'HMHH', room: 'living', load: lamp, registers: { turn_on_brightness: 21 } },
    unit: { class: 'light_dimmer' },
  },
  { plan: { address: 22, model: 'HMTHX2', room: 'living' }, unit: { class: 'shutter' } },
  {
    plan: {
      address: 23,
      model: 'HMHHX2',
      room: 'living',
      gangs: [
        { gang: 0, kind: 'switch', room: 'living', load: lamp },
        { gang: 1, kind: 'switch', room: 'attic', load: lamp },
      ],
    },
    unit: {
      class: 'gang_module',
      gangs: [
        { class: 'switch_gang', room: 'living' },
        { class: 'switch_gang', room: 'attic' },
      ],
    },
  },
  {
    plan: { address: 31, model: 'HMPH', room: 'attic', load: { kind: 'socket', watts: 60 } },
    unit: { class: 'power_switch' },
  },
  { plan: { address: 32, model: 'HMSE', room: 'attic', measures: ['door', 'battery'] }, unit: { class: 'sensor' } },
  { plan: { address: 33, model: 'HMCU', room: 'attic', travelSeconds: 10 }, unit: { class: 'curtain' } },
  { plan: { address: 34, model: 'HMHHX1', room: null, load: lamp }, unit: { class: 'light_switch' } },
]

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Chatham',
] as const

/** Share of homes that start without a house, and the time until its import. */
const LATE_SHARE = 0.3
const LATE_MS = { least: 5_000, most: 4 * MINUTE_MS } as const

/** A made-up home: its physical units and its configuration. */
export interface SimulatedHome {
  readonly plan: HousePlan
  readonly content: HouseContent
  /** Rules of the first day. */
  readonly rules: RuleFile
  /** Time of the first start, epoch ms. */
  readonly start: number
  /** Time from the start to the import of the house; null if the gateway starts with it. */
  readonly lateMs: number | null
}

export function makeHome(chance: SeededRandom): SimulatedHome {
  const timeZone = chance.pick(ZONES)
  const own = chance.fork('start')
  const units = [...ALWAYS, ...SOME.filter(() => chance.chance(0.55))]
  const place = { latitude: 48.2, longitude: 11.6 }
  const plans = [...units.map(({ plan }) => plan), ...SPARE.filter(() => own.chance(0.7))]
  return {
    start: startIn(timeZone, own),
    lateMs: own.chance(LATE_SHARE) ? own.whole(LATE_MS.least, LATE_MS.most) : null,
    rules: { automations: [], schedules: [] },
    plan: {
      timeZone,
      ...place,
      rooms: ROOMS,
      people: [],
      units: plans.map((plan) => ({ ...plan, energyWh: counterOf(plan.address) })),
    },
    content: {
      info: { name: 'Simulated', timeZone, ...place, currency: 'EUR' },
      floors: [
        { id: 'ground', name: markOf('f', 'ground'), position: 1 },
        { id: 'top', name: markOf('f', 'top'), position: 2 },
      ],
      rooms: [room('hall', 'ground', 1), room('living', 'ground', 2), room('attic', 'top', 3), room('yard', null, 4)],
      units: units.map(unitOf),
      scenes: [
        scene('evening', 1, [
          { device: 'u11', op: 'set_power', args: { on: true } },
          { delay: 2 },
          { device: 'u13', op: 'close' },
        ]),
        scene('welcome', 2, [{ device: 'u12', op: 'open' }]),
      ],
      groups: [],
    },
  }
}

/** The house before its import. */
export function emptyHouse({ info }: HouseContent): HouseContent {
  return { info, floors: [], rooms: [], units: [], scenes: [], groups: [] }
}

function room(id: string, floor: string | null, position: number): Room {
  return { id, name: markOf('r', id), floor, position }
}

function unitOf({ plan, unit }: PlannedUnit, index: number): Unit {
  const id = `u${plan.address}`
  return {
    id,
    name: markOf('u', id),
    address: plan.address,
    class: unit.class,
    model: plan.model,
    room: plan.room,
    position: index,
    gangs: (unit.gangs ?? []).map((gang, number) => ({ gang: number, name: markOf('g', `${id}g${number}`), ...gang })),
  }
}

function scene(id: string, position: number, steps: readonly SceneStep[]): Scene {
  return {
    id,
    name: markOf('s', id),
    icon: null,
    floor: null,
    room: null,
    steps,
    revision: 1,
    edits: [{ devices: null, count: 1 }],
    origin: null,
    author: null,
    position,
  }
}
