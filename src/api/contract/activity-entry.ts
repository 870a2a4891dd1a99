import { z } from 'zod'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { BUS_DOWN } from '../../home/model/device.ts'
import { documented, epochMs, growing, text, textOrNull, whether, named } from './fields.ts'
import { OperationName } from './shapes.ts'
import { looseObject } from '../../lib/late-object.ts'

export const CauseShape = z
  .looseObject({
    source: growing(CAUSE_SOURCES, 'Kind of the cause.'),
    name: text('Name of the cause for people.'),
    ref: z
      .string()
      .optional()
      .describe('The id of the causing device, scene, automation, schedule, mode or person, if it is exposed.'),
    link: z.string().optional().describe("The credential, if it is one of this integration's own."),
    confirmedBy: z.string().optional().describe('The person who confirmed an action of an agent.'),
    get by() {
      return CauseShape.optional()
    },
  })
  .meta({
    id: 'Cause',
    description:
      'The person, program or thing that acted; `by` is the cause before it. Hidden causes read "something outside this integration".',
  })

const ACTIVITY_SUBJECTS = [
  'device',
  'scene',
  'group',
  'room',
  'floor',
  'automation',
  'schedule',
  'integration',
  'home',
  'mode',
  'person',
] as const

/** Changed fields of a state. */
const ChangedValues = looseObject(() => ({
  on: whether('True if the load is on.'),
  bri: z.number().describe('Percent.'),
  pos: z.number().describe('Percent open.'),
  move: text('Direction of movement.'),
  mode: text('Control mode of the load, operating mode of an air conditioner, or mode of the home.'),
  temp: z.number().nullable().describe('Degrees Celsius.'),
  fan: text('The speed of the fan.'),
  key: textOrNull('The key sent last.'),
  locked: whether('False: it is open.'),
}))
  .partial()
  .meta({ title: 'ChangedValues', description: 'Changed fields of a state.' })

/** Entries are stored with all their facts; a document shows the public ones. */
const activityData = () =>
  looseObject(() => ({
    from: ChangedValues.optional(),
    to: ChangedValues.optional(),
    until: z.int().nullable().optional().describe('End of a temporary mode in epoch ms; null: it lasts.'),
    command: looseObject(() => ({ op: OperationName, args: ChangedValues.optional() }))
      .optional()
      .meta({ title: 'ActivityCommand', description: 'The command that failed.' }),
    failure: z.string().optional().describe('Reason of the failure in one word.'),
    missed: z.int().optional().describe('Number of missed runs.'),
    run: z.string().optional().describe('The `runId` of the run, which can be read for a while after its end.'),
    down: growing(BUS_DOWN, 'Reason why the adapter carries no frames; null: it carries frames again.')
      .nullable()
      .optional(),
    demo: z.boolean().optional().describe('True: made up for the demo home.'),
  })).meta({
    title: 'ActivityData',
    description: 'Facts of the entry, if it has any, like a change with `from` and `to`.',
  })

export const ActivityEntry = named('ActivityEntry', 'An event in the home with its cause.', () => ({
  id: text('The id of the entry; ids have no order.'),
  at: epochMs('When it happened.'),
  device: textOrNull('The id of the subject (device, scene, group, room, floor, automation or schedule), or null.'),
  subject: growing(ACTIVITY_SUBJECTS, 'Kind of the subject.'),
  kind: growing(ACTIVITY_KINDS, 'Kind of the event.'),
  what: text('The event in a phrase without the name of the device.'),
  cause: CauseShape,
  gone: looseObject(() => ({ name: textOrNull('Its last name, or null.') }))
    .optional()
    .describe('The device is no longer in the house. Only for integrations that expose everything.'),
  data: z.looseObject({}).optional().meta(documented(activityData())),
}))
