import { z } from 'zod'
import { DEVICE_CLASSES_WITH_STATE, SensorState, State } from './states.ts'
import { epochMs, growing, IDEMPOTENCY_KEY, idOf, text, textOrNull, shape, named } from './fields.ts'
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
    id: z.string().max(MESSAGE_ID_LENGTH_MAX).nullish().describe('Echoed in the answer.'),
    method: z.string().max(METHOD_LENGTH_MAX).nullish().describe('As on HTTPS: GET, POST, PATCH, PUT, DELETE.'),
    path: z.string().max(PATH_LENGTH_MAX).nullish().describe('From /v1, as on HTTPS.'),
    query: z.record(z.string().max(64), QueryValue).nullish().describe('The query of the path, here or there.'),
    body: z.unknown().optional(),
    idempotencyKey: z.string().nullish().meta({
      pattern: IDEMPOTENCY_KEY,
      description:
        'With a request that changes something: a name of 1 to 255 printable characters, its own for each request, under which it is made once.',
    }),
    subscribe: z
      .array(z.string().max(TOPIC_LENGTH_MAX))
      .max(TOPICS_MAX)
      .nullish()
      .describe(
        'Topics to receive from now on, besides those before: state, sensor, scene, exposure, scenes, automations, schedules, integration, device:<id>, room:<id>, floor:<id>, or * for everything. An empty list ends all.',
      ),
    since: z
      .int()
      .min(0)
      .nullish()
      .describe('With subscribe: the seq of the last event that was received. What was missed follows the answer.'),
  })
  .meta({
    id: 'ClientMessage',
    description: 'A request (method and path), answered with `{id, status, body}`, or a subscription.',
  })
export type ClientMessage = z.output<typeof ClientMessage>

export const StreamAnswer = named('StreamAnswer', 'The answer to a message.', {
  id: textOrNull('The id of the request, or null.'),
  status: z.int().min(200).max(599).describe('The status that HTTPS would answer.'),
  body: z.unknown().describe('What HTTPS answers to the same request; null where it has no body.'),
})

export const Subscribed = named('Subscribed', 'What this socket hears of now.', {
  house: text('The name of the home.'),
  subscribed: z.array(z.string()).describe('Every topic of this socket now.'),
  seq: z.int().describe('Where the events of this integration stand: a `since` for later.'),
  gap: z
    .boolean()
    .optional()
    .describe('Only with `since`. True: what was missed is no longer held, read GET /v1/state.'),
})

const common = {
  at: epochMs('When it happened.'),
  house: text('The name of the home.'),
  seq: z.int().describe('Grows with every event that this integration sees; a socket may skip numbers.'),
}

export const StateEvent = named('StateEvent', "A unit's or gang's state changed, or its settings did.", {
  ...common,
  event: z.literal('state'),
  device: idOf('the unit or gang'),
  class: growing([...DEVICE_CLASSES_WITH_STATE, 'gang_module'], 'What it is; decides the shape of `state`.'),
  state: State,
  reachable: z
    .boolean()
    .optional()
    .describe('The unit or module has stopped to answer, or answers again; its state is as before.'),
  intents: z
    .array(z.string())
    .optional()
    .describe(
      'Settings of the device that its unit has just confirmed, by intent; then the state need not have changed.',
    ),
})

export const SensorEvent = named('SensorEvent', 'Readings: all that the device has, not only those that changed.', {
  ...common,
  event: z.literal('sensor'),
  device: idOf('the unit, or a gang with its power and energy'),
  class: text('Class of the device.'),
  state: SensorState,
})

export const SceneEvent = named('SceneEvent', 'A scene began or ended to run.', {
  ...common,
  event: z.literal('scene'),
  device: text("The scene's id."),
  class: z.literal('scene'),
  state: SceneState,
})

export const ExposureEvent = named(
  'ExposureEvent',
  'What this integration sees of the home changed: things came, went, moved or have other names.',
  {
    ...common,
    event: z.literal('exposure'),
    device: z.null().describe('It is about no device.'),
    class: z.null().describe('It is about no device.'),
    state: shape('What to do about it.', {
      changed: z.literal(true),
      read: z.array(z.string()).describe('What to read again.'),
    }),
  },
)

/** What happened to one thing of a list. */
export const LIST_CHANGES = ['created', 'edited', 'enabled', 'disabled', 'paused', 'deleted'] as const
export type ListChange = (typeof LIST_CHANGES)[number]

const about = {
  device: z.null().describe('It is about no device.'),
  class: z.null().describe('It is about no device.'),
}

/** Of one list: what is in it now is read with its GET. */
const listEvent = (list: List, one: string, description: string) =>
  named(`${list.charAt(0).toUpperCase()}${list.slice(1)}Event`, description, {
    ...common,
    event: z.literal(list),
    ...about,
    state: shape('Which one, and what happened to it.', {
      id: idOf(one),
      revision: Revision,
      change: growing(LIST_CHANGES, 'What happened to it; one that is new to this integration was created.'),
    }),
  })

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

export const IntegrationEvent = named(
  'IntegrationEvent',
  'An administrator changed the knobs of this integration, or what it exposes.',
  {
    ...common,
    event: z.literal('integration'),
    ...about,
    state: shape('What changed, and what to do about it.', {
      id: text('The id of this integration.'),
      change: growing(['edited'], 'What happened to it.'),
      read: z.array(z.string()).describe('What to read again.'),
    }),
  },
)
