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

const asOf = epochMs('When the unit confirmed it last.')
const on = whether('Whether the load is on.')
const percent = (description: string) => z.int().min(0).max(100).describe(description)
const pos = percent('Percent open: 0 closed, 100 open.')
const move = growing(MOVES, 'Which way it moves now.')
const mode = growing(MODES, 'What decides over the load: the unit by itself (auto, eco), or people only (manual).')

const SwitchState = named('SwitchState', 'Of a light_switch, sense_switch or switch_gang.', { asOf, on, mode })
const DimmerState = named('DimmerState', 'Of a light_dimmer.', {
  asOf,
  on,
  bri: percent('Brightness in percent; kept while it is off.'),
  mode,
})
const CoverState = named('CoverState', 'Of a shutter, curtain or shutter_gang.', { asOf, pos, move, mode })
const PowerState = named('PowerState', 'Of a power_switch.', {
  asOf,
  on,
  mode,
  temp: z.number().nullable().describe('The set point in degrees Celsius, or null while it feeds no climate load.'),
})
const AcState = named('AcState', 'Of an ac.', {
  asOf,
  on,
  temp: z.number().describe('The set point in degrees Celsius.'),
  mode: growing(AC_MODES, 'What the air conditioner does.'),
  fan: growing(FAN_SPEEDS, 'The speed of its fan.'),
})
const RemoteState = named('RemoteState', 'Of an ir_remote; `key` is null before one was sent.', {
  asOf,
  key: growing(REMOTE_KEYS, 'The key that was sent last.').nullable(),
})
const LockState = named('LockState', 'Of a lock.', { asOf, locked: whether('False: it is open.') })
const GateState = named('GateState', 'Of a gate.', { asOf, pos, move })

const readings = {
  temperature: z.number().optional().describe('Degrees Celsius.'),
  humidity: z.number().optional().describe('Relative humidity in percent.'),
  light: z.number().optional().describe('Lux.'),
  motion: z.boolean().optional().describe('Whether motion is seen.'),
  co2: z.number().optional().describe('Parts per million.'),
  door: z.boolean().optional().describe('True: open.'),
  battery: z.number().optional().describe('Percent.'),
  power: z.number().optional().describe('Watts; 0 after a confirmed off.'),
  smoke: z.boolean().optional().describe('True from the report of smoke to the report of its end.'),
  water: z.boolean().optional().describe('True from the report of water to the report of its end.'),
  tamper: z.boolean().optional().describe('True while somebody tampers with the unit.'),
  energy: z.number().optional().describe('The energy counter of the device in watt-hours, as last reported.'),
}
export const Readings = named('Readings', 'What a sensor measures; what it does not measure is left out.', readings)
export const SensorState = named('SensorState', 'Of a sensor or meter; what it does not measure is left out.', {
  asOf,
  ...readings,
})

/**
 * What a device's state can be. Those with more fields come before those that they contain, and the one that requires
 * the least comes last: a client that takes the first that fits reads every state right, also one of a class that it
 * does not know.
 */
export const ConfirmedState = z
  .union([AcState, DimmerState, PowerState, CoverState, SwitchState, GateState, LockState, RemoteState, SensorState])
  .meta({ id: 'State', description: 'The state that the unit confirmed last; which one it is follows from `class`.' })

export const State = ConfirmedState.nullable().describe(
  'The state that the unit confirmed last; null before the unit was heard for the first time.',
)

/** Every class that has a state: all but the module, whose state is in its gangs. */
export const DEVICE_CLASSES_WITH_STATE = [
  ...UNIT_CLASSES.filter((unitClass) => unitClass !== 'gang_module'),
  ...GANG_CLASSES,
] as unknown as readonly [DeviceClass, ...DeviceClass[]]
