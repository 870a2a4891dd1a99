import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'
import { LINK_MS, recordIdOf, type ValidSession } from '../auth/persons/console-session.ts'
import type { Passwords } from '../auth/persons/password.ts'
import { isAdministrator, type Person } from '../auth/persons/person.ts'
import type { Persons } from '../auth/persons/persons.ts'
import { SIGN_IN_CODE_MS, type SignInCodes } from '../auth/persons/sign-in-codes.ts'
import type { SignIn, SignInFailure } from '../auth/persons/sign-in.ts'
import type { PinFailure, TabletPins } from '../auth/persons/tablet-pins.ts'
import type { Clock } from '../lib/clock.ts'
import type { Refuse } from '../api/errors.ts'
import type { RefusalDetails } from '../wire/errors.ts'
import type { consoleEndpoints, ConsoleSessionView, PersonView } from './contract/console.ts'
import { unlessStored } from './credentials.ts'
import { type AdminCaller, type AdminContent, type AdminHandlersOf, isOwn } from './dispatch.ts'
import { type MemberParts, personRemoval, recordFor } from './members.ts'
import type { Presences } from '../home/live/presences.ts'
import { presenceView } from './presence.ts'
import { type ReferringRules, releasedBy, userWords } from './removal.ts'
import type { Passkey, Passkeys, PasskeySite } from '../auth/persons/passkeys.ts'
import type { PendingRevocations } from '../auth/credentials/pending-revocations.ts'
import type { passkeyEndpoints, PasskeyView } from './contract/passkeys.ts'

export interface ConsoleAdminParts extends PasskeyAdminParts, MemberParts {
  readonly clock: Clock
  readonly codes: Pick<SignInCodes, 'make'>
  readonly pins: Pick<TabletPins, 'has' | 'prove'>
  readonly gateway: string
  readonly persons: Persons
  readonly presences: Pick<Presences, 'of'>
  readonly rules: ReferringRules & MemberParts['rules']
  readonly passwords: Pick<Passwords, 'busy'>
  readonly sessions: ConsoleSessions
  readonly signIn: Pick<SignIn, 'prove' | 'proveByPasskey' | 'proofRequest'>
  /** Addresses of the console, one for each name and address of the gateway; empty if the console is off. */
  readonly addresses: () => readonly string[]
}

const WRONG_PASSWORD = 'This is not your password. Try again.'
const NO_PASSWORD = 'You have no password: open a new link from an administrator or from `bin/hm console`.'
const NO_TABLET = 'Only a wall tablet has a PIN.'
const PIN_RESTS = 'Too many wrong PINs were entered. Wait, or ask an administrator for a new PIN.'
const PIN_WORDS: { readonly [F in Extract<PinFailure, string>]: string } = {
  no_pin: 'This tablet has no PIN, so it opens nothing. An administrator can set one.',
  wrong: 'This is not the PIN of the tablet. Try again.',
}
const NO_SESSION = 'The socket file has no session: this request is for the pages of the console.'
const NO_ACCOUNT = 'Create your account first: a code is for a person with an account.'
const NO_PASSKEY = 'You have no passkey for this name of the gateway.'

type Handlers = AdminHandlersOf<typeof consoleEndpoints>
type SessionNames = Extract<keyof Handlers, `session${string}`>

/** Handlers for persons, their sessions, one-time links and passkeys. */
export function consoleAdminHandlers(parts: ConsoleAdminParts): Handlers & ReturnType<typeof passkeyAdminHandlers> {
  return { ...sessionHandlers(parts), ...personHandlers(parts), ...passkeyAdminHandlers(parts) }
}

function sessionHandlers(parts: ConsoleAdminParts): Pick<Handlers, SessionNames> {
  const { sessions, signIn, unstored } = parts
  return {
    'session.show': ({ by }) => shownSession(by, parts),
    'session.change': ({ body, by: { session }, cause, refuse }) => {
      if (session === null) return refuse('validation', { message: NO_SESSION })
      sessions.setOwnDevice(session, body.ownDevice, cause)
      const own = sessions.list().find(({ stored }) => stored.id === session.id)
      return own ? { session: sessionView(own, session, sessions) } : refuse('internal')
    },
    'session.code': ({ by: { session }, refuse }) => {
      const person = session && sessions.state(session)?.person
      if (!person) return refuse('validation', { message: NO_ACCOUNT })
      return { code: parts.codes.make(person.id), expiresAt: parts.clock.now() + SIGN_IN_CODE_MS }
    },
    // The route has noticed the use, like that of every write.
    'session.use': () => ({ used: true }),
    'session.challenge': ({ by: { session, site }, refuse }) => {
      const options = session && site && signIn.proofRequest(session, site)
      return options ? { options } : refuse('unauthorized', { message: NO_PASSKEY })
    },
    'session.prove': async ({ body, by, refuse }) => {
      const { session, site } = by
      if (session === null || site === null) return refuse('validation', { message: NO_SESSION })
      if ('pin' in body) return provedByPin(session, body.pin, parts, refuse)
      if ('password' in body && !by.hasPassword) return refuse('unauthorized', { message: NO_PASSWORD })
      const proved = await ('password' in body
        ? signIn.prove(session, body.password)
        : signIn.proveByPasskey(session, body.passkey, site))
      if (proved.ok) return { fresh: true }
      if (proved.error === 'wrong') return refuse('unauthorized', { message: WRONG_PASSWORD })
      const { code, details } = signInRefusal(proved.error)
      return refuse(code, details)
    },
    'sessions.list': ({ by }) => ({
      sessions: sessions
        .list()
        .filter(({ stored }) => isOwn(by, stored.person))
        .map((session) => sessionView(session, by.session, sessions)),
    }),
    'sessions.end': ({ params, by, cause, refuse }) => {
      const isShown = sessions.list().some(({ stored }) => stored.id === params.id && isOwn(by, stored.person))
      const revocation = isShown || by.member === null ? sessions.revocation(params.id, cause) : null
      return revocation
        ? { ended: params.id, ...unlessStored(unstored.revoke(revocation)) }
        : refuse('not_found', { message: `There is no session ${params.id}.` })
    },
  }
}

/** The session of a request, as the console reads it first. */
function shownSession(
  by: AdminCaller,
  parts: ConsoleAdminParts,
): AdminContent<(typeof consoleEndpoints)['session.show']> {
  const { sessions, passkeys, pins } = parts
  const own = sessions.list().find(({ stored }) => stored.id === by.session?.id) ?? null
  const person = own?.stored.person ?? null
  return {
    session: own ? sessionView(own, by.session, sessions) : null,
    ...roleAndRecord(own, parts),
    fresh: by.fresh,
    gateway: parts.gateway,
    home: parts.home(),
    comesBack: by.hasPassword || (person !== null && passkeys.list().some((passkey) => passkey.person === person)),
    twoFactors: own?.person?.twoFactors === true,
    proofs: { password: by.hasPassword, passkey: by.hasPasskey, pin: pins.has(own?.stored.integration ?? '') },
  }
}

function personHandlers(parts: ConsoleAdminParts): Omit<Handlers, SessionNames> {
  const { persons, unstored } = parts
  return {
    'persons.list': () => ({ persons: persons.list().map((person) => personView(person, parts)) }),
    'persons.create': async ({ body, by, cause, refuse }) => {
      refuseBusy(parts, refuse)
      const record = recordFor(body, parts, cause, refuse)
      const made = await persons.create({ name: body.name, password: body.password ?? null, record }, cause, by.session)
      if (made.ok && body.password !== undefined) provedBy(by, made.value, parts)
      if (made.ok) return { person: personView(made.value, parts) }
      return refuse(by.holds() ? 'validation' : 'unauthorized', { message: made.error })
    },
    'persons.password': async ({ params, body, by, cause, refuse }) => {
      refuseBusy(parts, refuse)
      const person = personOf(params.id, by, parts, refuse)
      const set = await persons.setPassword(person, body.password, cause, by.session)
      if (!set.ok) refuse(by.holds() ? 'not_found' : 'unauthorized', { message: set.error })
      provedBy(by, person, parts)
      return { person: personView(persons.get(person.id) ?? person, parts) }
    },
    'persons.factors': ({ params, body, by, cause, refuse }) => {
      const person = personOf(params.id, by, parts, refuse)
      persons.setTwoFactors(person, body.two, cause)
      return { person: personView(persons.get(person.id) ?? person, parts) }
    },
    'persons.delete': ({ params, query, by, cause, refuse }) => {
      const person = personOf(params.id, by, parts, refuse)
      // Without any administrator, the set-up code on the appliance's label would open the home again.
      if (isAdministrator(person) && persons.administrators().length === 1)
        return refuse('validation', { message: 'The last administrator cannot be removed: create another one first.' })
      const released = releasedBy({ query, cause, refuse }, ['people', person.id, 'person'], parts.rules)
      const { revocation, ending } = personRemoval(person, parts, cause, released)
      return { deleted: params.id, ...ending, ...unlessStored(unstored.revoke(revocation)) }
    },
    'links.create': ({ body, by, cause, refuse }) => {
      const places = parts.addresses()
      if (places.length === 0)
        return refuse('validation', { message: 'The console is off: start the gateway with HM_CONSOLE=on.' })
      const person = body.person === undefined ? null : persons.byName(body.person)
      if (person === undefined)
        return refuse('not_found', { message: `Nobody with an account is called ${body.person}.` })
      const code = parts.sessions.makeLink(person, cause, by.session)
      return { links: places.map((place) => `${place}#${code}`), expiresAt: parts.clock.now() + LINK_MS }
    },
  }
}

/** Checks the PIN of a wall tablet. */
async function provedByPin(
  session: PersonSession,
  pin: string,
  { sessions, pins }: Pick<ConsoleAdminParts, 'sessions' | 'pins'>,
  refuse: Refuse<'unauthorized' | 'rate_limited'>,
): Promise<{ fresh: boolean }> {
  const tablet = sessions.state(session)?.stored.integration ?? null
  const proved = tablet === null ? null : await pins.prove(session, tablet, pin)
  if (proved === null) return refuse('validation', { message: NO_TABLET })
  if (proved.ok) return { fresh: true }
  if (typeof proved.error === 'object') return refuse('rate_limited', { message: PIN_RESTS, ...proved.error })
  return refuse('unauthorized', { message: PIN_WORDS[proved.error] })
}

/** Marks a session as fresh after its person has set their own password in it. */
function provedBy({ session }: AdminCaller, { id }: Person, { sessions }: ConsoleAdminParts): void {
  if (session !== null && sessions.state(session)?.person?.id === id) sessions.proved(session)
}

/** Refusal of a failed sign-in, with the next step. */
export function signInRefusal(failure: SignInFailure): {
  readonly code: 'unauthorized' | 'rate_limited'
  readonly details: RefusalDetails
} {
  if (failure === 'link_unknown') {
    const message = 'This link was already used, has expired or is unknown: ask an administrator for a new one.'
    return { code: 'unauthorized', details: { message } }
  }
  if (failure === 'wrong') return { code: 'unauthorized', details: { message: 'Name or password is wrong.' } }
  if (failure === 'code_wrong' || failure === 'code_needed') {
    const message = 'This code is wrong, was already used, or is older than five minutes: show a new one.'
    return { code: 'unauthorized', details: { message } }
  }
  if (failure === 'passkey_unknown')
    return {
      code: 'unauthorized',
      details: { message: 'This passkey is unknown, or it is for another name of the gateway.' },
    }
  const message = 'Too many passwords or passkeys were tried. Wait, or ask an administrator for a new link.'
  return { code: 'rate_limited', details: { message, retryAfter: failure.retryAfter } }
}

function refuseBusy({ passwords }: ConsoleAdminParts, refuse: Refuse<'overloaded'>): void {
  if (passwords.busy) refuse('overloaded')
}

function personOf(id: string, by: AdminCaller, { persons }: ConsoleAdminParts, refuse: Refuse<'not_found'>): Person {
  const person = isOwn(by, id) ? persons.get(id) : undefined
  return person ?? refuse('not_found', { message: `There is no person ${id}.` })
}

/** Role of a session, and its record. */
function roleAndRecord(
  session: ValidSession | null,
  { integrations }: Pick<ConsoleAdminParts, 'integrations'>,
): Pick<AdminContent<(typeof consoleEndpoints)['session.show']>, 'role' | 'record'> {
  const record = integrations.get((session && recordIdOf(session)) ?? '')
  if (record === undefined) return { role: 'administrator', record: null }
  const { id, knobs: settings, opening = 'yes', people = 'none', exposure } = record
  const mode = exposure.expose === 'All' || exposure.picks.some(({ kind }) => kind === 'mode')
  const role = record.kind === 'tablet' ? 'tablet' : 'member'
  const time = { until: record.until ?? null, hours: [...(record.hours ?? [])] }
  return { role, record: { id, settings, opening, people, mode, ...time } }
}

function personView(
  { id, name, password, twoFactors = false, createdAt, integration }: Person,
  { presences, rules }: Pick<ConsoleAdminParts, 'presences' | 'rules'>,
): PersonView {
  const usedBy = userWords('people', id, rules)
  return {
    ...{ id, name, hasPassword: password !== null, twoFactors, createdAt, integration, usedBy },
    role: integration === null ? 'administrator' : 'member',
    presence: presenceView(id, presences),
  }
}

function sessionView(
  { stored, usedAt }: ValidSession & { readonly usedAt: number },
  current: AdminCaller['session'] | PersonSession,
  sessions: ConsoleSessions,
): ConsoleSessionView {
  const { id, person, ownDevice, browser, peer, createdAt } = stored
  const { name } = sessions.causeOf(stored)
  return { id, person, name, own: id === current?.id, ownDevice, browser, peer, createdAt, usedAt }
}

export interface PasskeyAdminParts {
  readonly passkeys: Passkeys
  readonly persons: Pick<Persons, 'get'>
  readonly sessions: Pick<ConsoleSessions, 'state' | 'proved'>
  readonly home: () => string
  /** Ends things while the disk accepts no writes. */
  readonly unstored: Pick<PendingRevocations, 'revoke'>
}

/** Handlers for passkeys, which persons create and remove in a session. */
export function passkeyAdminHandlers(parts: PasskeyAdminParts): AdminHandlersOf<typeof passkeyEndpoints> {
  const { passkeys, persons, sessions, unstored } = parts
  return {
    'passkeys.list': ({ by }) => ({
      passkeys: passkeys
        .list()
        .filter(({ person }) => isOwn(by, person))
        .map(passkeyView),
    }),
    'passkeys.options': ({ by, refuse }) => {
      const { person, site } = passkeyOwner(by, parts, refuse)
      const options = passkeys.creation(person, site, parts.home())
      return options.ok ? { options: options.value } : refuse('validation', { message: options.error })
    },
    'passkeys.create': async ({ body, by, cause, refuse }) => {
      const { person, site } = passkeyOwner(by, parts, refuse)
      const made = await passkeys.add({ person, name: body.name, cause }, body.passkey, site, by.holds)
      // The device has checked a finger, a face or a PIN.
      if (made.ok && by.session) sessions.proved(by.session)
      if (made.ok) return { passkey: passkeyView(made.value) }
      return refuse(by.holds() ? 'validation' : 'unauthorized', { message: made.error })
    },
    'passkeys.delete': ({ params, by, cause, refuse }) => {
      const nameOf = (person: string): string => persons.get(person)?.name ?? person
      const isShown = passkeys.list().some(({ id, person }) => id === params.id && isOwn(by, person))
      const revocation = isShown ? passkeys.revocation(params.id, nameOf, cause) : null
      if (revocation) return { deleted: params.id, ...unlessStored(unstored.revoke(revocation)) }
      return refuse('not_found', { message: `There is no passkey ${params.id}.` })
    },
  }
}

/** The person and site of a new passkey. */
function passkeyOwner(
  { session, site }: AdminCaller,
  { sessions }: PasskeyAdminParts,
  refuse: Refuse,
): { readonly person: Person; readonly site: PasskeySite } {
  if (session === null || site === null)
    return refuse('validation', { message: 'Create passkeys in the console, in the browser that will store them.' })
  const person = sessions.state(session)?.person
  if (person) return { person, site }
  return refuse('validation', { message: 'Create your account first: a passkey belongs to a person.' })
}

function passkeyView({ id, person, name, site, createdAt, usedAt }: Passkey): PasskeyView {
  return { id, person, name, site, createdAt, usedAt }
}
