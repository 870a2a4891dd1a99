import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import type { PersonSession } from './console-sessions.ts'
import {
  endingWith,
  type SessionStore,
  type StoredSession,
  END_REASONS,
  type EndedSessions,
  type OneTimeLinks,
} from './console-session.ts'
import { OWNER_CHANGED, type Person, PERSON_ID_LENGTH, PERSONS_MAX, type PersonStore, SETUP_CODE_ID } from './person.ts'
import type { PasskeyStore } from './passkeys.ts'
import type { Passwords } from './password.ts'

/** As the activity names the command line, and sessions without a person. */
const RESERVED = /^administrator \(/i
const REMOVED = 'This administrator was removed meanwhile.'
const ENDED = 'The session ended meanwhile: sign in again.'

export interface PersonsParts {
  readonly persons: PersonStore
  readonly sessions: Pick<SessionStore, 'get' | 'list' | 'remove' | 'setPerson' | 'hold'>
  readonly passkeys: Pick<PasskeyStore, 'list' | 'hold'>
  readonly links: Pick<OneTimeLinks, 'drop'>
  readonly reasons: EndedSessions
  readonly passwords: Passwords
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Told the ids of persons and sessions that ended, before whoever ended them is answered. */
  readonly ended: (ids: readonly string[]) => void
}

/** The persons who administer the home: made, given passwords, removed. */
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

  /** Whether anybody has an account that they can sign in to. */
  get hasAccount(): boolean {
    return this.list().some(({ password }) => password !== null) || this.#parts.passkeys.list().length > 0
  }

  byName(name: string): Person | undefined {
    const same = (other: string): boolean => other.localeCompare(name, 'en', { sensitivity: 'accent' }) === 0
    return this.list().find((person) => same(person.name))
  }

  /**
   * The error is one sentence. `session` is that of who asks, and becomes the person's where it has no name. With the
   * first administrator the set-up code ends, and every other session without a name.
   */
  async create(
    { name, password }: { readonly name: string; readonly password: string | null },
    cause: Cause,
    session: PersonSession | null,
  ): Promise<Result<Person, string>> {
    if (RESERVED.test(name)) return fail('name: must not begin with “administrator (”, which names who has no name.')
    const hash = password === null ? null : await this.#parts.passwords.hash(password)
    if (this.#hasEnded(session)) return fail(ENDED)
    if (this.byName(name)) return fail(`name: somebody called ${name} is an administrator already.`)
    if (this.list().length >= PERSONS_MAX) return fail(`A home has ${PERSONS_MAX} administrators at most.`)
    const { clock, random, work, persons, sessions } = this.#parts
    const person: Person = {
      id: randomId(random, PERSON_ID_LENGTH),
      name,
      password: hash,
      createdAt: clock.now(),
    }
    const others = this.list().length === 0 ? this.#namelessBut(session) : []
    const ending = this.#stored(others)
    const nameless = session !== null && sessions.get(session.id)?.person === null ? session : null
    work.change((record) => {
      persons.insert(person)
      for (const id of others) sessions.remove(id)
      if (nameless) sessions.setPerson(nameless.id, person.id)
      record(
        administrationEntry(
          this.#parts.clock,
          `administrator ${name} created`,
          nameless ? { source: 'person', name } : cause,
        ),
      )
    })
    for (const each of ending) this.#parts.reasons.remember(each, END_REASONS.firstAccount(name))
    this.#parts.links.drop(others, null)
    this.#parts.ended([SETUP_CODE_ID, ...others])
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok(person)
  }

  /**
   * Gives a new password; all sessions of the person and of links of theirs end but `kept`, that of who asks, and the
   * links. The error is one sentence.
   */
  async setPassword(
    person: Person,
    password: string,
    cause: Cause,
    kept: PersonSession | null,
  ): Promise<Result<null, string>> {
    const hash = await this.#parts.passwords.hash(password)
    if (this.#hasEnded(kept)) return fail(ENDED)
    if (this.get(person.id) === undefined) return fail(REMOVED)
    const { work, persons, links } = this.#parts
    const own = this.#sessionsOf(person)
    const ending = this.#endingWith(person, kept)
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
   * How a person is removed: with their password and passkeys, all sessions of theirs, those that links of theirs
   * began, and the links.
   */
  ending(person: Person, cause: Cause): Revocation {
    const { id, name } = person
    const { work, persons, passkeys, sessions, links } = this.#parts
    const ending = this.#endingWith(person, null)
    const stored = this.#stored(ending)
    const change = (): void =>
      work.change((record) => {
        for (const each of ending) sessions.remove(each)
        persons.remove(id)
        record(administrationEntry(this.#parts.clock, `administrator ${name} removed`, cause))
      })
    const hold = (): void => {
      const own = passkeys.list().filter((each) => each.person === id)
      passkeys.hold(own.map((each) => each.id))
      sessions.hold(ending)
      persons.hold([id])
    }
    const over = (): void => {
      this.#remember(stored, person, END_REASONS.removed(name))
      links.drop(ending, id)
      this.#parts.ended([id, ...ending])
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold, over })
  }

  /** Whether a session ended, as while a password was hashed. */
  #hasEnded(session: PersonSession | null): boolean {
    return session !== null && this.#parts.sessions.get(session.id) === undefined
  }

  #namelessBut(session: PersonSession | null): readonly string[] {
    return this.#parts.sessions
      .list()
      .filter(({ id, person }) => person === null && id !== session?.id)
      .map(({ id }) => id)
  }

  #endingWith(person: Person, kept: PersonSession | null): readonly string[] {
    const own = this.#sessionsOf(person).filter((id) => id !== kept?.id)
    return endingWith(this.#parts.sessions.list(), own, person.id, kept?.id)
  }

  #stored(ids: readonly string[]): readonly StoredSession[] {
    return this.#parts.sessions.list().filter(({ id }) => ids.includes(id))
  }

  /** Notes why sessions of a person, and of links of theirs, ended. */
  #remember(ended: readonly StoredSession[], person: Person, own: string): void {
    for (const each of ended)
      this.#parts.reasons.remember(each, each.person === person.id ? own : END_REASONS.link(person.name))
  }

  #sessionsOf({ id }: Person): readonly string[] {
    return this.#parts.sessions
      .list()
      .filter(({ person }) => person === id)
      .map((session) => session.id)
  }
}
