import {
  type DeviceClass,
  ALARM_KINDS,
  READING_KINDS,
  type ReadingKind,
  type Readings,
  type Detection,
  DETECTIONS,
  AC_MODES,
  FAN_SPEEDS,
  MODES,
  MOVES,
  REMOTE_KEYS,
  type TouchKey,
} from '../model/device.ts'
import type { Problem } from '../../lib/checked.ts'
import type { StateField, Test } from '../model/rules.ts'

interface Senses {
  readonly readings: readonly ReadingKind[]
  readonly detections: readonly Detection[]
}

const NOTHING: Senses = { readings: [], detections: [] }
const WALL_SWITCH: Senses = { readings: ['temperature', 'light', 'motion'], detections: ['motion'] }
/** Loads report their power. */
const WALL_LOAD: Senses = { ...WALL_SWITCH, readings: [...WALL_SWITCH.readings, 'power', 'energy'] }
const POWER: Senses = { readings: ['power', 'energy'], detections: [] }

/** Readings and detections of each class of units (docs/devices.md#readings-and-detections). */
export const SENSES_OF: Readonly<Record<DeviceClass, Senses>> = {
  light_switch: WALL_LOAD,
  light_dimmer: WALL_LOAD,
  power_switch: WALL_LOAD,
  sense_switch: WALL_LOAD,
  shutter: WALL_SWITCH,
  gang_module: WALL_SWITCH,
  curtain: NOTHING,
  ac: { readings: ['temperature', ...POWER.readings], detections: [] },
  ir_remote: NOTHING,
  lock: { readings: ['door', 'battery', 'tamper'], detections: ['door', 'tamper'] },
  gate: NOTHING,
  sensor: { readings: READING_KINDS, detections: DETECTIONS },
  meter: POWER,
  switch_gang: POWER,
  shutter_gang: NOTHING,
}

const FACE: readonly TouchKey[] = ['up', 'mode', 'down']
const WITH_FACE: readonly DeviceClass[] = [
  'light_switch',
  'light_dimmer',
  'shutter',
  'power_switch',
  'sense_switch',
  'switch_gang',
  'shutter_gang',
]

/** Keys of each class that people touch: a module has side buttons, and its gangs have faces. */
export function keysOf(deviceClass: DeviceClass): readonly TouchKey[] {
  if (deviceClass === 'gang_module') return ['side_left', 'side_right']
  return WITH_FACE.includes(deviceClass) ? FACE : []
}

const SENSING: readonly DeviceClass[] = ['sensor', 'meter']

/** A device that a rule names, with its known readings. */
export interface KnownDevice {
  readonly class: DeviceClass
  readonly name: string
  readonly readings?: Readings | undefined
}

/**
 * The readings of a device. A sensor or meter with a report has the reported readings, and a sensor also its alarms.
 * Any other device has the readings of its class and the reported ones.
 */
export function readingsOf({ class: deviceClass, readings = {} }: KnownDevice): readonly ReadingKind[] {
  const reported = READING_KINDS.filter((kind) => readings[kind] !== undefined)
  const alarms = deviceClass === 'sensor' ? ALARM_KINDS : []
  const reportsAll = SENSING.includes(deviceClass) && reported.length > 0
  const possible: readonly ReadingKind[] = reportsAll ? alarms : SENSES_OF[deviceClass].readings
  return READING_KINDS.filter((kind) => possible.includes(kind) || reported.includes(kind))
}

/** False for a sensor or meter without a report: its class does not determine its readings. */
export function areReadingsKnown({ class: deviceClass, readings = {} }: KnownDevice): boolean {
  return !SENSING.includes(deviceClass) || READING_KINDS.some((kind) => readings[kind] !== undefined)
}

/** Detections of a device: the flags among its readings. */
export function detectionsOf(device: KnownDevice): readonly Detection[] {
  const readings = readingsOf(device)
  return SENSES_OF[device.class].detections.filter((detection) => readings.includes(detection))
}

/** A test of a device or of a group. */
type AnyTest =
  | (Test & { readonly state: StateField })
  | (Test & { readonly reading: ReadingKind })
  | { readonly detection: Detection }
  | { readonly reachable: boolean }

/** True if a device has the tested state, reading or detection. */
export function canTest(test: AnyTest, device: KnownDevice): boolean {
  if ('state' in test) return FIELDS_OF[device.class][test.state] !== undefined
  if ('reading' in test) return readingsOf(device).includes(test.reading)
  return 'reachable' in test || detectionsOf(device).includes(test.detection)
}

/** Reason why no device of these classes can pass the test, or every state of theirs does; null if there are none. */
export function groupTestProblem(
  test: AnyTest,
  classes: readonly DeviceClass[],
  name: string,
  at: string,
): Problem | null {
  const tested = classes.map((its) => ({ class: its, name })).filter((device) => canTest(test, device))
  if (classes.length > 0 && tested.length === 0) {
    const [field, kind] = Object.entries(test).find(([name]) => TESTED_FIELDS.includes(name)) ?? []
    return { field: `${at}.${field}`, message: `${kind} is not available: no device of this group has it` }
  }
  if ('reading' in test) return readingTestProblem(test, at)
  if (!('state' in test)) return null
  const problems = tested.map((device) => stateTestProblem(test, device, at))
  return problems.includes(null) ? null : (problems[0] ?? null)
}

const TESTED_FIELDS: readonly string[] = ['state', 'reading', 'detection']

/** Possible values of a state field or reading: true and false, some words, or numbers from `min` to `max`. */
type Values = 'flag' | readonly string[] | { readonly min?: number; readonly max?: number; readonly whole?: true }
type Range = Extract<Values, { readonly min?: number }>

const PERCENT = { min: 0, max: 100 } as const
const WHOLE_PERCENT = { ...PERCENT, whole: true } as const
const SWITCH = { on: 'flag', mode: MODES } as const
const COVER = { pos: WHOLE_PERCENT, move: MOVES, mode: MODES } as const

/** State fields of each class with their possible values (docs/devices.md). */
const FIELDS_OF: Readonly<Record<DeviceClass, { readonly [F in StateField]?: Values }>> = {
  light_switch: SWITCH,
  light_dimmer: { ...SWITCH, bri: WHOLE_PERCENT },
  shutter: COVER,
  curtain: COVER,
  power_switch: { ...SWITCH, temp: {} },
  sense_switch: SWITCH,
  ac: { on: 'flag', temp: {}, mode: AC_MODES, fan: FAN_SPEEDS },
  ir_remote: { key: REMOTE_KEYS },
  lock: { locked: 'flag' },
  gate: { pos: WHOLE_PERCENT, move: MOVES },
  sensor: {},
  meter: {},
  gang_module: {},
  switch_gang: SWITCH,
  shutter_gang: COVER,
}

const READINGS: Readonly<Record<ReadingKind, Values>> = {
  temperature: {},
  humidity: PERCENT,
  light: { min: 0 },
  motion: 'flag',
  co2: { min: 0 },
  door: 'flag',
  battery: PERCENT,
  power: {},
  smoke: 'flag',
  water: 'flag',
  tamper: 'flag',
  energy: { min: 0 },
}

type ValueType = 'boolean' | 'number' | 'string'

/** Type of the values of a state field, which is the same for every class of devices. */
export function typeOfState(field: StateField): ValueType {
  const classes: readonly { readonly [F in StateField]?: Values }[] = Object.values(FIELDS_OF)
  const values = classes.map((fields) => fields[field]).find((found) => found !== undefined)
  if (values === undefined) throw new Error(`No state has the field ${field}.`)
  return typeOf(values)
}

/** Type of the values of a reading. */
export function typeOfReading(kind: ReadingKind): ValueType {
  return typeOf(READINGS[kind])
}

function typeOf(values: Values): ValueType {
  if (values === 'flag') return 'boolean'
  return isWords(values) ? 'string' : 'number'
}

/** Reason why no state of the device can pass the test, or every state does. `at` is the path of the test. */
export function stateTestProblem(
  test: Test & { readonly state: StateField },
  device: KnownDevice,
  at: string,
): Problem | null {
  const values = FIELDS_OF[device.class][test.state]
  if (values === undefined) return { field: `${at}.state`, message: `is not in the state of a ${device.class}` }
  return testProblem(test, values, at, `${test.state} of ${device.name} (${device.class})`)
}

/** Reason why no value of the reading can pass the test, or every value does. */
export function readingTestProblem(test: Test & { readonly reading: ReadingKind }, at: string): Problem | null {
  return testProblem(test, READINGS[test.reading], at, test.reading)
}

/** `of` names the tested value. */
function testProblem(test: Test, values: Values, at: string, of: string): Problem | null {
  if (test.is !== undefined) return isProblem(test.is, values, `${at}.is`, of)
  if (values === 'flag' || isWords(values)) return { field: at, message: 'can only be tested with `is`' }
  return boundsProblem(test, values, at, of)
}

function isProblem(is: NonNullable<Test['is']>, values: Values, field: string, of: string): Problem | null {
  if (values === 'flag') return typeof is === 'boolean' ? null : { field, message: 'must be true or false' }
  if (isWords(values)) {
    if (typeof is !== 'string') return { field, message: 'must be a text' }
    return values.includes(is)
      ? null
      : { field, message: `must be one of ${values.join(', ')}: ${of} has no other value` }
  }
  if (typeof is !== 'number') return { field, message: 'must be a number' }
  const { min = -Infinity, max = Infinity, whole } = values
  const possible = is >= min && is <= max && (!whole || Number.isInteger(is))
  return possible ? null : { field, message: `must be ${rangeWords(values)}: ${of} has no other value` }
}

function boundsProblem({ above, below }: Test, values: Range, at: string, of: string): Problem | null {
  const { min = -Infinity, max = Infinity, whole } = values
  const ofRange = `${of} is ${rangeWords(values)}`
  if (above !== undefined && above >= max)
    return { field: `${at}.above`, message: `must be less than ${max}: ${ofRange}` }
  if (below !== undefined && below <= min)
    return { field: `${at}.below`, message: `must be more than ${min}: ${ofRange}` }
  // A bound that every value passes has no effect, and a trigger with it would never start to hold.
  if (above !== undefined && above < min)
    return { field: `${at}.above`, message: `must be at least ${min}: ${ofRange}` }
  if (below !== undefined && below > max) return { field: `${at}.below`, message: `must be at most ${max}: ${ofRange}` }
  if (above === undefined || below === undefined) return null
  const between = whole ? Math.floor(above) + 1 < below : above < below
  return between
    ? null
    : { field: at, message: `no ${whole ? 'whole number' : 'number'} is above ${above} and below ${below}` }
}

function isWords(values: Values): values is readonly string[] {
  return Array.isArray(values)
}

function rangeWords({ min, max, whole }: Range): string {
  const numbers = whole ? 'a whole number' : 'a number'
  return `${numbers} ${max === undefined ? `from ${min}` : `from ${min} to ${max}`}`
}
