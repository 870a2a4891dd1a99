import { z } from 'zod'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs, listOf, named, text, textOrNull } from '../../api/contract/fields.ts'
import { PresenceBody } from '../../api/contract/people.ts'
import { PRESENCES } from '../../home/model/presence.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const is = z.enum(PRESENCES).describe('Presence; unknown until the first report.')

export const PresenceShape = named('Presence', 'Presence of a person.', () => ({
  is,
  since: epochMs('Time of the newest change; null before the first report.').nullable(),
  source: textOrNull('Name of the person or program that reported it, or null.'),
}))

const PersonParams = strictObject(() => ({ id: z.string().min(1).max(20) }))

/** The presence of persons, for administrators; programs report it by `PUT /v1/persons/{id}/presence`. */
export const presence = {
  'presence.show': endpoint('GET', '/admin/v1/persons/{id}/presence', {
    summary: 'The presence of a person and its changes of the last 7 days, newest first',
    params: PersonParams,
    answer: looseObject(() => ({
      presence: PresenceShape,
      history: listOf('A change.', () => ({
        at: epochMs('Time of the change.'),
        is,
        source: text('Name of the person or program that reported it.'),
      })),
    })),
    errors: ['not_found'],
  }),
  'presence.set': endpoint('PUT', '/admin/v1/persons/{id}/presence', {
    summary: 'Set the presence of a person by hand',
    params: PersonParams,
    body: PresenceBody,
    answer: looseObject(() => ({ presence: PresenceShape })),
    errors: ['not_found'],
  }),
} as const
