import { type InputRequiredResult, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { OPERATIONS } from '../../home/model/device.ts'
import { COMMAND_ARGS, CONTROLS_MAX } from '../../api/contract/control.ts'
import { refuse } from '../../api/errors.ts'
import { type Fields, ToolRefusal } from './mcp-caller.ts'
import { Time } from './times.ts'
import { tool, type ToolCall, Id, Row } from './tool.ts'

/** Key of the only form field. */
const QUESTION = 'confirmation'

const DECLINED = 'The user declined. Nothing was opened; do not ask again.'

/** The device that stands for the mode of the home. */
const MODE = 'mode'
const ModeArgs = z.strictObject({ mode: z.string().max(40), until: Time })

const Control = z.strictObject({
  device: Id.optional(),
  devices: z.array(z.string()).min(1).max(CONTROLS_MAX).optional().meta({ description: 'Or several ids.' }),
  room: z.string().optional().meta({ description: 'Or a room’s id.' }),
  floor: z.string().optional().meta({ description: 'Or a floor’s id.' }),
  class: z.string().optional().meta({ description: 'Only this class or group there.' }),
  group: z
    .string()
    .optional()
    .meta({ description: 'Or light, cover, socket, climate or a group’s id; with room or floor.' }),
  // The API checks it, and lists the device's operations.
  op: z
    .string()
    .meta({ enum: [...OPERATIONS, 'run', 'identify'], description: 'An operation that house lists for it.' }),
  args: z.record(z.string(), z.unknown()).optional().meta({ description: 'Arguments of op.' }),
})
type ControlArguments = z.output<typeof Control>
type SingleDevice = ControlArguments & { readonly device: string }

/** Control of devices (Spec 2.4, 4 rules 1 to 3); opening a lock or gate needs a person's confirmation first. */
export const control = tool('control', {
  title: 'Control devices or run a scene',
  description:
    'Performs an operation and returns the confirmed state; for several devices, one result each. room and floor skip sockets, climate, locks and gates unless class names them; light skips unsaid, gangs of unknown load. op run runs a scene, op stop with its runId as device ends that run. ' +
    'args: set_power {on}, set_brightness {bri 0-100}, set_position {pos 0-100, 100 open}, set_mode {mode: auto|eco|manual} (of device mode, the home’s: {mode, until?}), set_temp {temp}, set_ac_mode {mode}, set_fan {fan}, key {key}; none for open, close, stop, run, identify (LEDs blink). ' +
    'Opening a lock or gate needs a person every time: on confirmation_required tell the user, then send the same call again once an administrator has confirmed.',
  destructive: true,
  input: Control,
  inside: ({ device }) => ({ args: device === MODE ? ModeArgs : z.strictObject(COMMAND_ARGS).partial() }),
  output: z.looseObject({
    house: z.string(),
    device: z.string().optional(),
    state: z.looseObject({}).nullish(),
    run: z.looseObject({ runId: z.string() }).optional(),
    results: z.array(Row).optional(),
  }),
  run: async (args, call) => {
    if (!isSingleDevice(args)) return sendMany(args, call)
    if (args.device === MODE) return setMode(args, call)
    if (isRun(args)) return stopRun(args, call)
    const answer = inputResponse(call.inputResponses, QUESTION)
    if (answer.kind === 'elicit') {
      if (answer.action !== 'accept') refuse('confirmation_required', { message: DECLINED })
      return send(args, call, codeOf(answer.content))
    }
    try {
      return await send(args, call)
    } catch (error) {
      if (!call.elicits || !(error instanceof ToolRefusal) || !waitsForPerson(error)) throw error
      return question(error.body.error.message)
    }
  },
})

/** Only a declined opening says when it may be requested again. */
function waitsForPerson({ body: { error } }: ToolRefusal): boolean {
  return error.code === 'confirmation_required' && error.retryAfter === undefined
}

/** Ids of devices contain colons, ids of runs never do. */
function isRun({ device, op }: SingleDevice): boolean {
  return op === 'stop' && !device.includes(':')
}

/** Sets the mode of the home, which the tool `house` shows. */
async function setMode({ op, args }: SingleDevice, { caller }: ToolCall): Promise<Fields> {
  if (op !== 'set_mode') refuse('validation', { message: 'op: must be set_mode for device mode.' })
  const read = ModeArgs.safeParse(args)
  if (!read.success) refuse('validation', { message: 'args: must be {mode, until?} for device mode.' })
  const { mode, until } = read.data
  const body = { mode, until: until === undefined ? null : caller.times.epochMs(until) }
  const held = await caller.naming({ mode: 'args.mode', until: 'args.until' }).ask('mode.set', { body })
  return { ...held, device: MODE }
}

async function stopRun({ device: id, args }: SingleDevice, { caller }: ToolCall): Promise<Fields> {
  if (args !== undefined) refuse('validation', { message: 'args: stop takes none.' })
  const { house, run } = await caller.naming({ id: 'device' }).ask('runs.stop', { id })
  return { house, device: run.of, run }
}

function send({ device, op, args }: SingleDevice, { caller }: ToolCall, code?: string): Promise<Fields> {
  if (op === 'identify') return identify(device, args, caller)
  return caller.naming({ id: 'device' }).ask('devices.control', { id: device, body: { op, args, code } })
}

function identify(id: string, args: object | undefined, caller: ToolCall['caller']): Promise<Fields> {
  if (args !== undefined) refuse('validation', { message: 'args: identify takes none.' })
  return caller.naming({ id: 'device' }).ask('devices.identify', { id })
}

/** The single requested device, whose opening can be confirmed in a form. */
function isSingleDevice(args: ControlArguments): args is SingleDevice {
  const { device, devices, room, floor, group, class: className } = args
  const named = [device, devices, room, floor].filter((selector) => selector !== undefined)
  if (named.length > 1 || (named.length === 0 && group === undefined))
    refuse('validation', {
      message: 'One of device, devices, room and floor is needed, and only one; or group, alone or with room or floor.',
    })
  if (group !== undefined && (device !== undefined || devices !== undefined || className !== undefined))
    refuse('validation', { message: 'group: stands alone or with room or floor.' })
  if (className !== undefined && room === undefined && floor === undefined)
    refuse('validation', { message: 'class: belongs to a room or floor.' })
  return device !== undefined
}

/** Each opening waits for its own confirmation, named in its result; other operations run at once. */
function sendMany({ devices, ...place }: ControlArguments, { caller }: ToolCall): Promise<Fields> {
  const { op, args } = place
  const body = devices === undefined ? place : { controls: devices.map((device) => ({ device, op, args })) }
  return caller.naming(batchName).ask('control.batch', { body })
}

/** Naming of the third entry's device as `devices[2]`; the other arguments are shared by all. */
function batchName(field: string): string {
  const [, index, rest] = /^controls\[(\d+)\](?:\.(.*))?$/.exec(field) ?? []
  if (index === undefined) return field === 'body' ? '' : field
  return rest === undefined || rest === 'device' ? `devices[${index}]` : rest
}

/** Passes the entered text to the gateway unchanged. Empty text means that an administrator may have confirmed. */
function codeOf(content: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const code = content?.['code']
  return typeof code === 'string' && code.trim() !== '' ? code.trim() : undefined
}

/** The question to the user. Only the code or an administrator's own approval opens anything. */
function question(message: string): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: `${message} An administrator has been notified: enter the code from their screen, or leave it empty once they have confirmed.`,
        requestedSchema: {
          type: 'object',
          properties: {
            code: {
              type: 'string',
              title: 'Code',
              description: 'Six digits on the administrator’s screen.',
              maxLength: 6,
            },
          },
        },
      }),
    },
  })
}

/** Renaming (Spec 4 rule 7). */
export const rename = tool('rename', {
  title: 'Rename a room, unit or gang',
  description: 'Gives a room, a unit or a gang another name; needs the setting structural on.',
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    kind: z.enum(['room', 'device']).meta({ description: 'Kind of thing.' }),
    id: Id,
    name: z.string().min(1).max(64).meta({ description: 'The new name.' }),
  }),
  output: z.looseObject({ house: z.string(), room: Row.optional(), device: Row.optional() }),
  run: ({ kind, id, name }, { caller }) =>
    caller.ask(kind === 'room' ? 'rooms.rename' : 'devices.rename', { id, body: { name } }),
})
