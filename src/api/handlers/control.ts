import type { ExposedDevice, ExposedHouse } from '../../exposure/exposed-house.ts'
import { operationsNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { parseCommand } from '../../home/model/command-schema.ts'
import type { Operation } from '../../home/model/device.ts'
import type { Command } from '../../home/model/state.ts'
import type { Control, ControlFailure, OneOfMany } from '../../home/ports/control.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import { commandWords } from '../../home/words/commands.ts'
import { sentenceOf } from '../../lib/checked.ts'
import { type CONTROL_ERRORS, type control, CONTROLS_MAX } from '../contract/control.ts'
import { stateOf } from '../device-json.ts'
import { attempt, type Refuse, type Refused } from '../errors.ts'
import type { HandlerCall, HandlersOf } from '../handler.ts'
import { refuseFailure } from '../unit-refusal.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'
import { isLeftOut } from '../validate.ts'
import { runScene } from './run-scene.ts'

export interface ControlParts {
  readonly live: LiveHome
  readonly control: Control
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

type BatchCall = HandlerCall<(typeof control)['control.batch']>
type BatchBody = BatchCall['body']
type InPlace = Exclude<BatchBody, { controls: unknown }>
type Asked = Omit<Extract<BatchBody, { controls: unknown }>['controls'][number], 'device'>
/** How one operation can be refused, beside `validation`. */
export type ControlRefusal = (typeof CONTROL_ERRORS)[number] | 'not_found'
type RefuseOne = Refuse<ControlRefusal>
/** One operation of a call: the id as it was sent. */
type One = Asked & { readonly device: string }
/** What is known of an operation before anything is sent: its answer, or what to send. */
type Decision =
  | Refused
  | { readonly run: { readonly runId: string } }
  | { readonly device: ExposedDevice; readonly item: OneOfMany }

export function controlHandlers(parts: ControlParts): HandlersOf<typeof control> {
  return {
    'devices.control': async ({ subject, body, identity, cause, refuse }) => {
      const call = { identity, cause, code: body.code, refuse }
      if (subject.type === 'scene') return runBy(parts, subject, body, call)
      const command = commandOf(subject, body, parts.live, refuse)
      const allowed = parts.unlocking.control(subject, command, call)
      const answer = await parts.control.perform({ device: subject.key, command }, allowed, 'person')
      if (!answer.ok) return refuseControl(answer.error, command, refuse)
      return { device: subject.id, state: stateOf(subject, parts.live) }
    },

    'control.batch': async ({ body, view, identity, cause, refuse }) => {
      const asked: readonly One[] = 'controls' in body ? body.controls : inPlace(body, view, parts.live, refuse)
      const decisions = asked.map((one) => decided(one, { view, identity, cause }, parts))
      const items = decisions.flatMap((decision) => ('item' in decision ? [decision.item] : []))
      const answers = (await parts.control.performMany(items, cause, 'person')).values()
      const results = decisions.map((decision) => {
        if (!('item' in decision)) return decision
        const answer = answers.next().value
        return answer?.ok === false
          ? attempt<ControlRefusal, never>((refuseOne) => refuseControl(answer.error, decision.item.command, refuseOne))
          : { state: stateOf(decision.device, parts.live) }
      })
      return { results: results.map((result, index) => ({ device: asked[index]?.device ?? '', ...result })) }
    },
  }
}

/** An operation before it is sent. A scene runs at once: its run is answered when it has begun. */
function decided(
  one: One,
  { view, ...call }: Pick<BatchCall, 'view' | 'identity' | 'cause'>,
  parts: ControlParts,
): Decision {
  return attempt<ControlRefusal, Decision>((refuse) => {
    const opening = { ...call, code: one.code, refuse }
    const scene = view.scene(one.device)
    if (scene) return { run: runBy(parts, scene, one, opening).run }
    const device = view.device(one.device) ?? refuse('not_found')
    const command = commandOf(device, one, parts.live, refuse)
    return { device, item: { device: device.key, command, cause: parts.unlocking.control(device, command, opening) } }
  })
}

/** The devices of a room or floor that take the operation, in the order of the house. */
function inPlace(body: InPlace, view: ExposedHouse, live: LiveHome, refuse: BatchCall['refuse']): readonly One[] {
  const { class: wanted, op, args } = body
  const isInside = insideOf(body, view, refuse)
  parsed(op, args, refuse)
  const devices = [...view.stateful()].filter(
    (device) =>
      isInside(device) &&
      (wanted === undefined ? !isEntrance(device) : device.class === wanted) &&
      operationsNow(device, live).includes(op),
  )
  if (devices.length > CONTROLS_MAX)
    refuse('validation', {
      message: `More than ${CONTROLS_MAX} devices are meant: name a class, or the rooms one by one.`,
    })
  return devices.map(({ id }) => ({ device: id, op, args }))
}

function insideOf(body: InPlace, view: ExposedHouse, refuse: BatchCall['refuse']): (device: ExposedDevice) => boolean {
  if ('room' in body) {
    const { id } = view.room(body.room) ?? refuse('not_found')
    return ({ room }) => room === id
  }
  const { id } = view.floor(body.floor) ?? refuse('not_found')
  return ({ floor }) => floor === id
}

/** docs/api.md#why: nobody opens the front door who means the shutters. */
function isEntrance(device: ExposedDevice): boolean {
  return device.class === 'lock' || device.class === 'gate'
}

function runBy(
  parts: ControlParts,
  scene: Parameters<typeof runScene>[1],
  { op, args }: Asked,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): ReturnType<typeof runScene> {
  if (op !== 'run') refuseOperation(op, ['run'], call.refuse)
  if (!isLeftOut(args)) call.refuse('validation', { message: 'args: run takes none.' })
  return runScene(parts, scene, call)
}

/** The command that a control body asks for, checked against what the device offers (Spec 4 rule 1). */
function commandOf(device: ExposedDevice, { op, args }: Asked, live: LiveHome, refuse: Refuse): Command {
  const offered = operationsNow(device, live)
  return op === 'run' || !offered.includes(op) ? refuseOperation(op, offered, refuse) : parsed(op, args, refuse)
}

function parsed(op: Operation, args: unknown, refuse: Refuse): Command {
  const command = parseCommand(op, args)
  if (command.ok) return command.value
  const { field, message } = command.error
  return refuse('validation', {
    message: sentenceOf({ field: field === '' ? '' : `args.${field}`, message }, 'args'),
  })
}

/** Refuses an operation that a device does not take now. */
export function refuseOperation(op: string, offered: readonly string[], refuse: Refuse): never {
  return refuse('validation', {
    message:
      offered.length === 0
        ? `op: this device takes no operations, so not ${op} either.`
        : `op: this device does not take ${op}; it takes ${offered.join(', ')}.`,
  })
}

/** Refuses as control is refused that failed. */
export function refuseControl(failure: ControlFailure, command: Command, refuse: RefuseOne): never {
  if (failure.kind === 'not_offered')
    return refuse('validation', { message: `op: this device does not take ${command.op}.` })
  return refuseFailure(failure, `to ${commandWords(command)}`, refuse)
}
