/**
 * What a device is and can do. A unit, or a module of gangs, is known by its local id (`hall-light`);
 * one gang by the unit's id and its position. Local ids never leave the gateway as they are: the API wraps
 * them into device ids (Spec 2.2).
 */

/** The eight switch models of Spec 2.7, in the order of the catalogue's letters A, B, C, D, E, P, S, T. */
export const SWITCH_MODELS = ['HMHH', 'HMHHX1', 'HMHHX2', 'HMHHX3', 'HMHHX4', 'HMPH', 'HMSH', 'HMTHX2'] as const
export type SwitchModel = (typeof SWITCH_MODELS)[number]

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

/** Which operations each class accepts; a power switch accepts `set_temp` besides while it feeds a climate load. */
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
 * Whether an operation opens an entrance (Spec 4 rule 2). `open` on a lock is unlocking. Shutters and curtains are no
 * entrances.
 */
export function opensEntrance(deviceClass: DeviceClass, op: Operation): boolean {
  return op === 'open' && (deviceClass === 'lock' || deviceClass === 'gate')
}

const SWITCHES: readonly DeviceClass[] = ['light_switch', 'power_switch', 'sense_switch', 'switch_gang']

/** Whether it only switches its load, which may be a lamp or anything else: what it feeds can be said (`light`). */
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
