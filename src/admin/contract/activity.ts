import { z } from 'zod'
import { ACTIVITY_KINDS, CAUSE_SOURCES } from '../../home/model/events.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { epochMs, text, textOrNull, named } from '../../api/contract/fields.ts'

/** Entries of one page. */
export const ACTIVITY_PAGE_MAX = 200

const Cause = z
  .looseObject({
    source: z.enum(CAUSE_SOURCES).describe('Who or what it was.'),
    name: text('As people read it.'),
    ref: z.string().optional().describe('The local id of the rule, scene or unit.'),
    integration: z.string().optional().describe('The id of the integration that asked.'),
    link: z.string().optional().describe('The credential that asked.'),
    confirmedBy: z.string().optional().describe('Who confirmed the call of an agent.'),
    get by() {
      return Cause.optional()
    },
  })
  .meta({ id: 'ActivityCause', description: 'Who or what did it, and by `by` what set that off.' })

const Entry = named('AdminActivityEntry', 'Something that happened, as administrators read it.', {
  id: text('The id of the entry.'),
  at: epochMs('When it happened.'),
  kind: z.enum(ACTIVITY_KINDS).describe('What kind of entry it is.'),
  subject: text('What kind of thing it is about: device, scene, integration and the like.'),
  subjectId: textOrNull('Its local id, of a device that of the unit or `UNIT:GANG`; null: the home.'),
  name: textOrNull('Its name now, or its last name in the house; null where that is not known.'),
  what: text('One phrase, without the name.'),
  cause: Cause,
  data: z.record(z.string(), z.unknown()).optional().describe('Facts, such as `from` and `to`.'),
})
export type AdminActivityEntry = Plain<z.output<typeof Entry>>

const moment = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)

/** The log of everything, also of what no integration is shown. */
export const activity = {
  'activity.list': endpoint('GET', '/admin/v1/activity', {
    summary: 'What happened, the newest first, with nothing left out',
    query: z.strictObject({
      from: moment.optional().describe('Entries from then on, epoch ms.'),
      to: moment.optional().describe('Entries before then, epoch ms: `nextTo` of the page before.'),
      limit: z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number)
        .pipe(z.int().min(1).max(ACTIVITY_PAGE_MAX))
        .optional()
        .describe('Entries of a page; 50 unless said.'),
      kind: z.enum(ACTIVITY_KINDS).optional().describe('Of one kind.'),
      source: z.enum(CAUSE_SOURCES).optional().describe('Whose cause begins so.'),
      device: z.string().max(60).optional().describe('About this device, by its local id.'),
      room: z.string().max(60).optional().describe('About what is in this room now, or the room itself.'),
      integration: z.string().max(64).optional().describe('About this integration, or by its credentials.'),
      rule: z.string().max(60).optional().describe('Of runs of this scene, automation or schedule.'),
    }),
    answer: z.looseObject({
      entries: z.array(Entry),
      nextTo: z
        .int()
        .nullable()
        .describe('The `to` of the next page, epoch milliseconds; null: nothing older is left.'),
    }),
  }),
} as const
