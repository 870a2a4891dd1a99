import type { ExposedDevice } from '../../exposure/exposed-house.ts'
import { operationsNow } from '../../exposure/operations.ts'
import type { House } from '../../home/house/house.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { commandWords } from '../../home/words/commands.ts'
import { parseCommand } from '../../home/model/command-schema.ts'
import { parseDeviceKey } from '../../home/model/device.ts'
import type { Command } from '../../home/model/state.ts'
import type { Control, ControlFailure } from '../../home/ports/control.ts'
import type { SceneRunner } from '../../home/ports/scene-runner.ts'
import { sentenceOf } from '../../lib/checked.ts'
import type { devices } from '../contract/devices.ts'
import { deviceOf, sceneDeviceOf, stateOf } from '../device-json.ts'
import type { Refuse } from '../errors.ts'
import type { HandlerCall, HandlersOf } from '../handler.ts'
import { refuseFailure } from '../unit-refusal.ts'
import type { Unlocking } from '../unlocking.ts'
import { isLeftOut } from '../validate.ts'
import { runScene } from './run-scene.ts'

export interface DeviceParts {
  readonly house: House
  readonly live: LiveHome
  readonly control: Control
  readonly scenes: SceneRunner
  readonly unlocking: Unlocking
}

export function deviceHandlers(parts: DeviceParts): HandlersOf<typeof devices> {
  return {
    'devices.get': ({ subject }) => ({
      device: (subject.type === 'scene'
        ? sceneDeviceOf(subject, parts.scenes.running(subject.local))
        : deviceOf(subject, parts.live)) as never,
    }),

    'devices.rename': ({ subject, body, view, cause, refuse }) => {
      const name = onlyName(body, refuse)
      // A module shown only for some gangs, and a scene, are not the integration's to rename here.
      if (subject.type === 'scene' || subject.onlyGangs || !view.offersStructure) refuse('structural_not_allowed')
      const renamed = parts.house.renameDevice(parseDeviceKey((subject as ExposedDevice).key), name, cause)
      return { device: { id: subject.id, name: renamed.name } }
    },

    'devices.control': async ({ subject, body, identity, cause, refuse }) => {
      const call = { identity, cause, code: body.code, refuse }
      if (subject.type === 'scene') {
        if (body.op !== 'run') refuseOperation(body.op, ['run'], refuse)
        if (!isLeftOut(body.args)) refuse('validation', { message: 'args: run takes none.' })
        return runScene(parts, subject, call)
      }
      const command = commandOf(subject, body, parts.live, refuse)
      const allowed = parts.unlocking.control(subject, command, call)
      const answer = await parts.control.perform({ device: subject.key, command }, allowed, 'person')
      if (!answer.ok) return refuseControl(answer.error, command, refuse)
      return { device: subject.id, state: stateOf(subject, parts.live) }
    },

    'rooms.rename': ({ subject, body, view, cause, refuse }) => {
      const name = onlyName(body, refuse)
      if (!view.offersStructure || view.isBoundary(subject)) refuse('structural_not_allowed')
      const room = parts.house.renameRoom(subject.local, name, cause)
      return { room: { id: subject.id, name: room.name } }
    },
  }
}

/** The new name; what asks for more than a name is refused before a missing name is. */
function onlyName(body: { readonly name?: string | undefined }, refuse: Refuse<'structural_not_allowed'>): string {
  if (Object.keys(body).some((field) => field !== 'name')) refuse('structural_not_allowed')
  return body.name ?? refuse('validation', { message: 'name: is missing.' })
}

/** The command that a control body asks for, checked against what the device offers (Spec 4 rule 1). */
function commandOf(
  device: ExposedDevice,
  body: HandlerCall<(typeof devices)['devices.control']>['body'],
  live: LiveHome,
  refuse: Refuse,
): Command {
  const offered = operationsNow(device, live)
  if (body.op === 'run' || !offered.includes(body.op)) return refuseOperation(body.op, offered, refuse)
  const parsed = parseCommand(body.op, body.args)
  if (parsed.ok) return parsed.value
  const { field, message } = parsed.error
  return refuse('validation', {
    message: sentenceOf({ field: field === '' ? '' : `args.${field}`, message }, 'args'),
  })
}

function refuseOperation(op: string, offered: readonly string[], refuse: Refuse): never {
  return refuse('validation', {
    message:
      offered.length === 0
        ? `op: this device takes no operations, so not ${op} either.`
        : `op: this device does not take ${op}; it takes ${offered.join(', ')}.`,
  })
}

function refuseControl(failure: ControlFailure, command: Command, refuse: Parameters<typeof refuseFailure>[2]): never {
  if (failure.kind === 'not_offered')
    return refuse('validation', { message: `op: this device does not take ${command.op}.` })
  return refuseFailure(failure, `to ${commandWords(command)}`, refuse)
}
