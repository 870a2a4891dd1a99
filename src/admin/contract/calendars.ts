import { z } from 'zod'
import { endpoint } from '../../api/contract/endpoint.ts'
import { NextEvents } from '../../api/contract/calendars.ts'
import { epochMs, listOf, Name, named, text, textOrNull } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { sourceFields } from '../../home/model/calendar-schema.ts'
import { LOCAL_ID } from '../../home/model/house.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { force, LocalId, LocalParams, UsedBy } from './shapes.ts'

const CalendarShape = named('Calendar', 'A calendar of the home.', () => ({
  id: LocalId,
  name: Name,
  source: z.enum(['dates', 'file', 'url']).describe('A list of dates, an uploaded file, or an address.'),
  host: textOrNull('Scheme and host of its address, or null; the rest may be a secret.'),
  readAt: epochMs('Time of the last good reading, or null.').nullable(),
  problem: textOrNull('Reason why the last reading failed, as a sentence, or null.'),
  leftOut: listOf('An event.', () => ({
    title: text('Its title.'),
    reason: text('Reason as the end of a sentence.'),
  })).describe('Events of the file that cannot be used, at most 100; the others are.'),
  events: NextEvents,
  usedBy: UsedBy,
}))

const Calendars = looseObject(() => ({ calendars: z.array(CalendarShape) }))

/** Calendars that rules name (docs/automations.md#calendars). */
export const calendars = {
  'calendars.list': endpoint('GET', '/admin/v1/calendars', {
    summary: 'The calendars of the home with their next events',
    answer: Calendars,
  }),
  'calendars.add': endpoint('POST', '/admin/v1/calendars', {
    summary: 'Add a calendar, once it could be read',
    stepUp: true,
    body: strictObject(() => ({
      name: PlainName,
      id: z.string().regex(LOCAL_ID).optional().describe('The local id; by default it is made of the name.'),
      ...sourceFields(),
    })),
    answer: Calendars,
    errors: ['unauthorized'],
  }),
  'calendars.change': endpoint('PATCH', '/admin/v1/calendars/{id}', {
    summary: 'Rename a calendar, or replace its source once the new one could be read',
    stepUp: true,
    params: LocalParams,
    body: strictObject(() => ({ name: PlainName.optional(), ...sourceFields() })),
    answer: Calendars,
    errors: ['not_found', 'unauthorized'],
  }),
  'calendars.remove': endpoint('DELETE', '/admin/v1/calendars/{id}', {
    summary: 'Remove a calendar',
    params: LocalParams,
    ...force,
    answer: Calendars,
    errors: ['not_found'],
  }),
} as const
