import type { Passkey, Site, Passkeys } from '../auth/persons/passkeys.ts'
import type { Person } from '../auth/persons/person.ts'
import type { Persons } from '../auth/persons/persons.ts'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { UntilStored } from '../auth/credentials/until-stored.ts'
import type { Refuse } from '../api/errors.ts'
import type { passkeyEndpoints, PasskeyView } from './contract/passkeys.ts'
import { unlessStored } from './credentials.ts'
import type { AdminBy, AdminHandlersOf } from './dispatch.ts'

export interface PasskeyAdminParts {
  readonly passkeys: Passkeys
  readonly persons: Pick<Persons, 'get'>
  readonly sessions: Pick<ConsoleSessions, 'state' | 'proved'>
  readonly home: () => string
  /** For what ends although the disk takes no writes. */
  readonly unstored: Pick<UntilStored, 'ends'>
}

/** Passkeys, as persons make and remove them in a session. */
export function passkeyAdminHandlers(parts: PasskeyAdminParts): AdminHandlersOf<typeof passkeyEndpoints> {
  const { passkeys, persons, sessions, unstored } = parts
  return {
    'passkeys.list': () => ({ passkeys: passkeys.list().map(passkeyView) }),
    'passkeys.options': ({ by, refuse }) => {
      const { person, site } = makerOf(by, parts, refuse)
      const options = passkeys.creation(person, site, parts.home())
      return options.ok ? { options: options.value } : refuse('validation', { message: options.error })
    },
    'passkeys.create': async ({ body, by, cause, refuse }) => {
      const { person, site } = makerOf(by, parts, refuse)
      const made = await passkeys.add({ person, name: body.name, cause }, body.passkey, site, by.holds)
      // Its device asked for a finger, a face or a PIN.
      if (made.ok && by.session) sessions.proved(by.session)
      if (made.ok) return { passkey: passkeyView(made.value) }
      return refuse(by.holds() ? 'validation' : 'unauthorized', { message: made.error })
    },
    'passkeys.delete': ({ params, cause, refuse }) => {
      const nameOf = (person: string): string => persons.get(person)?.name ?? person
      const ending = passkeys.ending(params.id, nameOf, cause)
      if (ending) return { deleted: params.id, ...unlessStored(unstored.ends(ending)) }
      return refuse('not_found', { message: `There is no passkey ${params.id}.` })
    },
  }
}

/** Whose passkey a browser may make, and at which site. */
function makerOf(
  { session, site }: AdminBy,
  { sessions }: PasskeyAdminParts,
  refuse: Refuse,
): { readonly person: Person; readonly site: Site } {
  if (session === null || site === null)
    return refuse('validation', { message: 'Passkeys are made in the console, by the browser that keeps them.' })
  const person = sessions.state(session)?.person
  if (person) return { person, site }
  return refuse('validation', { message: 'Give a name first: a passkey is a person’s.' })
}

function passkeyView({ id, person, name, site, createdAt, usedAt }: Passkey): PasskeyView {
  return { id, person, name, site, createdAt, usedAt }
}
