import { z } from 'zod'
import {
  AC_MODES,
  type DeviceClass,
  FAN_SPEEDS,
  GANG_CLASSES,
  MODES,
  MOVES,
  REMOTE_KEYS,
  UNIT_CLASSES,
} from '../../home/model/device.ts'
import { epochMs, growing, whether, named } from './fields.ts'

const asOf = epochMs('Time of the last confirmation by the unit.')
const on = whether('True if the load is on.')
const percent = (description: string) => z.int().min(0).max(100).describe(description)
const pos = percent('Percent open: 0 closed, 100 open.')
const move = growing(MOVES, 'Current direction of movement.')
const mode = growing(MODES, 'Control of the load: by the unit itself (auto, eco), or only by people (manual).')

const SwitchState = named('SwitchState', 'State of a light_switch, sense_switch or switch_gang.', () => ({
  asOf,
  on,
  mode,
}))
const DimmerState = named('DimmerState', 'State of a light_dimmer.', () => ({
  asOf,
  on,
  bri: percent('Brightness in percent; it stays the same while the lamp is off.'),
  mode,
}))
const CoverState = named('CoverState', 'State of a shutter, curtain or shutter_gang.', () => ({
  asOf,
  pos,
  move,
  mode,
}))
const PowerState = named('PowerState', 'State of a power_switch.', () => ({
  asOf,
  on,
  mode,
  temp: z.number().nullable().describe('The set point in degrees Celsius, or null while it feeds no climate load.'),
}))
const AcState = named('AcState', 'State of an ac.', () => ({
  asOf,
  on,
  temp: z.number().describe('The set point in degrees Celsius.'),
  mode: growing(AC_MODES, 'Operating mode.'),
  fan: growing(FAN_SPEEDS, 'Fan speed.'),
}))
const RemoteState = named('RemoteState', 'State of an ir_remote; `key` is null before the first key.', () => ({
  asOf,
  key: growing(REMOTE_KEYS, 'The key sent last.').nullable(),
}))
const LockState = named('LockState', 'State of a lock.', () => ({ asOf, locked: whether('False: it is open.') }))
const GateState = named('GateState', 'State of a gate.', () => ({ asOf, pos, move }))

const readings = {
  temperature: z.number().optional().describe('Degrees Celsius.'),
  humidity: z.number().optional().describe('Relative humidity in percent.'),
  light: z.number().optional().describe('Lux.'),
  motion: z.boolean().optional().describe('True while motion is detected.'),
  co2: z.number().optional().describe('Parts per million.'),
  door: z.boolean().optional().describe('True: open.'),
  battery: z.number().optional().describe('Percent.'),
  power: z.number().optional().describe('Watts; 0 after a confirmed off.'),
  smoke: z.boolean().optional().describe('True from the report of smoke to the report of its end.'),
  water: z.boolean().optional().describe('True from the report of water to the report of its end.'),
  tamper: z.boolean().optional().describe('True while the unit reports tampering.'),
  energy: z.number().optional().describe('Last reported energy counter of the device in watt-hours.'),
}
export const Readings = named('Readings', 'Readings of a sensor; readings that it lacks are left out.', () => readings)
export const SensorState = named(
  'SensorState',
  'State of a sensor or meter; readings that it lacks are left out.',
  () => ({
    asOf,
    ...readings,
  }),
)

/**
 * All state shapes. Shapes with more fields come before those that they contain, and the shape with the fewest required
 * fields comes last. A client that takes the first match reads every state correctly, even of an unknown class.
 */
export const ConfirmedState = z
  .union([AcState, DimmerState, PowerState, CoverState, SwitchState, GateState, LockState, RemoteState, SensorState])
  .meta({ id: 'State', description: 'The last state confirmed by the unit; its shape follows from `class`.' })

export const State = ConfirmedState.nullable().describe(
  'The last state confirmed by the unit; null before its first message.',
)

/** Classes with a state: all except the module, whose gangs have states. */
export const DEVICE_CLASSES_WITH_STATE = [
  ...UNIT_CLASSES.filter((unitClass) => unitClass !== 'gang_module'),
  ...GANG_CLASSES,
] as unknown as readonly [DeviceClass, ...DeviceClass[]]
