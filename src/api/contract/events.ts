import { z } from 'zod'
import { DEVICE_CLASSES_WITH_STATE, SensorState, State } from './states.ts'
import { PRESSES, TOUCH_KEYS } from '../../home/model/device.ts'
import { MESSAGE_CHANGES } from '../../home/model/messages.ts'
import { count, epochMs, growing, IDEMPOTENCY_KEY, idOf, text, textOrNull, shape, named } from './fields.ts'
import { messageFields } from './messages.ts'
import { ModeShape } from './mode.ts'
import { PeopleShape } from './people.ts'
import { Revision, SceneState } from './shapes.ts'
import { strictObject } from '../../lib/late-object.ts'

/**
 * Messages on `/v1/stream` (Spec 2.8, 6; docs/stream.md#why) as pure data; the socket's checks and the AsyncAPI
 * document come from it.
 */

/** Bounds of one message. */
export const TOPICS_MAX = 1_000
const TOPIC_LENGTH_MAX = 300
export const MESSAGE_ID_LENGTH_MAX = 128
/** Longer than any method that is served. */
export const METHOD_LENGTH_MAX = 16
export const PATH_LENGTH_MAX = 2_048

/** Lists whose changes are events; each has an event and a topic of its name. */
export const LISTS = ['scenes', 'automations', 'schedules'] as const
export type ListTopic = (typeof LISTS)[number]

/** Event kinds of the specification and of this gateway; clients ignore unknown kinds (docs/stream.md#events). */
export const EVENT_KINDS = [
  'state',
  'sensor',
  'scene',
  'exposure',
  ...LISTS,
  'integration',
  'message',
  'mode',
  'presence',
  'touch',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** Topics without an id; others are `device:<id>`, `room:<id>` and `floor:<id>`. */
export const PLAIN_TOPICS = [...EVENT_KINDS, '*'] as const

const QueryValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** A request, or a list of topics. A `null` field equals a missing field. */
export const ClientMessage = strictObject(() => ({
  id: z.string().max(MESSAGE_ID_LENGTH_MAX).nullish().describe('Echoed in the response.'),
  method: z.string().max(METHOD_LENGTH_MAX).nullish().describe('As on HTTPS: GET, POST, PATCH, PUT, DELETE.'),
  path: z.string().max(PATH_LENGTH_MAX).nullish().describe('From /v1, as on HTTPS.'),
  query: z.record(z.string().max(64), QueryValue).nullish().describe('The query, here or in the path.'),
  body: z.unknown().optional(),
  idempotencyKey: z.string().nullish().meta({
    pattern: IDEMPOTENCY_KEY,
    description:
      'For a request that changes something: a name of 1 to 255 printable characters, unique for each request. A repeated request is performed once.',
  }),
  subscribe: z
    .array(z.string().max(TOPIC_LENGTH_MAX))
    .max(TOPICS_MAX)
    .nullish()
    .describe(
      'Topics to add: state, sensor, scene, exposure, scenes, automations, schedules, integration, message, mode, presence, touch, device:<id>, room:<id>, floor:<id>, or * for everything but messages, mode, presence and touches. An empty list ends all subscriptions.',
    ),
  since: z
    .int()
    .min(0)
    .nullish()
    .describe('With subscribe: the seq of the last received event. Missed events follow the response.'),
})).meta({
  id: 'ClientMessage',
  description: 'A request (method and path), answered with `{id, status, body}`, or a subscription.',
})
export type ClientMessage = z.output<typeof ClientMessage>

export const StreamAnswer = named('StreamAnswer', 'The response to a message.', () => ({
  id: textOrNull('The id of the request, or null.'),
  status: z.int().min(200).max(599).describe('The status of the same request over HTTPS.'),
  body: z.unknown().describe('The response body of the same request over HTTPS; null if it has none.'),
}))

export const Subscribed = named('Subscribed', 'Current subscriptions of this socket.', () => ({
  house: text('The name of the home.'),
  subscribed: z.array(z.string()).describe('Every topic of this socket now.'),
  seq: z.int().describe('The seq of the last event of this integration: a `since` for later.'),
  gap: z
    .boolean()
    .optional()
    .describe('Only with `since`. True: missed events are no longer stored; read GET /v1/state.'),
}))

const common = {
  at: epochMs('When it happened.'),
  house: text('The name of the home.'),
  seq: z.int().describe('Increases with every event that this integration sees; a socket may skip numbers.'),
}

export const StateEvent = named('StateEvent', "A unit's or gang's state changed, or its settings did.", () => ({
  ...common,
  event: z.literal('state'),
  device: idOf('the unit or gang'),
  class: growing([...DEVICE_CLASSES_WITH_STATE, 'gang_module'], 'Class of the device; decides the shape of `state`.'),
  state: State,
  reachable: z
    .boolean()
    .optional()
    .describe('False: the unit or module stopped responding. True: it responds again. The state is unchanged.'),
  intents: z
    .array(z.string())
    .optional()
    .describe('Settings that the unit has just confirmed, by intent; the state may be unchanged.'),
}))

export const SensorEvent = named('SensorEvent', 'All readings of the device, not only changed ones.', () => ({
  ...common,
  event: z.literal('sensor'),
  device: idOf('the unit, or a gang with its power and energy'),
  class: text('Class of the device.'),
  state: SensorState,
}))

export const SceneEvent = named('SceneEvent', 'A scene started or ended.', () => ({
  ...common,
  event: z.literal('scene'),
  device: text("The scene's id."),
  class: z.literal('scene'),
  state: SceneState,
}))

export const ExposureEvent = named(
  'ExposureEvent',
  'The exposed part of the home changed: things were added, removed, moved or renamed.',
  () => ({
    ...common,
    event: z.literal('exposure'),
    device: z.null().describe('Always null: the event has no device.'),
    class: z.null().describe('Always null: the event has no device.'),
    state: shape('The change.', () => ({
      changed: z.literal(true),
      read: z.array(z.string()).describe('Resources to read again.'),
    })),
  }),
)

/** Kinds of change to one thing of a list. */
export const LIST_CHANGES = ['created', 'edited', 'enabled', 'disabled', 'paused', 'deleted'] as const
export type ListChange = (typeof LIST_CHANGES)[number]

const about = {
  device: z.null().describe('Always null: the event has no device.'),
  class: z.null().describe('Always null: the event has no device.'),
}

/** Event of a list; clients read its content with the list's GET. */
const listEvent = (list: ListTopic, one: string, description: string) =>
  named(`${list.charAt(0).toUpperCase()}${list.slice(1)}Event`, description, () => ({
    ...common,
    event: z.literal(list),
    ...about,
    state: shape('The changed thing.', () => ({
      id: idOf(one),
      revision: Revision,
      change: growing(
        LIST_CHANGES,
        'Kind of change; `created` also means that this integration sees it for the first time.',
      ),
    })),
  }))

export const ScenesEvent = listEvent('scenes', 'the scene', 'A scene was added, removed or changed.')

export const AutomationsEvent = listEvent(
  'automations',
  'the automation',
  'An automation was added, removed or changed; only with the knob automations on.',
)

export const SchedulesEvent = listEvent(
  'schedules',
  'the schedule',
  'A schedule was added, removed, edited or switched; only with the knob schedules on.',
)

export const IntegrationEvent = named(
  'IntegrationEvent',
  'An administrator changed the knobs or the exposure of this integration.',
  () => ({
    ...common,
    event: z.literal('integration'),
    ...about,
    state: shape('The change.', () => ({
      id: text('The id of this integration.'),
      change: growing(['edited'], 'Kind of change.'),
      read: z.array(z.string()).describe('Resources to read again.'),
    })),
  }),
)

const { device: _device, ...messageState } = messageFields

export const MessageEvent = named(
  'MessageEvent',
  'A message was sent, repeated or acknowledged, or its condition ended. Only for sockets with the topic `message`.',
  () => ({
    ...common,
    event: z.literal('message'),
    device: textOrNull('The id of its device, or null.'),
    class: textOrNull('Class of its device, or null.'),
    state: shape('The message.', () => ({
      ...messageState,
      change: growing(MESSAGE_CHANGES, 'update: it was acknowledged, or its condition ended.'),
      repeat: count('Number of repetitions so far.'),
    })),
  }),
)

export const ModeEvent = named('ModeEvent', 'The mode of the home, its end or the list of modes changed.', () => ({
  ...common,
  event: z.literal('mode'),
  ...about,
  state: ModeShape.describe('The mode, as in GET /v1/mode.'),
}))

export const PresenceEvent = named(
  'PresenceEvent',
  'The presence of people changed, as far as they are visible.',
  () => ({
    ...common,
    event: z.literal('presence'),
    ...about,
    state: PeopleShape.describe('The presence of all visible people, as in GET /v1/persons.'),
  }),
)

export const TouchEvent = named(
  'TouchEvent',
  'A key was touched, whether or not a state changed. Only for sockets with the topic `touch`.',
  () => ({
    ...common,
    event: z.literal('touch'),
    device: idOf('the unit or gang; the module for its side buttons'),
    class: text('Class of the device.'),
    state: shape('The touch.', () => ({
      key: growing(TOUCH_KEYS, 'The touched key.'),
      press: growing(PRESSES, 'long: two seconds or more.'),
    })),
  }),
)
