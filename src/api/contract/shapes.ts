import { z } from 'zod'
import { GANG_CLASSES, OPERATIONS, UNIT_CLASSES } from '../../home/model/device.ts'

/** Shapes shared by answers (Spec 2). Answers are loose: clients tolerate what is added later. Bodies are strict. */
export const NoQuery = z.strictObject({})

export const Id = z.string().min(1).max(256)

/** The query of a list that can be cut to one room, one class, or both (docs/api.md#filters). */
export const inRoomOrOf = <const C extends readonly [string, ...string[]]>(classes: C) =>
  z.strictObject({
    room: Id.optional().meta({ description: 'Only what lies in this room, by its id; a gang has a room of its own.' }),
    class: z.enum(classes).optional().meta({ description: 'Only what is of this class.' }),
  })

/**
 * Text that people read: no control, direction-changing, invisible or line-breaking characters, so that a name cannot disguise itself.
 * The characters by number are letters that show nothing: the fillers of Hangul, a joiner, the empty braille cell.
 */
export const PlainName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(
    /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]*$/u,
    'must not hold control or invisible characters',
  )

export const State = z.looseObject({ asOf: z.int() }).nullable().meta({
  id: 'State',
  description:
    'The state that the unit confirmed last, with the moment of it in `asOf` (epoch ms); null before the unit was heard for the first time.',
})

export const Gang = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    class: z.enum(GANG_CLASSES),
    gang: z.int().min(0),
    operations: z.array(z.enum(OPERATIONS)),
    room: z.string().nullable(),
    floor: z.string().nullable(),
    state: State,
  })
  .meta({ id: 'Gang', description: 'One gang of a module.' })

export const Unit = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    class: z.enum(UNIT_CLASSES),
    kind: z.enum(['unit', 'module']),
    model: z.string().nullable(),
    room: z.string().nullable(),
    floor: z.string().nullable(),
    operations: z.array(z.enum(OPERATIONS)),
    gangs: z.array(Gang).optional(),
    state: State.optional(),
  })
  .meta({ id: 'Unit', description: 'A unit, or a multi-gang module with the gangs that this integration shows.' })

export const Room = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    floor: z.string().nullable(),
    units: z.array(Unit),
  })
  .meta({ id: 'Room' })

export const Floor = z.looseObject({ id: z.string(), name: z.string(), rooms: z.array(Room) }).meta({ id: 'Floor' })

export const Scene = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    room: z.string().nullable(),
    floor: z.string().nullable(),
  })
  .meta({ id: 'Scene' })

/** The scene when `GET /v1/devices/{id}` names one. */
export const SceneDevice = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    class: z.literal('scene'),
    kind: z.literal('scene'),
    room: z.string().nullable(),
    floor: z.string().nullable(),
    operations: z.array(z.literal('run')),
    state: z.looseObject({ running: z.boolean() }),
  })
  .meta({ id: 'SceneDevice' })

export const GangDevice = z
  .looseObject({ ...Gang.shape, kind: z.literal('gang'), unit: z.string() })
  .meta({ id: 'GangDevice' })

/** Stale, missing or wrong revisions: docs/automations.md#revisions, Spec 4 rule 6. */
export const Revision = z.int().min(1)

export const OriginShape = z.looseObject({ integration: z.string(), link: z.string() }).nullable().meta({
  id: 'Origin',
  description: 'Which integration and credential created the object; null for what was made by an administrator.',
})
