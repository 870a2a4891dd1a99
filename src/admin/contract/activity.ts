import { z } from 'zod'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, named } from '../../api/contract/fields.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** Largest page size. */
export const ACTIVITY_PAGE_MAX = 200

const Cause = z
  .looseObject({
    source: z.enum(CAUSE_SOURCES).describe('Kind of the cause.'),
    name: text('Name of the cause for people.'),
    ref: z.string().optional().describe('The local id of the rule, scene or unit.'),
    integration: z.string().optional().describe('The id of the requesting integration.'),
    link: z.string().optional().describe('The requesting credential.'),
    confirmedBy: z.string().optional().describe('The person who confirmed the call of an agent.'),
    get by() {
      return Cause.optional()
    },
  })
  .meta({ id: 'ActivityCause', description: 'The person, program or thing that acted; `by` is the cause before it.' })

const Entry = named('AdminActivityEntry', 'An event in the home, for administrators.', () => ({
  id: text('The id of the entry.'),
  at: epochMs('Time of the event.'),
  kind: z.enum(ACTIVITY_KINDS).describe('Kind of the event.'),
  subject: text(
    'Kind of the subject: device, scene, group, room, floor, automation, schedule, person, mode, home or integration.',
  ),
  subjectId: textOrNull('Local id of the subject, for a device `UNIT` or `UNIT:GANG`; null: the home or its mode.'),
  name: textOrNull('Current or last known name of the subject, or null.'),
  what: text('The event in a phrase without the name.'),
  cause: Cause,
  data: z.record(z.string(), z.unknown()).optional().describe('Facts, such as `from` and `to`.'),
}))
export type AdminActivityEntry = Plain<z.output<typeof Entry>>

const moment = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)

/** The complete activity log, including entries that no integration sees. */
export const activity = {
  'activity.list': endpoint('GET', '/admin/v1/activity', {
    summary: 'The complete activity, newest first',
    query: strictObject(() => ({
      from: moment.optional().describe('Start of the range, epoch ms.'),
      to: moment.optional().describe('End of the range, exclusive, epoch ms: `nextTo` of the previous page.'),
      limit: z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number)
        .pipe(z.int().min(1).max(ACTIVITY_PAGE_MAX))
        .optional()
        .describe('Page size; 50 by default.'),
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Only entries of this kind.'),
      source: z.enum(CAUSE_SOURCES).optional().describe('Only entries with this `cause.source`.'),
      device: z.string().max(60).optional().describe('Only entries about the device with this local id.'),
      room: z.string().max(60).optional().describe('Only entries about the room or devices that are now in it.'),
      integration: z.string().max(64).optional().describe('Only entries about this integration or by its credentials.'),
      rule: z
        .string()
        .max(60)
        .optional()
        .describe('Only entries about or caused by this scene, automation or schedule.'),
    })),
    answer: looseObject(() => ({
      entries: z.array(Entry),
      nextTo: z.int().nullable().describe('The `to` of the next page, epoch milliseconds; null after the last.'),
    })),
  }),
} as const
