import { z } from 'zod'
import { checked, type Problem } from '../../lib/checked.ts'
import { ok, type Result } from '../../lib/result.ts'
import {
  type Operation,
  AC_MODES,
  type Command,
  FAN_SPEEDS,
  REMOTE_KEYS,
  SETTABLE_MODES,
  TEMP_MAX,
  TEMP_MIN,
} from './device.ts'

/** Origin or author of a scene or rule; null: an administrator. */
export const originSchema = z
  .strictObject({
    integration: z.string().meta({ description: 'The id of the integration.' }),
    link: z.string().meta({ description: 'The id of the credential.' }),
  })
  .meta({ id: 'Origin', description: 'Which integration and credential created the object.' })
  .nullable()

const percent = z.int().min(0).max(100)
/** Operations without arguments tolerate an empty object, as many clients always send one. */
const noArgs = z
  .strictObject({})
  .optional()
  .transform(() => undefined)

/** The arguments of each operation (Spec 2.4): percent 0-100, degrees Celsius, and the words of the state model. */
export const ARGS_OF = {
  set_power: z
    .strictObject({ on: z.boolean().meta({ description: 'Whether the load is to be on.' }) })
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

/**
 * An operation with checked arguments; the problem names the argument that is wrong, empty where all of them are meant.
 */
export function parseCommand(op: Operation, args: unknown): Result<Command, Problem> {
  // Clients may send null for no arguments.
  const parsed = checked(ARGS_OF[op], args ?? undefined)
  return parsed.ok ? ok((parsed.value === undefined ? { op } : { op, args: parsed.value }) as Command) : parsed
}
