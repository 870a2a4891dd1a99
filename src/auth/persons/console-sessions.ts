import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
import type { Integration, IntegrationReader } from '../../exposure/integration.ts'
import type { Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import { type Clock, every } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'
import { hashSecret, isSecretOf, newSecret } from '../credentials/credentials.ts'
import {
  type Beginning,
  endingWith,
  FRESH_MS,
  nameFor,
  type SessionSecrets,
  SESSIONS_MAX,
  type ValidSession,
  type SessionStore,
  type StoredSession,
  END_REASONS,
  type EndedSessions,
  overReason,
  type OneTimeLinks,
} from './console-session.ts'
import { OWNER_CHANGED, type Person, PERSON_ID_LENGTH, type PersonStore } from './person.ts'
import { isStorageFailure, nullIfDiskFails } from '../../lib/storage-failure.ts'

/** Interval of writing uses, which are collected in memory. */
const WRITE_EVERY_MS = 60_000
/** Longest user agent stored. */
const BROWSER_LENGTH_MAX = 200
const SECRET_LENGTH_MAX = 100

/** Person or tablet of a session; sessions by link without an account have one owner. */
const ownerOf = ({ person, integration }: StoredSession): string => person ?? integration ?? ''

export interface ConsoleSessionsParts {
  readonly sessions: SessionStore
  readonly persons: Pick<PersonStore, 'get'>
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly work: UnitOfWork
  readonly links: Pick<OneTimeLinks, 'make' | 'drop'>
  readonly reasons: EndedSessions
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Receives the ids of ended sessions before the response is sent. */
  readonly ended: (ids: readonly string[]) => void
}

/**
 * A session proved by both its secrets. Only `ConsoleSessions` makes one, so no bearer token can be taken for it. Its
 * validity is checked again at each use.
 */
class PersonSession {
  readonly #id: string

  constructor(id: string) {
    this.#id = id
  }

  get id(): string {
    return this.#id
  }
}
export type { PersonSession }

/** Browser sessions (docs/console.md#sessions): starting, checking, using and ending them. */
export class ConsoleSessions {
  readonly #parts: ConsoleSessionsParts
  /** Uses not stored yet. */
  readonly #uses = new Map<string, { readonly at: number; readonly steadyAt: number }>()
  /** Steady times of proofs that the disk refused. */
  readonly #proofs = new Map<string, number>()
  readonly #stop: () => void

  constructor(parts: ConsoleSessionsParts) {
    this.#parts = parts
    this.#stop = every(parts.clock, WRITE_EVERY_MS, () => this.#write())
  }

  /** Starts a session and returns the only copy of its secrets. */
  begin({
    person,
    integration = null,
    ownDevice,
    browser,
    peer,
    maker = null,
  }: Beginning): SessionSecrets & { readonly session: PersonSession } {
    const { clock, steady, random, work, sessions } = this.#parts
    const [cookie, half] = [newSecret(random), newSecret(random)]
    const [at, now] = [clock.now(), steady.now()]
    const stored: StoredSession = {
      id: randomId(random, PERSON_ID_LENGTH),
      person,
      integration,
      cookieSha256: hashSecret(cookie),
      halfSha256: hashSecret(half),
      ownDevice,
      browser: browser.slice(0, BROWSER_LENGTH_MAX),
      peer,
      maker,
      createdAt: at,
      usedAt: at,
      steadyCreatedAt: now,
      steadyUsedAt: now,
      steadyProvedAt: now,
    }
    const earlier = integration === null ? [] : sessions.list().filter((one) => one.integration === integration)
    const surplus = this.#surplus(stored).filter((one) => !earlier.includes(one))
    work.change((record) => {
      for (const { id } of earlier) sessions.remove(id)
      for (const { id } of surplus) sessions.expire(id)
      sessions.insert(stored)
      steady.save()
      record(administrationEntry(this.#parts.clock, `signed in at the console from ${peer}`, this.causeOf(stored)))
    })
    const { reasons } = this.#parts
    for (const session of earlier) reasons.remember(session, this.#overReason(session) ?? END_REASONS.tablet)
    for (const session of surplus) reasons.remember(session, this.#overReason(session) ?? END_REASONS.tooMany)
    this.#parts.ended(earlier.map(({ id }) => id))
    this.#parts.changes.emit(OWNER_CHANGED)
    return { cookie, half, session: new PersonSession(stored.id) }
  }

  /** The valid session of two secrets, or null. Counts as a use. */
  of(cookie: string, half: string): PersonSession | null {
    if (cookie.length > SECRET_LENGTH_MAX || half.length > SECRET_LENGTH_MAX) return null
    const stored = this.#parts.sessions.byCookie(hashSecret(cookie))
    const matches = isSecretOf(half, stored?.halfSha256)
    if (!stored || !matches || this.#over(stored)) return null
    const session = new PersonSession(stored.id)
    this.used(session)
    return session
  }

  /** Counts a use of a valid session. */
  used(session: PersonSession): void {
    if (this.state(session) === null) return
    this.#uses.set(session.id, { at: this.#parts.clock.now(), steadyAt: this.#parts.steady.now() })
  }

  /** State of a session; null if it expired or was ended. */
  state(session: PersonSession): ValidSession | null {
    const stored = this.#parts.sessions.get(session.id)
    if (!stored || this.#over(stored)) return null
    const person = stored.person === null ? null : (this.#parts.persons.get(stored.person) ?? null)
    const isGone = stored.integration !== null && this.#parts.integrations.get(stored.integration) === undefined
    return isGone || (stored.person !== null && person === null) ? null : { stored, person }
  }

  /** Valid sessions with their last use, latest first. */
  list(): readonly (ValidSession & { readonly usedAt: number })[] {
    return this.#parts.sessions
      .list()
      .flatMap((stored) => {
        const state = this.state(new PersonSession(stored.id))
        return state === null ? [] : [{ ...state, usedAt: this.#uses.get(stored.id)?.at ?? stored.usedAt }]
      })
      .toSorted((one, other) => other.usedAt - one.usedAt)
  }

  /** True if a password, passkey or link was shown within `FRESH_MS`. */
  isFresh(session: PersonSession): boolean {
    const stored = this.#parts.sessions.get(session.id)
    if (stored === undefined) return false
    const provedAt = Math.max(stored.steadyProvedAt, this.#proofs.get(session.id) ?? 0)
    return this.#parts.steady.now() - provedAt < FRESH_MS
  }

  /** Sets whether the browser is on the person's own device, where the session lasts longer. */
  setOwnDevice({ id }: PersonSession, ownDevice: boolean, cause: Cause): void {
    const stored = this.#parts.sessions.get(id)
    if (stored === undefined || stored.ownDevice === ownDevice) return
    const what = `session of ${this.causeOf(stored).name} ${ownDevice ? 'is on their own device' : 'is not on their own device'}`
    this.#parts.work.change((record) => {
      this.#parts.sessions.setOwnDevice(id, ownDevice)
      record(administrationEntry(this.#parts.clock, what, cause))
    })
    this.#parts.changes.emit(OWNER_CHANGED)
  }

  /**
   * Registers that the person showed or set a password or passkey. The session becomes fresh and no longer ends with a
   * link's maker. If the disk refuses writes, freshness is in memory only.
   */
  proved({ id }: PersonSession): void {
    const { work, sessions, steady } = this.#parts
    const now = steady.now()
    for (const [session, at] of this.#proofs) if (now - at >= FRESH_MS) this.#proofs.delete(session)
    try {
      work.change(() => {
        sessions.proved(id, now)
        steady.save()
      })
    } catch (error) {
      // Revocation somebody's access must work even if the disk refuses writes.
      if (!isStorageFailure(error)) throw error
      this.#proofs.set(id, now)
    }
  }

  /**
   * Creates a one-time link for a person, or for somebody without an account (null). `session` is null over the socket
   * file; otherwise the link ends with it.
   */
  makeLink(person: Person | null, cause: Cause, session: PersonSession | null): string {
    const stored = session && this.#parts.sessions.get(session.id)
    const maker = stored ? { session: stored.id, person: stored.person ?? stored.maker?.person ?? null } : null
    this.#parts.work.change((record) =>
      record(
        administrationEntry(
          this.#parts.clock,
          `one-time console link created${person ? ` for ${person.name}` : ''}`,
          cause,
        ),
      ),
    )
    return this.#parts.links.make(person?.id ?? null, maker)
  }

  /** Creates the one-time link of a wall tablet, which does not depend on its maker's session. */
  makeTabletLink({ id, name }: Integration, cause: Cause): string {
    const { work, links, clock } = this.#parts
    work.change((record) => record(administrationEntry(clock, `one-time link created for the tablet ${name}`, cause)))
    return links.make(null, null, id)
  }

  /** Remembers why the session of a wall tablet ends with its record. It counts once the session has ended. */
  rememberDeletion({ id, name }: Pick<Integration, 'id' | 'name'>): void {
    const reason = END_REASONS.removed({ name, integration: id })
    for (const session of this.#parts.sessions.list())
      if (session.integration === id) this.#parts.reasons.remember(session, reason)
  }

  /** Revocation of a session and of the sessions started by its links; null if the id is unknown. */
  revocation(id: string, cause: Cause): Revocation | null {
    const { sessions, work, links } = this.#parts
    const all = sessions.list()
    if (!all.some((session) => session.id === id)) return null
    const ids = endingWith(all, [id], null)
    const ending = all.filter((session) => ids.includes(session.id))
    const what = ending.map((session) => `session of ${this.causeOf(session).name} ended`)
    const maker = this.#makerName(all.find((session) => session.id === id))
    const change = (): void =>
      work.change((record) => {
        for (const sessionId of ids) sessions.remove(sessionId)
        for (const entry of what) record(administrationEntry(this.#parts.clock, entry, cause))
      })
    const over = (): void => {
      for (const sessionId of ids) this.#uses.delete(sessionId)
      for (const session of ending) {
        const [reason, name] =
          session.id === id ? [END_REASONS.by, cause.name ?? 'somebody'] : [END_REASONS.link, maker]
        const person = this.#parts.persons.get(session.person ?? '')
        this.#parts.reasons.remember(session, reason(nameFor(session, person, name)))
      }
      links.drop(ids, null)
      this.#parts.ended(ids)
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold: () => sessions.hold(ids), over })
  }

  /** End reason of the session with these secrets; null if unknown or still valid. */
  reasonOf(cookie: string, half: string): string | null {
    if (cookie.length > SECRET_LENGTH_MAX || half.length > SECRET_LENGTH_MAX) return null
    const stored = this.#parts.sessions.byCookie(hashSecret(cookie))
    if (stored === undefined) return this.#parts.reasons.reasonOf(cookie, half)
    return stored.halfSha256.equals(hashSecret(half)) ? this.#overReason(stored) : null
  }

  /** Cause of changes made in a session. */
  causeOf({ person, integration = null }: Pick<StoredSession, 'person'> & Partial<StoredSession>): Cause {
    const tablet = this.#parts.integrations.get(integration ?? '')
    if (tablet !== undefined)
      return { source: 'integration', name: tablet.name, integration: tablet.id, link: tablet.id }
    const known = person === null ? undefined : this.#parts.persons.get(person)
    const record = known?.integration ?? null
    // A member's record answers for what the member does, like a program's for its credentials.
    return {
      source: 'person',
      name: known?.name ?? 'administrator (one-time link)',
      ...(record !== null && { integration: record, link: record }),
    }
  }

  stop(): void {
    this.#stop()
    this.#write()
  }

  #over(stored: StoredSession): boolean {
    return this.#overReason(stored) !== null
  }

  #overReason(stored: StoredSession): string | null {
    const usedAt = this.#uses.get(stored.id)?.steadyAt ?? stored.steadyUsedAt
    return overReason(stored, usedAt, this.#parts.steady.now())
  }

  #makerName(maker: StoredSession | undefined): string {
    const { persons } = this.#parts
    return persons.get(maker?.person ?? '')?.name ?? 'another session'
  }

  /**
   * Expired sessions, and beyond the limit the longest unused session of the person with the most sessions: nobody ends
   * sessions of others by many of their own.
   */
  #surplus(added: StoredSession): readonly StoredSession[] {
    const all = this.#parts.sessions.list()
    const over = all.filter((session) => this.#over(session))
    const left = all.filter((session) => !over.includes(session))
    const lastUse = ({ id, steadyUsedAt }: StoredSession): number => this.#uses.get(id)?.steadyAt ?? steadyUsedAt
    while (left.length >= SESSIONS_MAX) {
      const counts = Map.groupBy([...left, added], ownerOf)
      const countOf = (session: StoredSession): number => counts.get(ownerOf(session))?.length ?? 0
      const [next] = left.toSorted((one, other) => countOf(other) - countOf(one) || lastUse(one) - lastUse(other))
      if (next === undefined) break
      over.push(...left.splice(left.indexOf(next), 1))
    }
    return over
  }

  /** Writes the uses; if the disk refuses, they stay in memory for the next attempt. */
  #write(): void {
    if (this.#uses.size === 0) return
    nullIfDiskFails(() => {
      this.#parts.work.change(() => {
        for (const [id, { at, steadyAt }] of this.#uses) this.#parts.sessions.used(id, at, steadyAt)
        this.#parts.steady.save()
      })
      this.#uses.clear()
    })
  }
}
