import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/events.ts'
import type { ChangePart, UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import type { PersonSession } from './console-sessions.ts'
import {
  endingWith,
  nameFor,
  type SessionStore,
  type StoredSession,
  END_REASONS,
  type EndedSessions,
  type OneTimeLinks,
} from './console-session.ts'
import {
  isAdministrator,
  OWNER_CHANGED,
  type Person,
  PERSON_ID_LENGTH,
  PERSONS_MAX,
  type PersonStore,
  SETUP_CODE_ID,
} from './person.ts'
import type { PasskeyStore } from './passkeys.ts'
import type { Passwords } from './password.ts'

/** Prefix of names in the activity for the command line and for sessions without a person. */
const RESERVED = /^administrator \(/i
const REMOVED = 'This person was removed.'
const SESSION_ENDED = 'The session has ended: sign in again.'

export interface PersonsParts {
  readonly persons: PersonStore
  readonly sessions: Pick<SessionStore, 'get' | 'list' | 'remove' | 'subscribed' | 'setPerson' | 'hold'>
  readonly passkeys: Pick<PasskeyStore, 'list' | 'hold'>
  readonly links: Pick<OneTimeLinks, 'drop'>
  readonly reasons: EndedSessions
  readonly passwords: Passwords
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Receives the ids of ended persons and sessions before the response is sent. */
  readonly ended: (ids: readonly string[]) => void
}

/** A new person. */
interface NewPerson {
  readonly name: string
  readonly password: string | null
  /** Makes the record of a member with this id; null for an administrator. The error is a sentence. */
  readonly record?: ((person: string) => Result<MemberRecord, string>) | null
}

/** The record of a new member, and its creation. */
export interface MemberRecord {
  readonly made: { readonly id: string }
  readonly part: ChangePart
}

/** Administrators and members of the home: creating them, setting passwords, removing them. */
export class Persons {
  readonly #parts: PersonsParts

  constructor(parts: PersonsParts) {
    this.#parts = parts
  }

  list(): readonly Person[] {
    return this.#parts.persons.list()
  }

  get(id: string): Person | undefined {
    return this.#parts.persons.get(id)
  }

  administrators(): readonly Person[] {
    return this.list().filter(isAdministrator)
  }

  /** True if an administrator can sign in with a password or passkey. */
  get hasAccount(): boolean {
    const all = this.administrators()
    const ids = all.map(({ id }) => id)
    return (
      all.some(({ password }) => password !== null) ||
      this.#parts.passkeys.list().some(({ person }) => ids.includes(person))
    )
  }

  byName(name: string): Person | undefined {
    const same = (other: string): boolean => other.localeCompare(name, 'en', { sensitivity: 'accent' }) === 0
    return this.list().find((person) => same(person.name))
  }

  /**
   * Creates an administrator, or a member with a record. The error is one sentence. The caller's `session` becomes the
   * administrator's if it has no person yet. The first administrator ends the set-up code and all other sessions
   * without a person.
   */
  async create(
    { name, password, record = null }: NewPerson,
    cause: Cause,
    session: PersonSession | null,
  ): Promise<Result<Person, string>> {
    if (RESERVED.test(name))
      return fail('name: must not begin with “administrator (”, which is reserved for callers without an account.')
    const hash = password === null ? null : await this.#parts.passwords.hash(password)
    if (this.#hasEnded(session)) return fail(SESSION_ENDED)
    if (this.byName(name)) return fail(`name: there is already a person called ${name}.`)
    if (this.list().length >= PERSONS_MAX) return fail(`A home has at most ${PERSONS_MAX} persons.`)
    const { clock, random } = this.#parts
    const id = randomId(random, PERSON_ID_LENGTH)
    const made = record?.(id) ?? null
    if (made !== null && !made.ok) return made
    const integration = made?.value.made.id ?? null
    const person: Person = { id, name, password: hash, twoFactors: false, createdAt: clock.now(), integration }
    if (made === null) this.#addAdministrator(person, cause, session)
    else this.#addMember(person, made.value.part, cause)
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok(person)
  }

  #addMember(person: Person, record: ChangePart, cause: Cause): void {
    this.#parts.work.change((note) => {
      record.store(note)
      this.#parts.persons.insert(person)
      note(administrationEntry(this.#parts.clock, `member ${person.name} created`, cause))
    })
    record.apply()
  }

  #addAdministrator(person: Person, cause: Cause, session: PersonSession | null): void {
    const { work, persons, sessions } = this.#parts
    const { name } = person
    const nameless = this.administrators().length === 0 ? this.#namelessBut(session) : []
    const ending = this.#stored(nameless)
    const unnamed = session !== null && sessions.get(session.id)?.person === null ? session : null
    work.change((record) => {
      persons.insert(person)
      for (const id of nameless) sessions.remove(id)
      if (unnamed) sessions.setPerson(unnamed.id, person.id)
      record(
        administrationEntry(
          this.#parts.clock,
          `administrator ${name} created`,
          unnamed ? { source: 'person', name } : cause,
        ),
      )
    })
    for (const session of ending) this.#parts.reasons.remember(session, END_REASONS.firstAccount(name))
    this.#parts.links.drop(nameless, null)
    this.#parts.ended([SETUP_CODE_ID, ...nameless])
  }

  /** Sets whether a new browser needs a code of a signed-in one beside the password. */
  setTwoFactors({ id, name }: Person, twoFactors: boolean, cause: Cause): void {
    const { work, persons, clock, changes } = this.#parts
    if (persons.get(id)?.twoFactors === twoFactors) return
    work.change((record) => {
      persons.setTwoFactors(id, twoFactors)
      const what = `${name} signs in by ${twoFactors ? 'password and code' : 'password alone'}`
      record(administrationEntry(clock, what, cause))
    })
    changes.emit(OWNER_CHANGED)
  }

  /**
   * Sets a password. Ends the person's sessions and links and the sessions started by them, except `keep`, the caller's
   * own. The error is one sentence.
   */
  async setPassword(
    person: Person,
    password: string,
    cause: Cause,
    keep: PersonSession | null,
  ): Promise<Result<null, string>> {
    const hash = await this.#parts.passwords.hash(password)
    if (this.#hasEnded(keep)) return fail(SESSION_ENDED)
    if (this.get(person.id) === undefined) return fail(REMOVED)
    const { work, persons, links } = this.#parts
    const own = this.#sessionsOf(person)
    const ending = this.#endingWith(person, keep)
    const stored = this.#stored(ending)
    work.change((record) => {
      persons.setPassword(person.id, hash)
      for (const id of ending) this.#parts.sessions.remove(id)
      record(administrationEntry(this.#parts.clock, `password of ${person.name} set`, cause))
    })
    this.#remember(stored, person, END_REASONS.password(person.name))
    links.drop([...own, ...ending], person.id)
    this.#parts.ended(ending)
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok(null)
  }

  /**
   * Removal of a person with their password, passkeys, sessions and links, and the sessions started by their links.
   * `also` belongs to the same transaction.
   */
  revocation(person: Person, cause: Cause, also: () => readonly ChangePart[] = () => []): Revocation {
    const { id, name } = person
    const { work, persons, passkeys, sessions, links } = this.#parts
    const ending = this.#endingWith(person, null)
    const stored = this.#stored(ending)
    const change = (): void => {
      const parts = also()
      work.change((record) => {
        for (const session of ending) sessions.remove(session)
        persons.remove(id)
        const role = isAdministrator(person) ? 'administrator' : 'member'
        record(administrationEntry(this.#parts.clock, `${role} ${name} removed`, cause))
        for (const part of parts) part.store(record)
      })
      for (const part of parts) part.apply()
    }
    const hold = (): void => {
      const own = passkeys.list().filter((session) => session.person === id)
      passkeys.hold(own.map((session) => session.id))
      sessions.hold(ending)
      persons.hold([id])
    }
    const over = (): void => {
      this.#remember(stored, person, END_REASONS.removed(person))
      links.drop(ending, id)
      this.#parts.ended([id, ...ending])
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold, over })
  }

  /** True if a session ended, for example while a password was hashed. */
  #hasEnded(session: PersonSession | null): boolean {
    return session !== null && this.#parts.sessions.get(session.id) === undefined
  }

  #namelessBut(session: PersonSession | null): readonly string[] {
    return this.#parts.sessions
      .list()
      .filter(({ id, person, integration }) => person === null && integration === null && id !== session?.id)
      .map(({ id }) => id)
  }

  #endingWith(person: Person, keep: PersonSession | null): readonly string[] {
    const all = new Set([...this.#sessionsOf(person), ...this.#parts.sessions.subscribed(person.id)])
    const own = [...all].filter((id) => id !== keep?.id)
    return endingWith(this.#parts.sessions.list(), own, person.id, keep?.id)
  }

  #stored(ids: readonly string[]): readonly StoredSession[] {
    return this.#parts.sessions.list().filter(({ id }) => ids.includes(id))
  }

  /** Remembers the end reasons of a person's sessions and of sessions started by their links. */
  #remember(ended: readonly StoredSession[], person: Person, own: string): void {
    for (const session of ended)
      this.#parts.reasons.remember(
        session,
        session.person === person.id
          ? own
          : END_REASONS.link(nameFor(session, this.get(session.person ?? ''), person.name)),
      )
  }

  #sessionsOf({ id }: Person): readonly string[] {
    return this.#parts.sessions
      .list()
      .filter(({ person }) => person === id)
      .map((session) => session.id)
  }
}
