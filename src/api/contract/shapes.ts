import { z } from 'zod'
import { GANG_CLASSES, OPERATIONS, originSchema, UNIT_CLASSES } from '../../home/model/device.ts'
import { plainText } from '../../lib/plain-text.ts'
import { epochMs, growing, idOf, Name, text, textOrNull, whether, count, named } from './fields.ts'
import { State } from './states.ts'
import { type ErrorCode, ERRORS } from '../../wire/errors.ts'

/** Shapes shared by answers (Spec 2). Answers are loose: clients tolerate what is added later. Bodies are strict. */
export const NoQuery = z.strictObject({})

export const Id = z.string().min(1).max(256).describe('An id as an answer showed it.')
/** One operation of a device, in answers. */
export const OperationName = growing(OPERATIONS, 'An operation of a device.')

/** The query of a list that can be cut to one room, one class, or both (docs/api.md#filters). */
export const inRoomOrOf = <const C extends readonly [string, ...string[]]>(classes: C) =>
  z.strictObject({
    room: Id.optional().describe('Only what lies in this room, by its id; a gang has a room of its own.'),
    class: z.enum(classes).optional().describe('Only what is of this class.'),
  })

export const PlainName = plainText(64)

const model = textOrNull('The hardware model where it is known; decides which intents it has.')
const room = textOrNull('The id of its room, or null.')
const floor = textOrNull('The id of its floor, or null.')
const light = z
  .boolean()
  .nullable()
  .optional()
  .describe('Only of a switch: whether it feeds a lamp, or null where the administrator has not said.')
const operations = z.array(OperationName).describe('What control accepts for it.')

export const Gang = named('Gang', 'One gang of a module.', {
  id: idOf('the gang'),
  name: Name,
  class: growing(GANG_CLASSES, 'What it is and can do.'),
  gang: count('Its position on the module, from 0.'),
  operations,
  room: textOrNull('The id of its room, which may differ from that of its module, or null.'),
  floor,
  light,
  state: State,
})

export const Unit = named(
  'Unit',
  'A unit, or a multi-gang module with the gangs that this integration shows. A module has no `state`: it is in its gangs.',
  {
    id: idOf('the unit or module'),
    name: Name,
    class: growing(UNIT_CLASSES, 'What it is and can do.'),
    kind: z.enum(['unit', 'module']).describe('A module is controlled gang by gang.'),
    model,
    room,
    floor,
    light,
    reachable: whether('False from the moment the unit is found not to answer until it answers or reports again.'),
    lastSeen: epochMs(
      'When it last confirmed a state or reported something that this integration sees; null before.',
    ).nullable(),
    operations,
    gangs: z.array(Gang).optional().describe('Of a module: the gangs that this integration shows.'),
    state: State.optional(),
  },
)

export const Room = named('Room', 'A room with its units.', {
  id: idOf('the room'),
  name: Name,
  floor,
  units: z.array(Unit).describe('Its units and modules.'),
})

export const Floor = named('Floor', 'A floor with its rooms.', {
  id: idOf('the floor'),
  name: Name,
  rooms: z.array(Room).describe('Its rooms.'),
})

const sceneRoom = textOrNull('The id of the room where it is shown, or null.')
const sceneFloor = textOrNull('The id of the floor where it is shown, or null.')

export const Scene = named('Scene', 'A scene by its name.', {
  id: idOf('the scene'),
  name: Name,
  room: sceneRoom,
  floor: sceneFloor,
})

export const SceneState = named('SceneState', 'Of a scene.', { running: whether('Whether it runs now.') })

export const SceneRun = named('SceneRun', 'Of a scene that was asked to run, instead of a state.', {
  runId: text('Names this one run.'),
})

/** The scene when `GET /v1/devices/{id}` names one. */
export const SceneDevice = named('SceneDevice', 'A scene, asked for as a device.', {
  id: idOf('the scene'),
  name: Name,
  class: z.literal('scene'),
  kind: z.literal('scene'),
  room: sceneRoom,
  floor: sceneFloor,
  operations: z.array(z.literal('run')).describe('What control accepts for it.'),
  state: SceneState,
})

export const GangDevice = named('GangDevice', 'One gang, asked for as a device.', {
  ...Gang.shape,
  model,
  kind: z.literal('gang'),
  unit: idOf('its module'),
})

/** Stale, missing or wrong revisions: docs/automations.md#revisions, Spec 4 rule 6. */
export const Revision = z.int().min(1).describe('Grows with every edit that this integration can see.')

export const OriginShape = originSchema

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[] as readonly [ErrorCode, ...ErrorCode[]]

export const ErrorDetail = named('ErrorDetail', 'Why not.', {
  code: growing(ERROR_CODES, 'Why not, for programs.'),
  message: text('One plain sentence for a person.'),
  appAction: z.string().optional().describe('The screen or permission of the app where the user can fix it.'),
  retryAfter: z.int().min(1).optional().describe('Seconds.'),
})

/** The one shape of every refusal (Spec 7). */
export const ErrorShape = named('Error', 'Every refusal has this shape.', {
  error: ErrorDetail,
})
