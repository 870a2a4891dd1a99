import { z } from 'zod'
import { GANG_CLASSES, OPERATIONS, originSchema, SHOWN_CAPABILITIES, UNIT_CLASSES } from '../../home/model/device.ts'
import { plainText } from '../../lib/plain-text.ts'
import { epochMs, growing, idOf, Name, text, textOrNull, whether, count, named } from './fields.ts'
import { State } from './states.ts'
import { type ErrorCode, ERRORS } from '../../wire/errors.ts'
import { strictObject } from '../../lib/late-object.ts'

/**
 * Shapes shared by responses (Spec 2). Responses are loose: clients tolerate later additions. Request bodies are
 * strict.
 */
export const NoQuery = z.strictObject({})

export const Id = z.string().min(1).max(256).describe('An id from a response.')
/** An operation of a device in a response. */
export const OperationName = growing(OPERATIONS, 'An operation of a device.')

/** Query of a list with filters by room and class or group (docs/api.md#filters). */
export const inRoomOrOf = <const C extends readonly [string, ...string[]]>(classes: C) =>
  strictObject(() => ({
    room: Id.optional().describe('Only things in the room with this id; a gang has its own room.'),
    class: z.enum(classes).optional().describe('Only things of this class or group.'),
  }))

export const PlainName = plainText(64)

const model = textOrNull('The hardware model, if known; it decides which intents exist.')
const room = textOrNull('The id of its room, or null.')
const floor = textOrNull('The id of its floor, or null.')
const light = z
  .boolean()
  .nullable()
  .optional()
  .describe('Only for a switch: true if it feeds a lamp; null if the administrator has not set it.')
const operations = z.array(OperationName).describe('Operations that control accepts for it.')

const capabilities = z
  .array(
    growing(
      SHOWN_CAPABILITIES,
      'identify: it can blink. buttons: touches of its keys start automations and are events.',
    ),
  )
  .describe('Only in `GET /v1/devices/{id}`: what its unit can do besides its operations.')

export const Gang = named('Gang', 'One gang of a module.', () => ({
  id: idOf('the gang'),
  name: Name,
  class: growing(GANG_CLASSES, 'Class of the gang; decides its operations.'),
  gang: count('Its position on the module, from 0.'),
  operations,
  room: textOrNull('The id of its room, which may differ from that of its module, or null.'),
  floor,
  light,
  state: State,
}))

export const Unit = named(
  'Unit',
  'A unit, or a multi-gang module with its exposed gangs. A module has no `state`; its gangs have.',
  () => ({
    id: idOf('the unit or module'),
    name: Name,
    class: growing(UNIT_CLASSES, 'Class of the unit; decides its operations.'),
    kind: z.enum(['unit', 'module']).describe('A module is controlled gang by gang.'),
    model,
    room,
    floor,
    light,
    reachable: whether('False while the unit does not respond; true again after its next response or report.'),
    lastSeen: epochMs('Time of its last confirmed state or visible report; null before the first.').nullable(),
    operations,
    gangs: z.array(Gang).optional().describe('Only for a module: its exposed gangs.'),
    state: State.optional(),
    capabilities: capabilities.optional(),
  }),
)

export const Room = named('Room', 'A room with its units.', () => ({
  id: idOf('the room'),
  name: Name,
  floor,
  units: z.array(Unit).describe('Its units and modules.'),
}))

export const Floor = named('Floor', 'A floor with its rooms.', () => ({
  id: idOf('the floor'),
  name: Name,
  rooms: z.array(Room).describe('Its rooms.'),
}))

const sceneRoom = textOrNull('The id of the room where it is shown, or null.')
const sceneFloor = textOrNull('The id of the floor where it is shown, or null.')

export const Scene = named('Scene', 'A scene by its name.', () => ({
  id: idOf('the scene'),
  name: Name,
  room: sceneRoom,
  floor: sceneFloor,
}))

export const Group = named('Group', 'A named group of devices.', () => ({
  id: idOf('the group'),
  name: Name,
  members: z.array(z.string()).describe('Ids of its exposed members.'),
}))

export const SceneState = named('SceneState', 'State of a scene.', () => ({ running: whether('True while it runs.') }))

export const SceneRun = named('SceneRun', 'Run of a scene, in place of a state.', () => ({
  runId: text('The id of the run.'),
}))

/** The scene when `GET /v1/devices/{id}` names one. */
export const SceneDevice = named('SceneDevice', 'A scene in the shape of a device.', () => ({
  id: idOf('the scene'),
  name: Name,
  class: z.literal('scene'),
  kind: z.literal('scene'),
  room: sceneRoom,
  floor: sceneFloor,
  operations: z.array(z.literal('run')).describe('Operations that control accepts for it.'),
  state: SceneState,
}))

export const GangDevice = named('GangDevice', 'One gang in the shape of a device.', () => ({
  ...Gang.shape,
  model,
  kind: z.literal('gang'),
  unit: idOf('its module'),
  capabilities,
}))

/** Stale, missing or wrong revisions: docs/automations.md#revisions, Spec 4 rule 6. */
export const Revision = z.int().min(1).describe('Increases with every edit that this integration can see.')

export const OriginShape = originSchema

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[] as readonly [ErrorCode, ...ErrorCode[]]

export const ErrorDetail = named('ErrorDetail', 'Reason of a refusal.', () => ({
  code: growing(ERROR_CODES, 'Reason for programs.'),
  message: text('One plain sentence for a person.'),
  appAction: z.string().optional().describe('The screen or permission of the app where the user can fix it.'),
  retryAfter: z.int().min(1).optional().describe('Seconds.'),
  at: z
    .string()
    .optional()
    .describe('The refused part of a rule, scene or group, a JSON Pointer into the body: `/if/0/any/1`.'),
}))

/** The one shape of every refusal (Spec 7). */
export const ErrorShape = named('Error', 'Every refusal has this shape.', () => ({
  error: ErrorDetail,
}))
