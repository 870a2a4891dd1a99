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
import { epochMs, growing } from './fields.ts'

const asOf = epochMs('When the unit confirmed it last.')
const on = z.boolean().meta({ description: 'Whether the load is on.' })
const percent = (description: string) => z.int().min(0).max(100).meta({ description })
const pos = percent('Percent open: 0 closed, 100 open.')
const move = growing(MOVES, 'Which way it moves now.')
const mode = growing(MODES, 'What decides over the load: the unit by itself (auto, eco), or people only (manual).')

const SwitchState = z
  .looseObject({ asOf, on, mode })
  .meta({ id: 'SwitchState', description: 'Of a light_switch, sense_switch or switch_gang.' })
const DimmerState = z
  .looseObject({ asOf, on, bri: percent('Brightness in percent; kept while it is off.'), mode })
  .meta({ id: 'DimmerState', description: 'Of a light_dimmer.' })
const CoverState = z
  .looseObject({ asOf, pos, move, mode })
  .meta({ id: 'CoverState', description: 'Of a shutter, curtain or shutter_gang.' })
const PowerState = z
  .looseObject({
    asOf,
    on,
    mode,
    temp: z
      .number()
      .nullable()
      .meta({ description: 'The set point in degrees Celsius, or null while it feeds no climate load.' }),
  })
  .meta({ id: 'PowerState', description: 'Of a power_switch.' })
const AcState = z
  .looseObject({
    asOf,
    on,
    temp: z.number().meta({ description: 'The set point in degrees Celsius.' }),
    mode: growing(AC_MODES, 'What the air conditioner does.'),
    fan: growing(FAN_SPEEDS, 'The speed of its fan.'),
  })
  .meta({ id: 'AcState', description: 'Of an ac.' })
const RemoteState = z
  .looseObject({ asOf, key: growing(REMOTE_KEYS, 'The key that was sent last.').nullable() })
  .meta({ id: 'RemoteState', description: 'Of an ir_remote; `key` is null before one was sent.' })
const LockState = z
  .looseObject({ asOf, locked: z.boolean().meta({ description: 'False: it is open.' }) })
  .meta({ id: 'LockState', description: 'Of a lock.' })
const GateState = z.looseObject({ asOf, pos, move }).meta({ id: 'GateState', description: 'Of a gate.' })

const readings = {
  temperature: z.number().optional().meta({ description: 'Degrees Celsius.' }),
  humidity: z.number().optional().meta({ description: 'Relative humidity in percent.' }),
  light: z.number().optional().meta({ description: 'Lux.' }),
  motion: z.boolean().optional().meta({ description: 'Whether motion is seen.' }),
  co2: z.number().optional().meta({ description: 'Parts per million.' }),
  door: z.boolean().optional().meta({ description: 'True: open.' }),
  battery: z.number().optional().meta({ description: 'Percent.' }),
  power: z.number().optional().meta({ description: 'Watts; 0 after a confirmed off.' }),
  smoke: z.boolean().optional().meta({ description: 'True from the report of smoke to the report of its end.' }),
  water: z.boolean().optional().meta({ description: 'True from the report of water to the report of its end.' }),
  tamper: z.boolean().optional().meta({ description: 'True while somebody tampers with the unit.' }),
  energy: z
    .number()
    .optional()
    .meta({ description: 'The energy counter of the device in watt-hours, as last reported.' }),
}
export const Readings = z
  .looseObject(readings)
  .meta({ id: 'Readings', description: 'What a sensor measures; what it does not measure is left out.' })
export const SensorState = z
  .looseObject({ asOf, ...readings })
  .meta({ id: 'SensorState', description: 'Of a sensor or meter; what it does not measure is left out.' })

/**
 * What a device's state can be. Those with more fields come before those that they contain, and the one that requires
 * the least comes last: a client that takes the first that fits reads every state right, also one of a class that it
 * does not know.
 */
export const ConfirmedState = z
  .union([AcState, DimmerState, PowerState, CoverState, SwitchState, GateState, LockState, RemoteState, SensorState])
  .meta({ id: 'State', description: 'The state that the unit confirmed last; which one it is follows from `class`.' })

export const State = ConfirmedState.nullable().meta({
  description: 'The state that the unit confirmed last; null before the unit was heard for the first time.',
})

/** Every class that has a state: all but the module, whose state is in its gangs. */
export const DEVICE_CLASSES_WITH_STATE = [
  ...UNIT_CLASSES.filter((each) => each !== 'gang_module'),
  ...GANG_CLASSES,
] as unknown as readonly [DeviceClass, ...DeviceClass[]]
