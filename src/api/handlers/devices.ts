import type { ExposedDevice } from '../../exposure/exposed-house.ts'
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
import { Refusal } from '../errors.ts'
import type { HandlersOf } from '../handler.ts'
import { operationsNow } from '../house-json.ts'
import { unitRefusal } from '../unit-refusal.ts'
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
      const name = onlyName(body)
      // A module shown only for some gangs, and a scene, are not the integration's to rename here.
      if (subject.type === 'scene' || subject.onlyGangs || !view.offersStructure) refuse('structural_not_allowed')
      const renamed = parts.house.renameDevice(parseDeviceKey((subject as ExposedDevice).key), name, cause)
      return { device: { id: subject.id, name: renamed.name } }
    },

    'devices.control': async ({ subject, body, identity, cause }) => {
      if (subject.type === 'scene') {
        if (body.op !== 'run') throw notOffered(body.op, ['run'])
        if (!isLeftOut(body.args)) throw new Refusal('validation', { message: 'args: run takes none.' })
        return runScene(parts, subject, { identity, cause, code: body.code })
      }
      const command = commandOf(subject, body, parts.live)
      const allowed = parts.unlocking.control(subject, command, { identity, cause, code: body.code })
      const answer = await parts.control.perform({ device: subject.key, command }, allowed, 'person')
      if (!answer.ok) throw controlRefusal(answer.error, command)
      return { device: subject.id, state: stateOf(subject, parts.live) }
    },

    'rooms.rename': ({ subject, body, view, cause, refuse }) => {
      const name = onlyName(body)
      if (!view.offersStructure || view.isBoundary(subject)) refuse('structural_not_allowed')
      const room = parts.house.renameRoom(subject.local, name, cause)
      return { room: { id: subject.id, name: room.name } }
    },
  }
}

/** The new name; what asks for more than a name is refused before a missing name is. */
function onlyName(body: { readonly name?: string | undefined }): string {
  if (Object.keys(body).some((field) => field !== 'name')) throw new Refusal('structural_not_allowed')
  if (body.name === undefined) throw new Refusal('validation', { message: 'name: is missing.' })
  return body.name
}

/** The command that a control body asks for, checked against what the device offers (Spec 4 rule 1). */
function commandOf(device: ExposedDevice, body: { op: string; args?: unknown }, live: LiveHome): Command {
  const offered = operationsNow(device, live)
  if (body.op === 'run' || !offered.includes(body.op)) throw notOffered(body.op, offered)
  const parsed = parseCommand(body.op as Command['op'], body.args)
  if (parsed.ok) return parsed.value
  const { field, message } = parsed.error
  throw new Refusal('validation', {
    message: sentenceOf({ field: field === '' ? '' : `args.${field}`, message }, 'args'),
  })
}

function notOffered(op: string, offered: readonly string[]): Refusal {
  return new Refusal('validation', {
    message:
      offered.length === 0
        ? `op: this device takes no operations, so not ${op} either.`
        : `op: this device does not take ${op}; it takes ${offered.join(', ')}.`,
  })
}

function controlRefusal(failure: ControlFailure, command: Command): Refusal {
  if (failure.kind === 'not_offered')
    return new Refusal('validation', { message: `op: this device does not take ${command.op}.` })
  return unitRefusal(failure, `to ${commandWords(command)}`)
}
