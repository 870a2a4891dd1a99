import { z } from 'zod'
import { checked, type Problem } from '../../lib/checked.ts'
import { ok, type Result } from '../../lib/result.ts'

/**
 * Classes, models, operations and states of devices. A unit, or a module of gangs, has a local id (`hall-light`). A
 * gang has its unit's id and its position. Local ids stay in the gateway: the API wraps them (Spec 2.2).
 */

/** The eight switch models of Spec 2.7, in the order of the catalogue's letters A, B, C, D, E, P, S, T. */
export const SWITCH_MODELS = ['HMHH', 'HMHHX1', 'HMHHX2', 'HMHHX3', 'HMHHX4', 'HMPH', 'HMSH', 'HMTHX2'] as const
export type SwitchModel = (typeof SWITCH_MODELS)[number]
export const MODEL_LETTERS: Readonly<Record<SwitchModel, string>> = {
  HMHH: 'A',
  HMHHX1: 'B',
  HMHHX2: 'C',
  HMHHX3: 'D',
  HMHHX4: 'E',
  HMPH: 'P',
  HMSH: 'S',
  HMTHX2: 'T',
}

/** Units beyond the switches: air conditioner, IR remote, lock, gate, curtain, sensor, meter. */
export const OTHER_MODELS = ['HMAC', 'HMIR', 'HMLK', 'HMGT', 'HMCU', 'HMSE', 'HMMT'] as const
export type Model = SwitchModel | (typeof OTHER_MODELS)[number]

export const UNIT_CLASSES = [
  'light_switch',
  'light_dimmer',
  'shutter',
  'curtain',
  'power_switch',
  'sense_switch',
  'ac',
  'ir_remote',
  'lock',
  'gate',
  'sensor',
  'meter',
  'gang_module',
] as const
export type UnitClass = (typeof UNIT_CLASSES)[number]

export const GANG_CLASSES = ['switch_gang', 'shutter_gang'] as const
export type GangClass = (typeof GANG_CLASSES)[number]

export type DeviceClass = UnitClass | GangClass

/** The operations of Spec 2.4; `run` belongs to scenes and is not here. */
export const OPERATIONS = [
  'set_power',
  'set_brightness',
  'set_position',
  'open',
  'close',
  'stop',
  'set_mode',
  'set_temp',
  'set_ac_mode',
  'set_fan',
  'key',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** Operations that each class accepts; a power switch also accepts `set_temp` while it feeds a climate load. */
export const OPERATIONS_OF: Readonly<Record<DeviceClass, readonly Operation[]>> = {
  light_switch: ['set_power', 'set_mode'],
  light_dimmer: ['set_power', 'set_brightness', 'set_mode'],
  shutter: ['open', 'close', 'stop', 'set_position', 'set_mode'],
  curtain: ['open', 'close', 'stop', 'set_position', 'set_mode'],
  power_switch: ['set_power', 'set_mode'],
  sense_switch: ['set_power', 'set_mode'],
  ac: ['set_power', 'set_temp', 'set_ac_mode', 'set_fan'],
  ir_remote: ['key'],
  lock: ['open', 'close'],
  gate: ['open', 'close', 'stop'],
  sensor: [],
  meter: [],
  gang_module: [],
  switch_gang: ['set_power', 'set_mode'],
  shutter_gang: ['open', 'close', 'stop', 'set_position', 'set_mode'],
}

/** The operations that a device of a class may accept; a power switch takes `set_temp` only with a climate load. */
export function possibleOperations(deviceClass: DeviceClass): readonly Operation[] {
  const operations = OPERATIONS_OF[deviceClass]
  return deviceClass === 'power_switch' ? [...operations, 'set_temp'] : operations
}

/**
 * True if an operation opens an entrance (Spec 4 rule 2): `open` on a lock unlocks it. Shutters and curtains are no
 * entrances.
 */
export function opensEntrance(deviceClass: DeviceClass, op: string): boolean {
  return op === 'open' && (deviceClass === 'lock' || deviceClass === 'gate')
}

const SWITCHES: readonly DeviceClass[] = ['light_switch', 'power_switch', 'sense_switch', 'switch_gang']

/** True if the device only switches its load, which may be a lamp or anything else (`light`). */
export function switchesAnyLoad(deviceClass: DeviceClass): boolean {
  return SWITCHES.includes(deviceClass)
}

/** A device inside the home: a unit (`gang` null) or one gang of a module. */
export interface DeviceRef {
  readonly unit: string
  readonly gang: number | null
}

/** A map key for a device: the unit's local id, or `unit:gang`. Local ids hold no colon. */
export type DeviceKey = string

export function deviceKey(ref: DeviceRef): DeviceKey {
  return ref.gang === null ? ref.unit : `${ref.unit}:${ref.gang}`
}

export function parseDeviceKey(key: DeviceKey): DeviceRef {
  const colon = key.indexOf(':')
  return colon < 0 ? { unit: key, gang: null } : { unit: key.slice(0, colon), gang: Number(key.slice(colon + 1)) }
}

/** Live states as the units confirm them (Spec 2.3); the wire adds `asOf`. A requested state is never one of them. */

export const SETTABLE_MODES = ['auto', 'eco', 'manual'] as const
/** Modes that a unit can be in; `sleep` cannot be set (Spec 2.4). */
export const MODES = [...SETTABLE_MODES, 'sleep'] as const
type Mode = (typeof MODES)[number]

export const AC_MODES = ['auto', 'cool', 'heat', 'dry', 'fan_only'] as const
type AcMode = (typeof AC_MODES)[number]
export const FAN_SPEEDS = ['auto', 'low', 'medium', 'high'] as const
type FanSpeed = (typeof FAN_SPEEDS)[number]
/** The keys an IR remote can send. */
export const REMOTE_KEYS = [
  'power',
  'up',
  'down',
  'left',
  'right',
  'ok',
  'back',
  'home',
  'menu',
  'volume_up',
  'volume_down',
  'mute',
  'channel_up',
  'channel_down',
  'play',
  'pause',
  'stop',
  'source',
] as const
type RemoteKey = (typeof REMOTE_KEYS)[number]

/** The movements that units report. */
export const UNIT_MOVES = ['stopped', 'opening', 'closing'] as const
/** `unknown`: the unit stopped answering on its way. */
export const MOVES = [...UNIT_MOVES, 'unknown'] as const
export type Move = (typeof MOVES)[number]

/** `pos` is percent open: 0 closed, 100 open. `bri` is percent. `temp` is degrees Celsius. */
type SwitchState = { readonly on: boolean; readonly mode: Mode }
type DimmerState = { readonly on: boolean; readonly bri: number; readonly mode: Mode }
type CoverState = { readonly pos: number; readonly move: Move; readonly mode: Mode }
/** `temp` is the set point of the climate rule, or null while the switch feeds no climate load. */
type PowerState = { readonly on: boolean; readonly mode: Mode; readonly temp: number | null }
type AcState = { readonly on: boolean; readonly temp: number; readonly mode: AcMode; readonly fan: FanSpeed }
/** `key` is the last key sent, or null. */
type RemoteState = { readonly key: RemoteKey | null }
type LockState = { readonly locked: boolean }
type GateState = { readonly pos: number; readonly move: Move }

export const READING_KINDS = [
  'temperature',
  'humidity',
  'light',
  'motion',
  'co2',
  'door',
  'battery',
  'power',
  'smoke',
  'water',
  'tamper',
  'energy',
] as const
export type ReadingKind = (typeof READING_KINDS)[number]

/** Readings with a stored history. The energy counter has none: energy over time is `GET /v1/energy`. */
export const RECORDED_KINDS = READING_KINDS.filter((kind) => kind !== 'energy')

/** Flags of danger. A sensor reports them only as detections, and for the first time when there is danger. */
export const ALARM_KINDS = ['smoke', 'water', 'tamper'] as const satisfies readonly ReadingKind[]
/** Yes-or-no readings; each is a detection too (docs/devices.md#readings-and-detections). */
export const DETECTIONS = ['motion', 'door', ...ALARM_KINDS] as const
export type Detection = (typeof DETECTIONS)[number]

/**
 * Readings in degrees Celsius, percent, lux, ppm, watts and watt-hours; `energy` is the counter as last reported. Flags
 * are true while the condition lasts: motion seen, door open, smoke, water, tampering.
 */
export type Readings = { readonly [K in ReadingKind]?: K extends Detection ? boolean : number }

export function isFlag(kind: string): kind is Detection {
  return DETECTIONS.some((flag) => flag === kind)
}

export interface StateOf {
  light_switch: SwitchState
  light_dimmer: DimmerState
  shutter: CoverState
  curtain: CoverState
  power_switch: PowerState
  sense_switch: SwitchState
  ac: AcState
  ir_remote: RemoteState
  lock: LockState
  gate: GateState
  sensor: Readings
  meter: Readings
  switch_gang: SwitchState
  shutter_gang: CoverState
}

export type DeviceState = StateOf[keyof StateOf]

/** True if a cover or gate is moving. */
export function isMoving(state: DeviceState): boolean {
  return 'move' in state && (state.move === 'opening' || state.move === 'closing')
}

/** Operations without arguments. */
type PlainOperation = 'open' | 'close' | 'stop'
export type OperationWithArgs = Exclude<Operation, PlainOperation>
/** One operation with its arguments, already checked (Spec 2.4). */
export type Command =
  | { [O in OperationWithArgs]: { readonly op: O; readonly args: z.output<(typeof ARGS_OF)[O]> } }[OperationWithArgs]
  | { readonly op: PlainOperation; readonly args?: undefined }

/** Degrees Celsius that `set_temp` takes. */
export const TEMP_MIN = 5
export const TEMP_MAX = 35

/** Keys of a switch's face, and the scene buttons at a module's sides. */
export const TOUCH_KEYS = ['up', 'mode', 'down', 'side_left', 'side_right'] as const
export type TouchKey = (typeof TOUCH_KEYS)[number]
/** `long` is a touch of two seconds or more. */
export const PRESSES = ['short', 'long'] as const
export type Press = (typeof PRESSES)[number]

/**
 * Capabilities of a unit beyond its class, as its adapter lists them: it can blink, it reports touches of its keys; it
 * lacks modes, or levels.
 */
export const UNIT_CAPABILITIES = ['identify', 'buttons', 'no_modes', 'no_level'] as const
export type UnitCapability = (typeof UNIT_CAPABILITIES)[number]
/** Capabilities that clients see; a lacking one is missing among the operations. */
export const SHOWN_CAPABILITIES = ['identify', 'buttons'] as const satisfies readonly UnitCapability[]

/** Operations that a unit without modes or levels does not take, though its class does. */
const LACKING: Readonly<Partial<Record<Operation, UnitCapability>>> = {
  set_mode: 'no_modes',
  set_brightness: 'no_level',
}

/** True if a unit with these capabilities lacks an operation of its class. */
export function lacksOperation(op: Operation, capabilities: readonly UnitCapability[]): boolean {
  const lacking = LACKING[op]
  return lacking !== undefined && capabilities.includes(lacking)
}

/** Seconds that a unit may blink. */
export const IDENTIFY_SECONDS_MAX = 60
/** Seconds that a request lets a unit blink. */
export const IDENTIFY_SECONDS = 10

/** Trigger of a state change, as the unit reports it. `sync`: read by the gateway after a (re)connect. */
export type ChangeTrigger =
  | 'touch'
  | 'motion'
  | 'own_schedule'
  | 'own_timer'
  | 'command'
  | 'sleep'
  | 'mains_return'
  | 'protection'
  | 'sync'

/**
 * `port`: cannot be opened or was lost; `silent`: the adapter does not answer; `radio`: the adapter reports that its
 * radio is down.
 */
export const BUS_DOWN = ['port', 'silent', 'radio'] as const
export type BusDown = (typeof BUS_DOWN)[number]

/**
 * Unit settings as the units hold them: named registers with raw values. `hmhc/` maps the names to register numbers for
 * each model; `intents/` gives the raw values their meaning. The two folders do not import each other.
 */
export type RegisterName = string
export type RegisterValues = Readonly<Record<RegisterName, number>>

/**
 * A schedule stored in the unit, as last read (Spec 4 rule 8: read-only). `days` are ISO weekdays, 1 Monday to 7
 * Sunday.
 */
export interface UnitSchedule {
  readonly slot: number
  readonly enabled: boolean
  readonly gang: number | null
  readonly days: readonly number[]
  /** Local time, `HH:MM`. */
  readonly time: string
  readonly op: string
  readonly args?: Readonly<Record<string, unknown>>
}

/** Origin or author of a scene or rule; null: an administrator. */
export const originSchema = z
  .strictObject({
    integration: z.string().meta({ description: 'The id of the integration.' }),
    link: z.string().meta({ description: 'The id of the credential.' }),
  })
  .meta({ id: 'Origin', description: 'Integration and credential that created the object.' })
  .nullable()

const percent = z.int().min(0).max(100)
/** Operations without arguments accept an empty object, because many clients always send one. */
const noArgs = z
  .strictObject({})
  .optional()
  .transform(() => undefined)

/** The arguments of each operation (Spec 2.4): percent 0-100, degrees Celsius, and the words of the state model. */
export const ARGS_OF = {
  set_power: z
    .strictObject({ on: z.boolean().meta({ description: 'True to turn the load on.' }) })
    .meta({ id: 'PowerArgs', description: 'The arguments of set_power.' }),
  set_brightness: z
    .strictObject({ bri: percent.meta({ description: 'Percent.' }) })
    .meta({ id: 'BrightnessArgs', description: 'The arguments of set_brightness.' }),
  set_position: z
    .strictObject({ pos: percent.meta({ description: 'Percent open: 0 closed, 100 open.' }) })
    .meta({ id: 'PositionArgs', description: 'The arguments of set_position.' }),
  open: noArgs,
  close: noArgs,
  stop: noArgs,
  set_mode: z
    .strictObject({ mode: z.enum(SETTABLE_MODES).meta({ description: 'The mode that controls the load.' }) })
    .meta({ id: 'ModeArgs', description: 'The arguments of set_mode.' }),
  set_temp: z
    .strictObject({
      temp: z
        .number()
        .min(TEMP_MIN)
        .max(TEMP_MAX)
        .multipleOf(0.5)
        .meta({ description: 'Degrees Celsius, in steps of 0.5.' }),
    })
    .meta({ id: 'TempArgs', description: 'The arguments of set_temp.' }),
  set_ac_mode: z
    .strictObject({ mode: z.enum(AC_MODES).meta({ description: 'The mode of the air conditioner.' }) })
    .meta({ id: 'AcModeArgs', description: 'The arguments of set_ac_mode.' }),
  set_fan: z
    .strictObject({ fan: z.enum(FAN_SPEEDS).meta({ description: 'The speed of its fan.' }) })
    .meta({ id: 'FanArgs', description: 'The arguments of set_fan.' }),
  key: z
    .strictObject({ key: z.enum(REMOTE_KEYS).meta({ description: 'The key to send.' }) })
    .meta({ id: 'KeyArgs', description: 'The arguments of key.' }),
} as const satisfies Record<Operation, z.ZodType>

/** Checks the arguments of an operation. The problem names the wrong argument, or has an empty name for all of them. */
export function parseCommand(op: Operation, args: unknown): Result<Command, Problem> {
  // Clients may send null for no arguments.
  const parsed = checked(ARGS_OF[op], args ?? undefined)
  return parsed.ok ? ok((parsed.value === undefined ? { op } : { op, args: parsed.value }) as Command) : parsed
}
