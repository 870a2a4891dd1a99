import type { House } from '../../home/house/house.ts'
import type { LiveHome } from '../../home/live/live-home.ts'
import { parseDeviceKey } from '../../home/model/device.ts'
import type { SceneRunner } from '../../home/rules/rules.ts'
import type { devices } from '../contract/devices.ts'
import { sceneDeviceOf } from '../device-json.ts'
import type { Refuse } from '../errors.ts'
import type { RefusalDetails } from '../../wire/errors.ts'
import type { HandlersOf } from '../handler.ts'
import { CachedDevices } from '../cached-devices.ts'

export interface DeviceParts {
  readonly house: House
  readonly live: LiveHome
  readonly scenes: SceneRunner
}

const NO_STRUCTURE: RefusalDetails = {
  message: 'Names can be changed only by an integration that exposes everything, a floor or a room.',
  appAction: 'integrations.record',
}
const SCENE = {
  http: 'A scene is renamed by PATCH /v1/scenes/{id}, not here.',
  tool: 'A scene is renamed by the tool save_rule, not here.',
}
const ONLY_GANGS =
  'Only some gangs of this module are exposed: their names can be changed here, the name of the module cannot.'
const BOUNDARY = 'The integration exposes this room itself, so its name is changed in the app.'
const ONLY_THE_NAME = 'Only the name can be changed here; everything else about the structure is done in the app.'

export function deviceHandlers(parts: DeviceParts): HandlersOf<typeof devices> {
  const cache = new CachedDevices(parts.live)
  return {
    'devices.get': ({ subject, view }) =>
      subject.type === 'scene'
        ? { device: sceneDeviceOf(subject, parts.scenes.running(subject.local)) }
        : cache.of(view, subject),

    'devices.rename': ({ subject, body, view, cause, refuse }) => {
      const name = onlyName(body, refuse)
      // The integration may not rename a module exposed only by some gangs, or a scene.
      if (!view.offersStructure) refuse('structural_not_allowed', NO_STRUCTURE)
      if (subject.type === 'scene') return refuse('structural_not_allowed', { message: SCENE })
      if (subject.onlyGangs) refuse('structural_not_allowed', { message: ONLY_GANGS })
      const renamed = parts.house.renameDevice(parseDeviceKey(subject.key), name, cause)
      return { device: { id: subject.id, name: renamed.name } }
    },

    'rooms.rename': ({ subject, body, view, cause, refuse }) => {
      const name = onlyName(body, refuse)
      if (!view.offersStructure) refuse('structural_not_allowed', NO_STRUCTURE)
      if (view.isBoundary(subject)) refuse('structural_not_allowed', { message: BOUNDARY })
      const room = parts.house.renameRoom(subject.local, name, cause)
      return { room: { id: subject.id, name: room.name } }
    },
  }
}

/** The new name. Further fields are refused before a missing name. */
function onlyName(body: { readonly name?: string | undefined }, refuse: Refuse<'structural_not_allowed'>): string {
  if (Object.keys(body).some((field) => field !== 'name')) refuse('structural_not_allowed', { message: ONLY_THE_NAME })
  return body.name ?? refuse('validation', { message: 'name: is missing.' })
}
