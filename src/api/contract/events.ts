import { z } from 'zod'
import { DEVICE_CLASSES_WITH_STATE, SensorState, State } from './states.ts'
import { epochMs, growing, IDEMPOTENCY_KEY, idOf } from './fields.ts'
import { Revision, SceneState } from './shapes.ts'

/**
 * What goes over `/v1/stream` (Spec 2.8, 6; docs/stream.md#why): pure data, from which the socket's checks and the
 * AsyncAPI document come.
 */

/** Bounds of one message. */
export const TOPICS_MAX = 1_000
const TOPIC_LENGTH_MAX = 300
export const MESSAGE_ID_LENGTH_MAX = 128
/** Every method that is served is shorter. */
export const METHOD_LENGTH_MAX = 16
export const PATH_LENGTH_MAX = 2_048

/** The lists of which events tell that they changed; each has an event and a topic of its name. */
export const LISTS = ['scenes', 'automations', 'schedules'] as const
export type List = (typeof LISTS)[number]

/** Those of the specification, and ours; clients ignore what they do not know (docs/stream.md#events). */
export const EVENT_KINDS = ['state', 'sensor', 'scene', 'exposure', ...LISTS, 'integration'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Topics that need no id; besides these there are `device:<id>`, `room:<id>` and `floor:<id>`. */
export const PLAIN_TOPICS = [...EVENT_KINDS, '*'] as const

const QueryValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** A request, or a list of topics. `null` says the same as leaving a field out. */
export const ClientMessage = z
  .strictObject({
    id: z.string().max(MESSAGE_ID_LENGTH_MAX).nullish().meta({ description: 'Echoed in the answer.' }),
    method: z
      .string()
      .max(METHOD_LENGTH_MAX)
      .nullish()
      .meta({ description: 'As on HTTPS: GET, POST, PATCH, PUT, DELETE.' }),
    path: z.string().max(PATH_LENGTH_MAX).nullish().meta({ description: 'From /v1, as on HTTPS.' }),
    query: z
      .record(z.string().max(64), QueryValue)
      .nullish()
      .meta({ description: 'The query of the path, here or there.' }),
    body: z.unknown().optional(),
    idempotencyKey: z.string().nullish().meta({
      pattern: IDEMPOTENCY_KEY,
      description:
        'With a request that changes something: a name of 1 to 255 printable characters, its own for each request, under which it is made once.',
    }),
    subscribe: z.array(z.string().max(TOPIC_LENGTH_MAX)).max(TOPICS_MAX).nullish().meta({
      description:
        'Topics to receive from now on, besides those before: state, sensor, scene, exposure, scenes, automations, schedules, integration, device:<id>, room:<id>, floor:<id>, or * for everything. An empty list ends all.',
    }),
    since: z.int().min(0).nullish().meta({
      description: 'With subscribe: the seq of the last event that was received. What was missed follows the answer.',
    }),
  })
  .meta({
    id: 'ClientMessage',
    description: 'A request (method and path), answered with `{id, status, body}`, or a subscription.',
  })
export type ClientMessage = z.output<typeof ClientMessage>

export const StreamAnswer = z
  .looseObject({
    id: z.string().nullable().meta({ description: 'The id of the request, or null.' }),
    status: z.int().min(200).max(599).meta({ description: 'The status that HTTPS would answer.' }),
    body: z.unknown().meta({ description: 'What HTTPS answers to the same request; null where it has no body.' }),
  })
  .meta({ id: 'StreamAnswer', description: 'The answer to a message.' })

export const Subscribed = z
  .looseObject({
    house: z.string().meta({ description: 'The name of the home.' }),
    subscribed: z.array(z.string()).meta({ description: 'Every topic of this socket now.' }),
    seq: z.int().meta({ description: 'Where the events of this integration stand: a `since` for later.' }),
    gap: z
      .boolean()
      .optional()
      .meta({ description: 'Only with `since`. True: what was missed is no longer held, read GET /v1/state.' }),
  })
  .meta({ id: 'Subscribed', description: 'What this socket hears of now.' })

const common = {
  at: epochMs('When it happened.'),
  house: z.string().meta({ description: 'The name of the home.' }),
  seq: z.int().meta({ description: 'Grows with every event that this integration sees; a socket may skip numbers.' }),
}

export const StateEvent = z
  .looseObject({
    ...common,
    event: z.literal('state'),
    device: idOf('the unit or gang'),
    class: growing([...DEVICE_CLASSES_WITH_STATE, 'gang_module'], 'What it is; decides the shape of `state`.'),
    state: State,
    reachable: z
      .boolean()
      .optional()
      .meta({ description: 'The unit or module has stopped to answer, or answers again; its state is as before.' }),
    intents: z.array(z.string()).optional().meta({
      description:
        'Settings of the device that its unit has just confirmed, by intent; then the state need not have changed.',
    }),
  })
  .meta({ id: 'StateEvent', description: "A unit's or gang's state changed, or its settings did." })

export const SensorEvent = z
  .looseObject({
    ...common,
    event: z.literal('sensor'),
    device: idOf('the unit, or a gang with its power and energy'),
    class: z.string().meta({ description: 'Class of the device.' }),
    state: SensorState,
  })
  .meta({ id: 'SensorEvent', description: 'Readings: all that the device has, not only those that changed.' })

export const SceneEvent = z
  .looseObject({
    ...common,
    event: z.literal('scene'),
    device: z.string().meta({ description: "The scene's id." }),
    class: z.literal('scene'),
    state: SceneState,
  })
  .meta({ id: 'SceneEvent', description: 'A scene began or ended to run.' })

export const ExposureEvent = z
  .looseObject({
    ...common,
    event: z.literal('exposure'),
    device: z.null().meta({ description: 'It is about no device.' }),
    class: z.null().meta({ description: 'It is about no device.' }),
    state: z
      .looseObject({
        changed: z.literal(true),
        read: z.array(z.string()).meta({ description: 'What to read again.' }),
      })
      .meta({ description: 'What to do about it.' }),
  })
  .meta({
    id: 'ExposureEvent',
    description: 'What this integration sees of the home changed: things came, went, moved or have other names.',
  })

/** What happened to one thing of a list. */
export const LIST_CHANGES = ['created', 'edited', 'enabled', 'disabled', 'paused', 'deleted'] as const
export type ListChange = (typeof LIST_CHANGES)[number]

const about = {
  device: z.null().meta({ description: 'It is about no device.' }),
  class: z.null().meta({ description: 'It is about no device.' }),
}

/** Of one list: what is in it now is read with its GET. */
const listEvent = (list: List, one: string, description: string) =>
  z
    .looseObject({
      ...common,
      event: z.literal(list),
      ...about,
      state: z
        .looseObject({
          id: idOf(one),
          revision: Revision,
          change: growing(LIST_CHANGES, 'What happened to it; one that is new to this integration was created.'),
        })
        .meta({ description: 'Which one, and what happened to it.' }),
    })
    .meta({ id: `${list.charAt(0).toUpperCase()}${list.slice(1)}Event`, description })

export const ScenesEvent = listEvent('scenes', 'the scene', 'A scene came, went, or reads otherwise than before.')

export const AutomationsEvent = listEvent(
  'automations',
  'the automation',
  'An automation came, went, or reads otherwise than before; with the knob automations on.',
)

export const SchedulesEvent = listEvent(
  'schedules',
  'the schedule',
  'A schedule came, went, or was edited or switched; with the knob schedules on.',
)

export const IntegrationEvent = z
  .looseObject({
    ...common,
    event: z.literal('integration'),
    ...about,
    state: z
      .looseObject({
        id: z.string().meta({ description: 'The id of this integration.' }),
        change: growing(['edited'], 'What happened to it.'),
        read: z.array(z.string()).meta({ description: 'What to read again.' }),
      })
      .meta({ description: 'What changed, and what to do about it.' }),
  })
  .meta({
    id: 'IntegrationEvent',
    description: 'An administrator changed the knobs of this integration, or what it exposes.',
  })
