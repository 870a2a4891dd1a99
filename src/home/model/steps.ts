import { z } from 'zod'
import { checked, type Problem } from '../../lib/checked.ts'
import { ok, type Result } from '../../lib/result.ts'
import {
  ARGS_OF,
  type Command,
  type DeviceClass,
  type DeviceState,
  type Operation,
  OPERATIONS,
  OPERATIONS_OF,
  parseCommand,
  possibleOperations,
  TEMP_MAX,
  TEMP_MIN,
} from './device.ts'

/** Fields of a state that a step may change by an amount, with the operation and the bounds of the result. */
const CHANGES = {
  set_brightness: { field: 'bri', min: 0, max: 100 },
  set_position: { field: 'pos', min: 0, max: 100 },
  set_temp: { field: 'temp', min: TEMP_MIN, max: TEMP_MAX },
} as const
type ChangingOperation = keyof typeof CHANGES

/** A change from the confirmed state at the time of the step (docs/automations.md#steps). It opens no lock or gate. */
export type RelativeCommand =
  | { readonly op: 'toggle'; readonly args?: undefined }
  | { [O in ChangingOperation]: { readonly op: O; readonly args: { readonly by: number } } }[ChangingOperation]

/** The command of a step, before it meets the state of the device. */
export type StepCommand = Command | RelativeCommand

export type StepOperation = StepCommand['op']
export const STEP_OPERATIONS = [...OPERATIONS, 'toggle'] as const satisfies readonly StepOperation[]

/** A step that moves one device, by its key. */
export type DeviceStep = { readonly device: string } & StepCommand

/** Seconds to wait, and up to `random` seconds more, by chance. */
export interface DelayStep {
  readonly delay: number
  readonly random?: number
}

/** A step of a scene (docs/automations.md#steps). */
export type SceneStep = DeviceStep | DelayStep

/** Seconds of chance in a delay. */
export const RANDOM_SECONDS_MAX = 3_600

const amount = { set_brightness: z.int().min(-100).max(100), set_position: z.int().min(-100).max(100) }
const changeOf = (by: z.ZodNumber, unit: string) =>
  z
    .strictObject({
      by: by.refine((value) => value !== 0, 'must not be 0').meta({ description: `${unit}; negative: less.` }),
    })
    .meta({ description: 'A change from the confirmed state.' })

/** The arguments of a change by an amount. */
export const CHANGE_ARGS = {
  set_brightness: changeOf(amount.set_brightness, 'Percent').meta({ id: 'BrightnessChange' }),
  set_position: changeOf(amount.set_position, 'Percent').meta({ id: 'PositionChange' }),
  set_temp: changeOf(
    z
      .number()
      .min(TEMP_MIN - TEMP_MAX)
      .max(TEMP_MAX - TEMP_MIN)
      .multipleOf(0.5),
    'Degrees Celsius',
  ).meta({ id: 'TempChange' }),
} as const satisfies Record<ChangingOperation, z.ZodType>

const TOGGLED: readonly DeviceClass[] = ['shutter', 'curtain', 'shutter_gang']

/** The operations that a step may name for a device of this class. */
export function stepOperations(deviceClass: DeviceClass): readonly StepOperation[] {
  const toggles = OPERATIONS_OF[deviceClass].includes('set_power') || TOGGLED.includes(deviceClass)
  return [...possibleOperations(deviceClass), ...(toggles ? (['toggle'] as const) : [])]
}

export function isRelative(command: StepCommand): command is RelativeCommand {
  return command.op === 'toggle' || (command.args !== undefined && 'by' in command.args)
}

/** Checks the operation and arguments of a step. */
export function parseStepCommand(op: StepOperation, args: unknown): Result<StepCommand, Problem> {
  if (op === 'toggle') {
    const parsed = checked(ARGS_OF.stop, args ?? undefined)
    return parsed.ok ? ok({ op }) : parsed
  }
  if (typeof args !== 'object' || args === null || !('by' in args) || !isChanging(op)) return parseCommand(op, args)
  const parsed = checked(CHANGE_ARGS[op], args)
  return parsed.ok ? ok({ op, args: parsed.value }) : parsed
}

function isChanging(op: Operation): op is ChangingOperation {
  return Object.hasOwn(CHANGES, op)
}

/** The command that a step sends now; null if it depends on a part of the state that is unknown. */
export function commandNow(command: StepCommand, state: DeviceState | null): Command | null {
  if (!isRelative(command)) return command
  if (state === null) return null
  return command.op === 'toggle' ? toggled(state) : changed(command.op, command.args.by, state)
}

/** A device of a group, with its operations and its confirmed state. */
export interface GroupMember {
  readonly device: string
  readonly operations: readonly Operation[]
  readonly state: DeviceState | null
}

/**
 * Steps for those devices of a group that take the command. `toggle` moves all of them the same way: off and closed if
 * one of them is on or not closed, else on and open.
 */
export function groupSteps(command: StepCommand, members: readonly GroupMember[]): readonly DeviceStep[] {
  if (command.op !== 'toggle')
    return members
      .filter(({ operations }) => operations.includes(command.op))
      .map(({ device }) => ({ device, ...command }))
  const toggles = members.flatMap(({ device, operations, state }): readonly Toggle[] =>
    TOGGLED_BY.some((op) => operations.includes(op)) ? [{ device, own: state && toggled(state) }] : [],
  )
  const isDown = toggles.some(({ own }) => own?.op === 'close' || (own?.op === 'set_power' && !own.args.on))
  return toggles.map(({ device, own }): DeviceStep => {
    if (own === null) return { device, op: 'toggle' }
    return { device, ...(own.op === 'set_power' ? power(!isDown) : { op: isDown ? 'close' : 'open' }) }
  })
}

/** The command of a device that toggles alone, or null if its state is unknown. */
interface Toggle {
  readonly device: string
  readonly own: ToggleCommand | null
}

/** The state that a command leaves, once a cover has arrived. */
export function stateAfter(state: DeviceState, command: Command): DeviceState {
  const { op, args } = command
  if (op === 'open' || op === 'close') {
    if ('locked' in state) return { locked: op === 'close' }
    return 'pos' in state ? { ...state, pos: op === 'open' ? 100 : 0 } : state
  }
  if (op === 'set_brightness' && 'bri' in state) return { ...state, ...args, on: args.bri > 0 }
  return args === undefined ? state : ({ ...state, ...args } as DeviceState)
}

/** Commands that return a device to an earlier state, in order. They open no lock or gate. */
export function commandsBack(before: DeviceState, now: DeviceState): readonly Command[] {
  const was = before as Readonly<Record<string, unknown>>
  const is = now as Readonly<Record<string, unknown>>
  if ('locked' in before) return before.locked && is['locked'] === false ? [{ op: 'close' }] : []
  if ('pos' in before && !('mode' in before)) return before.pos === 0 && is['pos'] !== 0 ? [{ op: 'close' }] : []
  const differs = (field: string): boolean => was[field] !== undefined && was[field] !== is[field]
  if (was['on'] === false && differs('on')) return [{ op: 'set_power', args: { on: false } }, ...modeBack(was, differs)]
  return [
    ...(differs('on') ? [{ op: 'set_power', args: { on: true } } as const] : []),
    ...FIELDS_BACK.flatMap(([field, op]) => {
      const parsed = differs(field) ? parseCommand(op, { [field]: was[field] }) : null
      return parsed?.ok === true ? [parsed.value] : []
    }),
    ...modeBack(was, differs),
  ]
}

const FIELDS_BACK = [
  ['bri', 'set_brightness'],
  ['pos', 'set_position'],
  ['temp', 'set_temp'],
  ['fan', 'set_fan'],
] as const

/** The mode comes last, because a command may change it. A mode that nobody can set stays as it is. */
function modeBack(was: Readonly<Record<string, unknown>>, differs: (field: string) => boolean): readonly Command[] {
  if (!differs('mode')) return []
  const parsed = parseCommand('fan' in was ? 'set_ac_mode' : 'set_mode', { mode: was['mode'] })
  return parsed.ok ? [parsed.value] : []
}

type ToggleCommand =
  | { readonly op: 'set_power'; readonly args: { readonly on: boolean } }
  | { readonly op: 'open' | 'close'; readonly args?: undefined }
/** Operations of which a device that toggles has one. A gate has no position to set. */
const TOGGLED_BY = ['set_power', 'set_position'] as const satisfies readonly Operation[]

const power = (on: boolean) => ({ op: 'set_power', args: { on } }) as const

/** A cover that is not closed closes. */
function toggled(state: DeviceState): ToggleCommand | null {
  if ('on' in state) return power(!state.on)
  if (!('pos' in state) || !('mode' in state)) return null
  return { op: state.pos > 0 ? 'close' : 'open' }
}

/** The brightness of a lamp that is off counts as 0. The result stays within the bounds of the operation. */
function changed(op: ChangingOperation, by: number, state: DeviceState): Command | null {
  const { field, min, max } = CHANGES[op]
  const known = (state as Readonly<Record<string, unknown>>)[field]
  if (typeof known !== 'number') return null
  const now = op === 'set_brightness' && 'on' in state && !state.on ? 0 : known
  const value = Math.min(max, Math.max(min, now + by))
  return { op, args: { [field]: value } } as unknown as Command
}
