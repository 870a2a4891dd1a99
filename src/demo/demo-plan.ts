import type { Hours, PersonPlan, HousePlan, Load, RoomPlan, SimModel, UnitPlan } from '../sim/model/house-plan.ts'

const at = (hour: number, minute = 0): number => hour * 60 + minute

/** Hours of a Saturday or Sunday; `earlierToBed` in minutes. */
const weekend = (earlierToBed = 0): Hours => [
  [at(8, 18), 40, 'wash'],
  [at(8, 54), 20, 'cook'],
  [at(9, 24), 10, 'eat'],
  [at(10, 24), 20, 'tidy'],
  [at(11, 12), 20, 'outside'],
  [at(12, 36), 20, 'cook'],
  [at(13, 12), 10, 'eat'],
  [at(14), 15, 'away'],
  [at(17, 12), 40, 'relax'],
  [at(18, 18), 20, 'cook'],
  [at(19, 12), 10, 'eat'],
  [at(20), 10, 'relax'],
  [at(22, 54) - earlierToBed, 40, 'wash'],
  [at(23, 18) - earlierToBed, 20, 'sleep'],
]

/**
 * Daily routines: of the family of the demo house, in the simulation and in its past, and of people in large houses.
 */
export const LIVES = {
  commuter: {
    drives: true,
    weekend: weekend(),
    workday: [
      [at(6, 12), 12, 'wash'],
      [at(6, 36), 8, 'cook'],
      [at(7, 18), 10, 'away'],
      [at(17, 36), 35, 'tidy'],
      [at(18, 24), 15, 'cook'],
      [at(19, 12), 10, 'eat'],
      [at(19, 54), 10, 'relax'],
      [at(22, 42), 30, 'wash'],
      [at(23, 6), 15, 'sleep'],
    ],
  },
  homeWorker: {
    drives: false,
    weekend: weekend(),
    workday: [
      [at(6, 48), 15, 'wash'],
      [at(7, 12), 10, 'cook'],
      [at(7, 42), 8, 'eat'],
      [at(8, 24), 15, 'work'],
      [at(10, 30), 25, 'cook'],
      [at(10, 45), 5, 'work'],
      [at(12, 30), 20, 'cook'],
      [at(13), 10, 'eat'],
      [at(13, 36), 10, 'work'],
      [at(15, 36), 25, 'outside'],
      [at(16), 10, 'work'],
      [at(17, 24), 25, 'tidy'],
      [at(18, 12), 15, 'cook'],
      [at(19, 12), 10, 'eat'],
      [at(19, 54), 10, 'relax'],
      [at(22, 30), 25, 'wash'],
      [at(22, 54), 15, 'sleep'],
    ],
  },
  child: {
    drives: false,
    weekend: weekend(70),
    workday: [
      [at(6, 54), 8, 'wash'],
      [at(7, 15), 6, 'eat'],
      [at(7, 42), 6, 'away'],
      [at(14, 24), 20, 'eat'],
      [at(15), 10, 'play'],
      [at(16, 12), 15, 'outside'],
      [at(17, 36), 20, 'play'],
      [at(19, 12), 8, 'eat'],
      [at(19, 48), 8, 'relax'],
      [at(20, 24), 10, 'wash'],
      [at(20, 45), 10, 'sleep'],
    ],
  },
} as const satisfies Readonly<Record<string, Pick<PersonPlan, 'workday' | 'weekend' | 'drives'>>>

/** A member of the family; the history uses the name. */
interface FamilyMember extends PersonPlan {
  readonly name: string
}

const SHARED_ROOMS = {
  wash: 'bathroom',
  cook: 'kitchen',
  eat: 'dining-room',
  relax: 'living-room',
  outside: 'garden',
} as const

/** The residents of the demo house. */
export const FAMILY: readonly FamilyMember[] = [
  {
    ...LIVES.homeWorker,
    id: 'anna',
    name: 'Anna',
    rooms: { ...SHARED_ROOMS, sleep: 'bedroom', work: 'study', pass: 'hall', tidy: 'utility-room' },
  },
  {
    ...LIVES.commuter,
    id: 'jonas',
    name: 'Jonas',
    rooms: { ...SHARED_ROOMS, sleep: 'bedroom', work: 'studio', pass: 'hall', tidy: 'studio' },
  },
  { ...LIVES.child, id: 'lena', name: 'Lena', rooms: { ...SHARED_ROOMS, sleep: 'lenas-room', pass: 'landing' } },
]

const DAILY = [1, 2, 3, 4, 5, 6, 7]
const WORKDAYS = [1, 2, 3, 4, 5]
const lamp = (watts: number, lux: number): Load => ({ kind: 'lamp', watts, lux })

const ROOMS: readonly RoomPlan[] = [
  { id: 'hall', use: 'hall', daylight: 0.004 },
  { id: 'living-room', use: 'living', daylight: 0.03 },
  { id: 'kitchen', use: 'kitchen', daylight: 0.02 },
  { id: 'dining-room', use: 'dining', daylight: 0.025 },
  { id: 'cloakroom', use: 'utility', daylight: 0 },
  { id: 'utility-room', use: 'utility', daylight: 0.005 },
  { id: 'landing', use: 'hall', daylight: 0.006 },
  { id: 'bedroom', use: 'bedroom', daylight: 0.02 },
  { id: 'bathroom', use: 'bath', daylight: 0.008 },
  { id: 'lenas-room', use: 'bedroom', daylight: 0.02 },
  { id: 'study', use: 'office', daylight: 0.02 },
  { id: 'studio', use: 'living', daylight: 0.04 },
  { id: 'guest-room', use: 'bedroom', daylight: 0.02 },
  { id: 'shower-room', use: 'bath', daylight: 0.006 },
  { id: 'garden', use: 'garden', daylight: 1 },
]

const unit = (
  address: number,
  model: SimModel,
  room: string | null,
  more: Omit<UnitPlan, 'address' | 'model' | 'room'> = {},
): UnitPlan => ({ address, model, room, ...more })

const GROUND: readonly UnitPlan[] = [
  unit(11, 'HMHHX1', 'hall', {
    load: lamp(28, 180),
    mode: 'auto',
    registers: { dark_lux: 60, no_motion_min: 4, quick_off_min: 1 },
  }),
  unit(12, 'HMHHX3', 'hall', {
    registers: {
      'no_motion_min@0': 0,
      'dark_lux@0': 0,
      'dark_lux@1': 254,
      'no_motion_min@1': 5,
      'no_motion_min@2': 3,
      'dark_lux@2': 60,
      module_sensor: 2,
    },
    gangs: [
      { gang: 0, kind: 'switch', room: 'garden', load: lamp(12, 0), mode: 'auto' },
      { gang: 1, kind: 'switch', room: 'cloakroom', load: lamp(14, 160), mode: 'auto' },
      { gang: 2, kind: 'switch', room: 'landing', load: lamp(18, 150), mode: 'auto' },
    ],
    schedules: [
      { gang: 0, days: DAILY, minute: at(18, 30), op: 'on' },
      { gang: 0, days: DAILY, minute: at(23, 15), op: 'off' },
    ],
  }),
  unit(13, 'HMLK', 'hall'),
  unit(21, 'HMHH', 'living-room', { load: lamp(54, 320), registers: { fade_speed: 60, turn_on_brightness: 80 } }),
  unit(22, 'HMHH', 'living-room', { load: lamp(22, 110), registers: { fade_speed: 80, turn_on_brightness: 45 } }),
  unit(23, 'HMTHX2', 'living-room', {
    mode: 'auto',
    registers: { up_time_s: 34, down_time_s: 32, passage_remote: 0 },
    schedules: [
      { days: WORKDAYS, minute: at(7, 15), op: 'open' },
      { days: [6, 7], minute: at(8, 45), op: 'open' },
    ],
  }),
  unit(24, 'HMCU', 'living-room', { travelSeconds: 14 }),
  unit(25, 'HMPH', 'living-room', { load: { kind: 'socket', watts: 135 }, registers: { ir_emitter: 1 } }),
  unit(26, 'HMIR', 'living-room'),
  unit(27, 'HMSE', 'living-room', { measures: ['temperature', 'humidity', 'light', 'co2'] }),
  unit(31, 'HMHHX4', 'kitchen', {
    registers: {
      module_sensor: 2,
      'up_time_s@2': 22,
      'down_time_s@2': 20,
      'no_motion_min@0': 20,
      'no_motion_min@1': 0,
    },
    gangs: [
      { gang: 0, kind: 'switch', room: 'kitchen', load: lamp(32, 240) },
      { gang: 1, kind: 'switch', room: 'dining-room', load: lamp(40, 210) },
      { gang: 2, kind: 'shutter', room: 'kitchen' },
    ],
  }),
  unit(32, 'HMSH', 'kitchen', { load: { kind: 'appliance', watts: 1_900, idleWatts: 14 } }),
  unit(35, 'HMSE', 'dining-room', { measures: ['door', 'temperature', 'battery'] }),
  unit(38, 'HMPH', 'utility-room', {
    load: { kind: 'appliance', watts: 2_000, idleWatts: 1.5, programme: 'laundry' },
  }),
]

const UPSTAIRS: readonly UnitPlan[] = [
  unit(41, 'HMSE', 'landing', { measures: ['motion', 'light', 'temperature', 'battery'] }),
  unit(51, 'HMHH', 'bedroom', { load: lamp(36, 220), registers: { fade_speed: 120, turn_on_brightness: 60 } }),
  unit(52, 'HMHHX2', 'bedroom', {
    registers: { 'no_motion_min@0': 0, 'no_motion_min@1': 0 },
    gangs: [
      { gang: 0, kind: 'switch', room: 'bedroom', load: lamp(6, 35) },
      { gang: 1, kind: 'switch', room: 'bedroom', load: lamp(6, 35) },
    ],
  }),
  unit(53, 'HMTHX2', 'bedroom', { registers: { up_time_s: 26, down_time_s: 24, led_coding: 23, shutter_leds: 2 } }),
  unit(54, 'HMAC', 'bedroom'),
  unit(55, 'HMSE', 'bedroom', { measures: ['temperature', 'humidity', 'co2', 'battery'] }),
  unit(61, 'HMHHX2', 'bathroom', {
    registers: { 'dark_lux@0': 120, 'no_motion_min@0': 10, 'no_motion_min@1': 25, 'quick_off_min@1': 3 },
    gangs: [
      { gang: 0, kind: 'switch', room: 'bathroom', load: lamp(24, 260), mode: 'auto' },
      { gang: 1, kind: 'switch', room: 'bathroom', load: { kind: 'fan', watts: 19 }, mode: 'auto' },
    ],
  }),
  unit(62, 'HMPH', 'bathroom', {
    load: { kind: 'heater', watts: 900 },
    mode: 'auto',
    registers: { climate_load: 2, heat_on: 41, heat_off: 44 },
  }),
  unit(63, 'HMSE', 'bathroom', { measures: ['temperature', 'humidity'] }),
  unit(71, 'HMHH', 'lenas-room', { load: lamp(30, 210), registers: { turn_on_brightness: 90, off_delay_s: 45 } }),
  unit(72, 'HMTHX2', 'lenas-room', { registers: { up_time_s: 24, down_time_s: 23, single_touch: 1 } }),
  unit(75, 'HMHHX1', 'study', { load: lamp(34, 280), registers: { safety_timer: 6, safety_mode: 1 } }),
  unit(76, 'HMSH', 'study', { load: { kind: 'socket', watts: 95 } }),
]

const TOP_AND_OUTSIDE: readonly UnitPlan[] = [
  unit(81, 'HMHH', 'studio', { load: lamp(42, 260), mode: 'eco', registers: { fade_speed: 40, no_motion_min: 30 } }),
  unit(82, 'HMTHX2', 'studio', { mode: 'auto', registers: { up_time_s: 40, down_time_s: 38, eco_lux: 450 } }),
  unit(83, 'HMHHX1', 'guest-room', { load: lamp(26, 200) }),
  unit(84, 'HMPH', 'shower-room', {
    load: { kind: 'heater', watts: 600 },
    registers: { climate_load: 2, heat_on: 40, heat_off: 43 },
  }),
  unit(91, 'HMGT', 'garden', { travelSeconds: 18 }),
  unit(92, 'HMSE', 'garden', { measures: ['temperature', 'humidity', 'light', 'battery'] }),
  unit(99, 'HMMT', null),
]

/** The bus side of the demo house: a family's house in Berlin. The names that belong to it are in demo-house.yaml. */
export const DEMO_PLAN: HousePlan = {
  timeZone: 'Europe/Berlin',
  latitude: 52.5339,
  longitude: 13.4108,
  rooms: ROOMS,
  units: [...GROUND, ...UPSTAIRS, ...TOP_AND_OUTSIDE],
  people: FAMILY,
}
