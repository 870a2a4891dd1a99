import { z } from 'zod'
import { PASSWORD_LENGTH } from '../../auth/persons/password.ts'
import { epochMs, text, textOrNull, whether, shape, named } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { RequestOptions, ShownPasskey } from './passkeys.ts'
import { unstored } from './shapes.ts'

export const Password = z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max).describe('A password. A secret.')

const Person = named('Person', 'Somebody who administers the home by name.', {
  id: text('The id of the person.'),
  name: text('What the person is called: changes of theirs are logged under it.'),
  hasPassword: whether('Whether they can sign in with a password.'),
  createdAt: epochMs('When they were made an administrator.'),
})
export type PersonView = Plain<z.output<typeof Person>>

const ConsoleSession = named('ConsoleSession', 'A browser that is signed in.', {
  id: text('The id of the session.'),
  person: textOrNull('The id of its person; null: it was opened by a one-time link, and nobody gave a name.'),
  name: text('As the activity log names who does something in it.'),
  own: whether('Whether it is the one that asks.'),
  ownDevice: whether('Whether it was begun on a device of the person’s own, and lasts longer.'),
  browser: text('What the browser calls itself.'),
  peer: text('The address that it began from.'),
  createdAt: epochMs('When it began.'),
  usedAt: epochMs('When it was last used.'),
})
export type ConsoleSessionView = Plain<z.output<typeof ConsoleSession>>

/** Persons, their sessions, and the links that let them in. */
export const consoleEndpoints = {
  'session.show': endpoint('GET', '/admin/v1/session', {
    summary: 'The session that asks; over the socket file there is none',
    answer: z.looseObject({
      session: ConsoleSession.nullable(),
      fresh: whether('Whether what is dangerous may be done without showing a password again.'),
      gateway: text('The id of the gateway: its serial.'),
      home: text('The name of the home.'),
      comesBack: whether(
        'Whether its person can sign in again without a link: has a password, or a passkey for any name of the gateway.',
      ),
      proofs: shape('What the person of the session can show again.', {
        password: whether('A password.'),
        passkey: whether('A passkey, at this very name of the gateway.'),
      }),
    }),
  }),
  'session.change': endpoint('PATCH', '/admin/v1/session', {
    summary: 'Say whether this browser is on a device of one’s own, where a session lasts longer',
    stepUp: (body) => (body as { readonly ownDevice: boolean }).ownDevice,
    body: z.strictObject({
      ownDevice: whether('Whether it is: then it ends after 30 days without use, else after 12 hours.'),
    }),
    answer: z.looseObject({ session: ConsoleSession }),
  }),
  'session.challenge': endpoint('POST', '/admin/v1/session/challenge', {
    summary: 'What the browser takes to show a passkey of the session’s person once more',
    answer: z.looseObject({ options: RequestOptions }),
    errors: ['unauthorized'],
  }),
  'session.prove': endpoint('POST', '/admin/v1/session/proof', {
    summary: 'Show the password or a passkey of the session’s person once more',
    body: z.union([
      z
        .strictObject({ password: z.string().max(PASSWORD_LENGTH.max).describe('Theirs. A secret.') })
        .meta({ id: 'PasswordProof', description: 'The password.' }),
      z.strictObject({ passkey: ShownPasskey }).meta({ id: 'PasskeyProof', description: 'A passkey.' }),
    ]),
    answer: z.looseObject({ fresh: whether('True: what is dangerous may be done for five minutes.') }),
    errors: ['unauthorized', 'rate_limited'],
  }),
  'sessions.list': endpoint('GET', '/admin/v1/sessions', {
    summary: 'Browsers that are signed in, the last used first',
    answer: z.looseObject({ sessions: z.array(ConsoleSession) }),
  }),
  'sessions.end': endpoint('DELETE', '/admin/v1/sessions/{id}', {
    summary: 'End a session at once, also one’s own',
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ ended: text('The id of the session.'), ...unstored }),
    errors: ['not_found'],
  }),
  'persons.list': endpoint('GET', '/admin/v1/persons', {
    summary: 'The persons who administer the home',
    answer: z.looseObject({ persons: z.array(Person) }),
  }),
  'persons.create': endpoint('POST', '/admin/v1/persons', {
    summary: 'Make an administrator; a session that has no name yet becomes theirs',
    status: 201,
    stepUp: 'unless_first',
    body: z.strictObject({ name: PlainName, password: Password.optional() }),
    answer: z.looseObject({ person: Person }),
    errors: ['overloaded', 'unauthorized'],
  }),
  'persons.password': endpoint('PUT', '/admin/v1/persons/{id}/password', {
    summary: 'Give a new password; all other sessions of the person end',
    stepUp: 'unless_first',
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    body: z.strictObject({ password: Password }),
    answer: z.looseObject({ person: Person }),
    errors: ['not_found', 'overloaded', 'unauthorized'],
  }),
  'persons.delete': endpoint('DELETE', '/admin/v1/persons/{id}', {
    summary: 'Remove an administrator with all sessions of theirs',
    stepUp: true,
    params: z.strictObject({ id: z.string().min(1).max(20) }),
    answer: z.looseObject({ deleted: text('The id of the person.'), ...unstored }),
    errors: ['not_found'],
  }),
  'links.create': endpoint('POST', '/admin/v1/links', {
    summary: 'Make a one-time link into the console, for a person or for nobody by name',
    status: 201,
    stepUp: true,
    body: z.strictObject({
      person: z.string().max(64).optional().describe('The name of a person, who comes in as themselves.'),
    }),
    answer: z.looseObject({
      links: z.array(z.string()).describe('The same link at each address of the gateway. Secrets.'),
      expiresAt: epochMs('Until when it opens, once.'),
    }),
    errors: ['not_found'],
  }),
} as const
