import { z } from 'zod'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { BUS_DOWN } from '../../home/model/device.ts'
import { documented, epochMs, growing, text, textOrNull, whether, named } from './fields.ts'
import { OperationName } from './shapes.ts'

export const CauseShape = z
  .looseObject({
    source: growing(CAUSE_SOURCES, 'Who or what it is.'),
    name: text('Its name for people.'),
    ref: z
      .string()
      .optional()
      .describe('The id of the exposed device, scene, automation or schedule that the cause is.'),
    link: z.string().optional().describe("The credential, where it is one of this integration's own."),
    confirmedBy: z.string().optional().describe('The person whose word an agent needed and had.'),
    get by() {
      return CauseShape.optional()
    },
  })
  .meta({
    id: 'Cause',
    description: 'Who did it; `by` is what set that off. What is hidden reads "something outside this integration".',
  })

const ACTIVITY_SUBJECTS = ['device', 'scene', 'room', 'floor', 'automation', 'schedule', 'integration', 'home'] as const

/** Fields of a state, as many as a change is about. */
const ChangedValues = z
  .looseObject({
    on: whether('Whether the load is on.'),
    bri: z.number().describe('Percent.'),
    pos: z.number().describe('Percent open.'),
    move: text('Which way it moves.'),
    mode: text('What decides over the load, or what an air conditioner does.'),
    temp: z.number().nullable().describe('Degrees Celsius.'),
    fan: text('The speed of the fan.'),
    key: textOrNull('The key that was sent last.'),
    locked: whether('False: it is open.'),
  })
  .partial()
  .meta({ title: 'ChangedValues', description: 'Fields of a state, as many as the change is about.' })

/** The facts of an entry are kept as they were told; a document shows those that are open. */
const ACTIVITY_DATA = documented(
  z
    .looseObject({
      from: ChangedValues.optional(),
      to: ChangedValues.optional(),
      command: z
        .looseObject({ op: OperationName, args: ChangedValues.optional() })
        .optional()
        .meta({ title: 'ActivityCommand', description: 'What was asked and did not happen.' }),
      failure: z.string().optional().describe('Why it did not happen, in one word.'),
      missed: z.int().optional().describe('How many runs were missed.'),
      run: z.string().optional().describe('The run that it is about, a `runId` for a while after its end.'),
      down: growing(BUS_DOWN, 'What the adapter went for; null: it carries frames again.').nullable().optional(),
      demo: z.boolean().optional().describe('True: made up for the demo home.'),
    })
    .meta({
      title: 'ActivityData',
      description: 'Facts that belong to the entry, where there are any: what changed, `from` and `to`.',
    }),
)

export const ActivityEntry = named('ActivityEntry', 'One thing that happened, and who or what caused it.', {
  id: text('Names the entry; ids are in no order.'),
  at: epochMs('When it happened.'),
  device: textOrNull('The id of what it is about: a device, scene, room, floor, automation or schedule; or null.'),
  subject: growing(ACTIVITY_SUBJECTS, 'What kind of thing it is about.'),
  kind: growing(ACTIVITY_KINDS, 'What kind of thing happened.'),
  what: text('What happened, in a phrase without the name of the device.'),
  cause: CauseShape,
  gone: z
    .looseObject({ name: textOrNull('The name that it had, or null.') })
    .optional()
    .describe('The device is no longer in the house. Only for integrations that expose everything.'),
  data: z.looseObject({}).optional().meta(ACTIVITY_DATA),
})
