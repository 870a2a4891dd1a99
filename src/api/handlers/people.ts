import type { Presences } from '../../home/live/presences.ts'
import type { HeldPresence } from '../../home/model/events.ts'
import { ANYONE, type HomePerson } from '../../home/model/presence.ts'
import type { AnswerOf } from '../contract-client.ts'
import type { people as contract } from '../contract/people.ts'
import type { HandlersOf } from '../handler.ts'

interface PeopleParts {
  readonly presences: Pick<Presences, 'of' | 'report'>
}

/** Presence of the home's people. Views that hide them get the answer of an unknown path before. */
export function peopleHandlers({ presences }: PeopleParts): HandlersOf<typeof contract> {
  return {
    'persons.list': ({ view: { people } }) =>
      peopleJson(
        presences.of(ANYONE),
        people.map((person) => ({ ...person, ...presences.of(person.id) })),
      ),
    'presence.report': ({ subject: person, body: { is }, cause }) => {
      presences.report(person, is, cause)
      return { person, ...presenceJson(presences.of(person)) }
    },
  }
}

type PeopleJson = AnswerOf<(typeof contract)['persons.list']>

const presenceJson = ({ is, since }: HeldPresence): PeopleJson['anyone'] => ({ is, since })

/** Presences in answers and events. */
export function peopleJson(anyone: HeldPresence, persons: readonly (HomePerson & HeldPresence)[]): PeopleJson {
  return {
    anyone: presenceJson(anyone),
    persons: persons.map(({ id, name, ...presence }) => ({ id, name, ...presenceJson(presence) })),
  }
}
