import { z } from 'zod'
import { PRESENCES } from '../../home/model/presence.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { endpoint } from './endpoint.ts'
import { epochMs, growing, named, Name, text } from './fields.ts'

const presence = {
  is: growing(PRESENCES, 'Presence; unknown until the first report.'),
  since: epochMs('Time of the newest change; null before the first report.').nullable(),
}
const PersonId = text('The id of a person.')

/** Presence of the home's people as an integration sees it. */
export const PeopleShape = looseObject(() => ({
  anyone: named(
    'AnyonePresence',
    'All persons together: home while one of them is, away when all are.',
    () => presence,
  ),
  persons: z
    .array(named('PersonPresence', 'A person and their presence.', () => ({ id: PersonId, name: Name, ...presence })))
    .describe('The persons; empty for an integration that sees only anyone.'),
}))

const COORDINATES = /^(?:lat|lo?ng?|gps|coord|geo|accuracy|altitude|location|position|radius)/i
const NO_COORDINATES =
  'takes no coordinates: decide in the phone or program whether somebody is home, and send only `is`: home, away or unknown'

/** A report of a presence, for programs and administrators. */
export const PresenceBody = strictObject(
  () => ({
    is: z.enum(PRESENCES).describe('The new presence. The newest report of any program or person holds.'),
  }),
  (issue) => (issue.code === 'unrecognized_keys' && hasCoordinates(issue['keys']) ? NO_COORDINATES : undefined),
)

function hasCoordinates(keys: unknown): boolean {
  return Array.isArray(keys) && keys.some((key) => COORDINATES.test(String(key)))
}

export const people = {
  'persons.list': endpoint('GET', '/v1/persons', {
    summary: 'The presence of the home’s people, as far as the integration shows them',
    spec: '2.3; docs/devices.md#presence',
    subject: 'people',
    answer: PeopleShape,
  }),
  'presence.report': endpoint('PUT', '/v1/persons/{id}/presence', {
    configures: true,
    summary: 'Report the presence of a person; needs a permission for this person',
    spec: '2.4; docs/devices.md#presence',
    subject: 'person',
    body: PresenceBody,
    answer: looseObject(() => ({ person: PersonId, ...presence })),
    errors: ['not_offered'],
  }),
} as const
