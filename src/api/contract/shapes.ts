import { z } from 'zod'
import { GANG_CLASSES, OPERATIONS, originSchema, UNIT_CLASSES } from '../../home/model/device.ts'
import { plainText } from '../../lib/plain-text.ts'
import { epochMs, growing, idOf, idOrNull, Name } from './fields.ts'
import { State } from './states.ts'
import { type ErrorCode, ERRORS } from '../../wire/errors.ts'

/** Shapes shared by answers (Spec 2). Answers are loose: clients tolerate what is added later. Bodies are strict. */
export const NoQuery = z.strictObject({})

export const Id = z.string().min(1).max(256).meta({ description: 'An id as an answer showed it.' })
/** One operation of a device, in answers. */
export const OperationName = growing(OPERATIONS, 'An operation of a device.')

/** The query of a list that can be cut to one room, one class, or both (docs/api.md#filters). */
export const inRoomOrOf = <const C extends readonly [string, ...string[]]>(classes: C) =>
  z.strictObject({
    room: Id.optional().meta({ description: 'Only what lies in this room, by its id; a gang has a room of its own.' }),
    class: z.enum(classes).optional().meta({ description: 'Only what is of this class.' }),
  })

export const PlainName = plainText(64)

const model = z
  .string()
  .nullable()
  .meta({ description: 'The hardware model where it is known; decides which intents it has.' })
const room = idOrNull('The id of its room, or null.')
const floor = idOrNull('The id of its floor, or null.')
const light = z
  .boolean()
  .nullable()
  .optional()
  .meta({ description: 'Only of a switch: whether it feeds a lamp, or null where the administrator has not said.' })
const operations = z.array(OperationName).meta({ description: 'What control accepts for it.' })

export const Gang = z
  .looseObject({
    id: idOf('the gang'),
    name: Name,
    class: growing(GANG_CLASSES, 'What it is and can do.'),
    gang: z.int().min(0).meta({ description: 'Its position on the module, from 0.' }),
    operations,
    room: idOrNull('The id of its room, which may differ from that of its module, or null.'),
    floor,
    light,
    state: State,
  })
  .meta({ id: 'Gang', description: 'One gang of a module.' })

export const Unit = z
  .looseObject({
    id: idOf('the unit or module'),
    name: Name,
    class: growing(UNIT_CLASSES, 'What it is and can do.'),
    kind: z.enum(['unit', 'module']).meta({ description: 'A module is controlled gang by gang.' }),
    model,
    room,
    floor,
    light,
    reachable: z.boolean().meta({
      description: 'False from the moment the unit is found not to answer until it answers or reports again.',
    }),
    lastSeen: epochMs(
      'When it last confirmed a state or reported something that this integration sees; null before.',
    ).nullable(),
    operations,
    gangs: z.array(Gang).optional().meta({ description: 'Of a module: the gangs that this integration shows.' }),
    state: State.optional(),
  })
  .meta({
    id: 'Unit',
    description:
      'A unit, or a multi-gang module with the gangs that this integration shows. A module has no `state`: it is in its gangs.',
  })

export const Room = z
  .looseObject({
    id: idOf('the room'),
    name: Name,
    floor,
    units: z.array(Unit).meta({ description: 'Its units and modules.' }),
  })
  .meta({ id: 'Room', description: 'A room with its units.' })

export const Floor = z
  .looseObject({ id: idOf('the floor'), name: Name, rooms: z.array(Room).meta({ description: 'Its rooms.' }) })
  .meta({ id: 'Floor', description: 'A floor with its rooms.' })

const sceneRoom = idOrNull('The id of the room where it is shown, or null.')
const sceneFloor = idOrNull('The id of the floor where it is shown, or null.')

export const Scene = z
  .looseObject({
    id: idOf('the scene'),
    name: Name,
    room: sceneRoom,
    floor: sceneFloor,
  })
  .meta({ id: 'Scene', description: 'A scene by its name.' })

export const SceneState = z
  .looseObject({ running: z.boolean().meta({ description: 'Whether it runs now.' }) })
  .meta({ id: 'SceneState', description: 'Of a scene.' })

export const SceneRun = z
  .looseObject({ runId: z.string().meta({ description: 'Names this one run.' }) })
  .meta({ id: 'SceneRun', description: 'Of a scene that was asked to run, instead of a state.' })

/** The scene when `GET /v1/devices/{id}` names one. */
export const SceneDevice = z
  .looseObject({
    id: idOf('the scene'),
    name: Name,
    class: z.literal('scene'),
    kind: z.literal('scene'),
    room: sceneRoom,
    floor: sceneFloor,
    operations: z.array(z.literal('run')).meta({ description: 'What control accepts for it.' }),
    state: SceneState,
  })
  .meta({ id: 'SceneDevice', description: 'A scene, asked for as a device.' })

export const GangDevice = z
  .looseObject({ ...Gang.shape, model, kind: z.literal('gang'), unit: idOf('its module') })
  .meta({ id: 'GangDevice', description: 'One gang, asked for as a device.' })

/** Stale, missing or wrong revisions: docs/automations.md#revisions, Spec 4 rule 6. */
export const Revision = z.int().min(1).meta({ description: 'Grows with every edit that this integration can see.' })

export const OriginShape = originSchema

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[] as readonly [ErrorCode, ...ErrorCode[]]

export const ErrorDetail = z
  .looseObject({
    code: growing(ERROR_CODES, 'Why not, for programs.'),
    message: z.string().meta({ description: 'One plain sentence for a person.' }),
    appAction: z
      .string()
      .optional()
      .meta({ description: 'The screen or permission of the app where the user can fix it.' }),
    retryAfter: z.int().min(1).optional().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'Why not.' })

/** The one shape of every refusal (Spec 7). */
export const ErrorShape = z
  .looseObject({
    error: ErrorDetail,
  })
  .meta({ id: 'Error', description: 'Every refusal has this shape.' })
