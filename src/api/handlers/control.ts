import type { z } from 'zod'
import type { ExposedDevice, ExposedScene } from '../../exposure/exposed-house.ts'
import { operationsNow } from '../../exposure/operations.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { IDENTIFY_SECONDS, opensEntrance, parseCommand, type Operation, type Command } from '../../home/model/device.ts'
import type { Blinking, Control, ControlFailure, BatchItem } from '../../home/ports/unit-bus.ts'
import type { SceneRunner } from '../../home/rules/rules.ts'
import { isOperation } from '../../home/rules/problems.ts'
import { commandWords } from '../../home/words/commands.ts'
import { sentenceOf, withKnownFields } from '../../lib/checked.ts'
import { isObject } from '../../lib/json.ts'
import { type CONTROL_ERRORS, CONTROL_FORMS, ControlBody, type control, DeviceControl } from '../contract/control.ts'
import { stateOf } from '../device-json.ts'
import { attempt, type Refuse, refuseFailure } from '../errors.ts'
import { type PlaceBody, placeOfCall } from './control-place.ts'
import type { Refused } from '../../wire/errors.ts'
import type { HandlerCall, HandlersOf } from '../handler.ts'
import type { OpeningCall, Unlocking } from '../unlocking.ts'
import { isLeftOut, validated } from '../validate.ts'
import { runScene } from './scenes.ts'

export interface ControlHandlerParts {
  readonly live: LiveHome
  readonly control: Control & Blinking
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

type BatchCall = HandlerCall<(typeof control)['control.batch']>
type OperationBody = z.output<typeof ControlBody>
/** Refusals of one operation, without `validation`. */
export type ControlRefusal = (typeof CONTROL_ERRORS)[number] | 'not_found'
type RefuseOne = Refuse<ControlRefusal>
/** Result of an operation that needs no command, or the command to send. */
type Decision =
  | Refused
  | { readonly run: { readonly runId: string } }
  | { readonly device: ExposedDevice; readonly item: BatchItem }

/** Forms of which a body may have only one; `group` may have a room or floor beside it. */
const FORMS = ['controls', 'room', 'floor'] as const satisfies readonly (keyof typeof CONTROL_FORMS)[]

export function controlHandlers(parts: ControlHandlerParts): HandlersOf<typeof control> {
  return {
    'devices.control': async ({ subject, body, identity, cause, refuse }) => {
      const call = { identity, cause, code: body.code, refuse }
      if (subject.type === 'scene') return runBy(parts, subject, body, call)
      const command = commandOf(subject, body, parts.live, refuse)
      const allowed = parts.unlocking.control(subject, command, call)
      const answer = await parts.control.perform({ device: subject.key, command }, allowed, 'person')
      if (!answer.ok) return refuseControl(answer.error, command, operationsNow(subject, parts.live), refuse)
      return { device: subject.id, state: stateOf(subject, parts.live) }
    },

    'devices.identify': async ({ subject, cause, refuse }) => {
      const answer = await parts.control.identify(subject.key, IDENTIFY_SECONDS, cause)
      if (answer.ok) return { device: subject.id, seconds: IDENTIFY_SECONDS }
      if (answer.error.kind === 'not_offered') return refuse('validation', { message: 'This unit cannot blink.' })
      return refuseFailure(answer.error, 'to blink', refuse)
    },

    'control.batch': async ({ body, view, identity, cause, naming, refuse }) => {
      const { decisions, unsaid } = decisionsOf(body, { view, identity, cause, naming, refuse }, parts)
      const items = decisions.flatMap(({ decision }) => ('item' in decision ? [decision.item] : []))
      const answers = (await parts.control.performMany(items, cause, 'person')).values()
      const results = decisions.map(({ device, decision }) => {
        if (!('item' in decision)) return { device, ...decision }
        const answer = answers.next().value
        if (answer?.ok !== false) return { device, state: stateOf(decision.device, parts.live) }
        const { item, device: of } = decision
        const offered = operationsNow(of, parts.live)
        const refused = (refuseOne: RefuseOne): never => refuseControl(answer.error, item.command, offered, refuseOne)
        return { device, ...attempt<ControlRefusal, never>(refused, naming) }
      })
      return { results, ...(unsaid === undefined ? {} : { unsaid }) }
    },
  }
}

type DecisionsCall = Pick<BatchCall, 'view' | 'identity' | 'cause' | 'naming' | 'refuse'>

interface Decisions {
  /** Each with the id as sent. */
  readonly decisions: readonly { readonly device: string; readonly decision: Decision }[]
  readonly unsaid?: readonly string[] | undefined
}

/** All operations of a body; refuses a body in none of the forms. */
function decisionsOf(body: unknown, call: DecisionsCall, parts: ControlHandlerParts): Decisions {
  const form = formOf(body, call.refuse)
  if (form === 'controls') {
    const decisions = validated(CONTROL_FORMS.controls, body, 'body').controls.map((entry, index) => ({
      device: isObject(entry) && typeof entry['device'] === 'string' ? entry['device'] : '',
      decision: attempt<ControlRefusal, Decision>(
        (refuse) => entryDecision(entry, { ...call, refuse }, parts, `controls[${index}]`),
        call.naming,
      ),
    }))
    return { decisions }
  }
  return placeDecisions(validated(CONTROL_FORMS[form], body, 'body'), call, parts)
}

const OPENS_NOTHING = 'op: a group opens no lock or gate: name the device.'

function placeDecisions(body: PlaceBody, call: DecisionsCall, parts: ControlHandlerParts): Decisions {
  const { op, args } = body
  const { devices, unsaid } = placeOfCall(body, call.view, parts.live, call.refuse)
  if (isOperation(op)) parsed(op, args, call.refuse)
  const decisions = devices.map((device) => ({
    device: device.id,
    decision: attempt<ControlRefusal, Decision>(
      (refuse) =>
        'group' in body && isOperation(op) && opensEntrance(device.class, op)
          ? refuse('validation', { message: OPENS_NOTHING })
          : decisionOf(device, body, { ...call, refuse }, parts),
      call.naming,
    ),
  }))
  return { decisions, unsaid }
}

/** Form of a body, by its key. A body that is no object is checked as a list, whose schema refuses it. */
function formOf(body: unknown, refuse: Refuse): keyof typeof CONTROL_FORMS {
  if (!isObject(body)) return 'controls'
  const named = FORMS.filter((form) => form in body)
  if (named.length > 1)
    refuse('validation', { message: `The body may have only one of these fields: ${listed(FORMS)}.` })
  if ('group' in body) return 'group'
  return (
    named[0] ?? refuse('validation', { message: `The body needs one of these fields: ${listed([...FORMS, 'group'])}.` })
  )
}

const listed = (fields: readonly string[]): string => fields.map((field) => `\`${field}\``).join(', ')

/** Checks one entry of a list in the order of the single call: first the id, then the rest. */
function entryDecision(
  entry: unknown,
  call: Pick<BatchCall, 'view' | 'identity' | 'cause'> & { readonly refuse: RefuseOne },
  parts: ControlHandlerParts,
  at: string,
): Decision {
  const { device: id, ...operation } =
    isObject(entry) && 'device' in entry ? entry : validated(DeviceControl, entry, 'body')
  const thing = typeof id === 'string' ? (call.view.scene(id) ?? call.view.device(id)) : undefined
  return decisionOf(
    thing ?? call.refuse('not_found', { field: `${at}.device` }),
    validated(ControlBody, operation, 'body'),
    call,
    parts,
  )
}

/** Checks an operation before it is sent. A scene starts at once; its result is the started run. */
function decisionOf(
  thing: ExposedDevice | ExposedScene,
  body: OperationBody | PlaceBody,
  call: Omit<OpeningCall, 'code' | 'refuse'> & { readonly refuse: RefuseOne },
  parts: ControlHandlerParts,
): Decision {
  const opening = { ...call, code: 'code' in body ? body.code : undefined }
  if (thing.type === 'scene') return { run: runBy(parts, thing, body, opening).run }
  const command = commandOf(thing, body, parts.live, call.refuse)
  const cause = parts.unlocking.control(thing, command, opening)
  return { device: thing, item: { device: thing.key, command, cause } }
}

function runBy(
  parts: ControlHandlerParts,
  scene: Parameters<typeof runScene>[1],
  { op, args }: OperationBody,
  call: OpeningCall & { readonly refuse: Refuse<'hmhc_unavailable' | 'not_found'> },
): ReturnType<typeof runScene> {
  if (op !== 'run') refuseOperation(op, ['run'], call.refuse)
  if (!isLeftOut(args)) call.refuse('validation', { message: 'args: run takes no arguments.' })
  return runScene(parts, scene, call)
}

/** Command of a control body, checked against the device's operations (Spec 4 rule 1). */
function commandOf(device: ExposedDevice, { op, args }: OperationBody, live: LiveHome, refuse: Refuse): Command {
  const offered = operationsNow(device, live)
  return isOperation(op) && offered.includes(op) ? parsed(op, args, refuse) : refuseOperation(op, offered, refuse)
}

function parsed(op: Operation, args: unknown, refuse: Refuse): Command {
  const command = parseCommand(op, args)
  if (command.ok) return command.value
  const { field, message } = withKnownFields(command.error)
  return refuse('validation', {
    message: sentenceOf({ field: field === '' ? 'args' : `args.${field}`, message }, 'args'),
  })
}

/** Characters of an unknown operation that the refusal repeats. */
const OP_LENGTH_MAX = 40

/** Refuses an operation that the device does not take at present. */
export function refuseOperation(op: string, offered: readonly string[], refuse: Refuse): never {
  const named = op.slice(0, OP_LENGTH_MAX)
  return refuse('validation', {
    message:
      offered.length === 0
        ? `op: this device takes no operations, so it does not take ${named}.`
        : `op: this device does not take ${named}; it takes ${offered.join(', ')}.`,
  })
}

/** Refuses a failed control operation. */
export function refuseControl(
  failure: ControlFailure,
  command: Command,
  offered: readonly string[],
  refuse: RefuseOne,
): never {
  if (failure.kind === 'not_offered') return refuseOperation(command.op, offered, refuse)
  return refuseFailure(failure, `to ${commandWords(command)}`, refuse)
}
