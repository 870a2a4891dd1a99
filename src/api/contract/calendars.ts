import { z } from 'zod'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { endpoint } from './endpoint.ts'
import { moment } from './records.ts'
import { epochMs, listOf, Name, text, whether } from './fields.ts'

/** The next events of a calendar, those that are on included. */
export const NextEvents = listOf('An event, or one time of a repeated one.', () => ({
  title: text('Its title.'),
  begins: epochMs('Begin.'),
  ends: epochMs('End.'),
  wholeDays: whether('True for local dates without times.'),
})).describe('Events that are on, and the next ones: ten at most, or 200 of a range.')

export const calendars = {
  'calendars.list': endpoint('GET', '/v1/calendars', {
    summary: 'The calendars that rules can name, with their next events',
    spec: '2.5; docs/automations.md#calendars',
    query: strictObject(() => ({
      from: moment('Start of a range of events; now by default.').optional(),
      to: moment('End of the range, exclusive; without end by default.').optional(),
    })),
    answer: looseObject(() => ({
      calendars: z.array(
        looseObject(() => ({
          id: text('The id, as rules name it.'),
          name: Name,
          events: NextEvents,
        })).meta({ id: 'HomeCalendar', description: 'A calendar of the home.' }),
      ),
    })),
  }),
} as const
