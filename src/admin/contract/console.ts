import { z } from 'zod'
import { PASSWORD_LENGTH } from '../../auth/persons/password.ts'
import { epochMs, text, textOrNull, whether, shape, named } from '../../api/contract/fields.ts'
import { Settings, SomeSettings } from '../../api/contract/knobs.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { endpoint, type Plain } from '../../api/contract/endpoint.ts'
import { RequestOptions, ShownPasskey } from './passkeys.ts'
import { Expose, Hours, leaveEnds, OpeningShape, People, Until } from './integrations.ts'
import { PresenceShape } from './presence.ts'
import { force, unstored, UsedBy } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

export const Password = z.string().min(PASSWORD_LENGTH.min).max(PASSWORD_LENGTH.max).describe('A password. A secret.')

const ROLES = ['administrator', 'member'] as const

const Person = named('Person', 'An administrator or a member of the home.', () => ({
  id: text('The id of the person.'),
  name: text("Name of the person, also in the log of the person's changes."),
  hasPassword: whether('True if the person has a password.'),
  twoFactors: whether('True if a new browser needs a code of a signed-in one beside the password.'),
  role: z.enum(ROLES).describe('An administrator may do everything, a member what the record shows and allows.'),
  integration: textOrNull("The id of the member's record; null for an administrator."),
  createdAt: epochMs('Time of creation.'),
  presence: PresenceShape,
  usedBy: UsedBy,
}))
export type PersonView = Plain<z.output<typeof Person>>

const ConsoleSession = named('ConsoleSession', 'A browser that is signed in.', () => ({
  id: text('The id of the session.'),
  person: textOrNull('The id of its person; null for a session from a one-time link without an account.'),
  name: text('Name for its changes in the activity.'),
  own: whether('True for the session of this request.'),
  ownDevice: whether("True for a longer session on the person's own device."),
  browser: text('Name of the browser.'),
  peer: text('Network address of its start.'),
  createdAt: epochMs('Time of its start.'),
  usedAt: epochMs('Time of its last use.'),
}))
export type ConsoleSessionView = Plain<z.output<typeof ConsoleSession>>

const NewMember = strictObject(() => ({
  expose: Expose.optional(),
  settings: SomeSettings.describe('Knobs that differ from their defaults.').optional(),
  people: People.optional(),
  opening: OpeningShape.optional(),
  until: Until.optional(),
  hours: Hours.optional(),
}))

/** Persons, their sessions, and one-time links. */
export const consoleEndpoints = {
  'session.show': endpoint('GET', '/admin/v1/session', {
    summary: 'The session of this request; null over the socket file',
    for: 'record',
    answer: looseObject(() => ({
      session: ConsoleSession.nullable(),
      role: z.enum([...ROLES, 'tablet']).describe('Role of the person, or a wall tablet.'),
      record: shape('The record of a member or wall tablet.', () => ({
        id: text('The id of the record.'),
        settings: Settings,
        opening: OpeningShape,
        people: People,
        mode: whether('True if it sees and sets the mode of the home.'),
        until: Until,
        hours: Hours,
      })).nullable(),
      fresh: whether('True if dangerous actions need no new proof now.'),
      gateway: text('The id of the gateway: its serial.'),
      home: text('The name of the home.'),
      comesBack: whether(
        'True if its person can sign in again without a link: by a password, or a passkey for any name of the gateway.',
      ),
      twoFactors: whether('True if a new browser needs a code of a signed-in one beside the password.'),
      proofs: shape('Proofs that the person of the session can show again.', () => ({
        password: whether('A password.'),
        passkey: whether('A passkey for this name of the gateway.'),
        pin: whether('The PIN of a wall tablet.'),
      })),
    })),
  }),
  'session.change': endpoint('PATCH', '/admin/v1/session', {
    summary: 'Say whether this browser is on your own device, where a session lasts longer',
    for: 'member',
    stepUp: (body) => (body as { readonly ownDevice: boolean }).ownDevice,
    body: strictObject(() => ({
      ownDevice: whether('True: the session ends after 30 days without use. False: after 12 hours.'),
    })),
    answer: looseObject(() => ({ session: ConsoleSession })),
  }),
  'session.use': endpoint('POST', '/admin/v1/session/use', {
    summary: 'Report that a person opened the console, which means home in the home network',
    for: 'record',
    answer: looseObject(() => ({ used: whether('Always true.') })),
  }),
  'session.challenge': endpoint('POST', '/admin/v1/session/challenge', {
    summary: 'Options for the browser to prove a passkey of the session’s person again',
    for: 'member',
    answer: looseObject(() => ({ options: RequestOptions })),
    errors: ['unauthorized'],
  }),
  'session.prove': endpoint('POST', '/admin/v1/session/proof', {
    summary: 'Prove the password or a passkey of the session’s person again',
    for: 'record',
    body: z.union([
      strictObject(() => ({
        password: z.string().max(PASSWORD_LENGTH.max).describe('The password of the person. A secret.'),
      })).meta({ id: 'PasswordProof', description: 'The password.' }),
      strictObject(() => ({ pin: z.string().max(20).describe('The PIN of a wall tablet. A secret.') })).meta({
        id: 'PinProof',
        description: 'The PIN of a wall tablet, which opens for 30 seconds.',
      }),
      strictObject(() => ({ passkey: ShownPasskey })).meta({ id: 'PasskeyProof', description: 'A passkey.' }),
    ]),
    answer: looseObject(() => ({ fresh: whether('True: dangerous actions are possible for five minutes.') })),
    errors: ['unauthorized', 'rate_limited'],
  }),
  'session.code': endpoint('POST', '/admin/v1/session/code', {
    summary: 'Show six digits that another browser needs beside the password; they work once',
    for: 'member',
    answer: looseObject(() => ({
      code: text('Six digits. A secret.'),
      expiresAt: epochMs('Time of expiry.'),
    })),
  }),
  'sessions.list': endpoint('GET', '/admin/v1/sessions', {
    summary: 'Signed-in browsers, last used first; those of a member alone',
    for: 'member',
    answer: looseObject(() => ({ sessions: z.array(ConsoleSession) })),
  }),
  'sessions.end': endpoint('DELETE', '/admin/v1/sessions/{id}', {
    summary: 'End a session at once, also your own',
    for: 'member',
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    answer: looseObject(() => ({ ended: text('The id of the session.'), ...unstored })),
    errors: ['not_found'],
  }),
  'persons.list': endpoint('GET', '/admin/v1/persons', {
    summary: 'The administrators and members of the home',
    answer: looseObject(() => ({ persons: z.array(Person) })),
  }),
  'persons.create': endpoint('POST', '/admin/v1/persons', {
    summary: 'Create an administrator, whose a session without a person becomes, or a member with a record',
    status: 201,
    stepUp: 'unless_first',
    body: strictObject(() => ({
      name: PlainName,
      password: Password.optional(),
      member: NewMember.describe("The member's record. It reports the member's own presence.").optional(),
    })),
    answer: looseObject(() => ({ person: Person })),
    errors: ['overloaded', 'unauthorized'],
  }),
  'persons.password': endpoint('PUT', '/admin/v1/persons/{id}/password', {
    summary: 'Set a new password; all other sessions of the person end',
    for: 'member',
    stepUp: 'unless_first',
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    body: strictObject(() => ({ password: Password })),
    answer: looseObject(() => ({ person: Person })),
    errors: ['not_found', 'overloaded', 'unauthorized'],
  }),
  'persons.factors': endpoint('PUT', '/admin/v1/persons/{id}/factors', {
    summary: 'Say whether a new browser needs a code of a signed-in one beside the password',
    for: 'member',
    stepUp: true,
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    body: strictObject(() => ({ two: whether('True: password and code. A passkey is enough by itself.') })),
    answer: looseObject(() => ({ person: Person })),
    errors: ['not_found'],
  }),
  'persons.delete': endpoint('DELETE', '/admin/v1/persons/{id}', {
    summary: 'Remove a person with their sessions; a member with the record and its agents',
    stepUp: true,
    params: strictObject(() => ({ id: z.string().min(1).max(20) })),
    ...force,
    answer: looseObject(() => ({ deleted: text('The id of the person.'), ...leaveEnds, ...unstored })),
    errors: ['not_found'],
  }),
  'links.create': endpoint('POST', '/admin/v1/links', {
    summary: 'Create a one-time link to the console, for a person or anyone',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({
      person: z.string().max(64).optional().describe('The name of the person whom the link signs in.'),
    })),
    answer: looseObject(() => ({
      links: z.array(z.string()).describe('The same link at each address of the gateway. Secrets.'),
      expiresAt: epochMs('Time of expiry; the link works once.'),
    })),
    errors: ['not_found'],
  }),
} as const
