import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import type { AccessChange } from '../../exposure/access-change.ts'
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
  type Halves,
  SESSIONS_MAX,
  type SessionState,
  type SessionStore,
  type StoredSession,
  END_REASONS,
  type EndedSessions,
  overReason,
  type OneTimeLinks,
} from './console-session.ts'
import { OWNER_CHANGED, type Person, PERSON_ID_LENGTH, type PersonStore } from './person.ts'
import { isStorageFailure, unlessDiskFails } from '../../lib/storage-failure.ts'

/** Kept in memory and written behind at most this often. */
const WRITE_EVERY_MS = 60_000
/** What of a browser's name is kept. */
const BROWSER_LENGTH_MAX = 200
const SECRET_LENGTH_MAX = 100

export interface ConsoleSessionsParts {
  readonly sessions: SessionStore
  readonly persons: Pick<PersonStore, 'get'>
  readonly work: UnitOfWork
  readonly links: Pick<OneTimeLinks, 'make' | 'drop'>
  readonly reasons: EndedSessions
  readonly steady: Pick<SteadyTime, 'now' | 'save'>
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Told the ids of sessions that ended, before whoever ended them is answered. */
  readonly ended: (ids: readonly string[]) => void
}

/**
 * A session that was shown by both its halves. Only `ConsoleSessions` makes one, and no text is one: what comes in as a
 * bearer token can never be taken for it. Whether it still holds is asked again at each use.
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

/** Sessions of browsers (docs/console.md#sessions): begun, checked at each request, used and ended. */
export class ConsoleSessions {
  readonly #parts: ConsoleSessionsParts
  /** Uses that the store does not know of yet. */
  readonly #uses = new Map<string, { readonly at: number; readonly steadyAt: number }>()
  /** When those proved themselves whose proof the store does not take, in steady time. */
  readonly #proofs = new Map<string, number>()
  readonly #stop: () => void

  constructor(parts: ConsoleSessionsParts) {
    this.#parts = parts
    this.#stop = every(parts.clock, WRITE_EVERY_MS, () => this.#write())
  }

  /** Begins a session; both secrets are shown once, here. */
  begin({ person, ownDevice, browser, peer, maker = null }: Beginning): Halves & { readonly session: PersonSession } {
    const { clock, steady, random, work, sessions } = this.#parts
    const [cookie, half] = [newSecret(random), newSecret(random)]
    const [at, now] = [clock.now(), steady.now()]
    const stored: StoredSession = {
      id: randomId(random, PERSON_ID_LENGTH),
      person,
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
    const beyond = this.#beyond()
    work.change((record) => {
      for (const { id } of beyond) sessions.remove(id)
      sessions.insert(stored)
      steady.save()
      record(administrationEntry(this.#parts.clock, `signed in at the console from ${peer}`, this.causeOf(stored)))
    })
    for (const each of beyond) this.#parts.reasons.remember(each, this.#overReason(each) ?? END_REASONS.tooMany)
    this.#parts.changes.emit(OWNER_CHANGED)
    return { cookie, half, session: new PersonSession(stored.id) }
  }

  /** Whose session these two halves are; null where they are no session's that holds. This counts as a use. */
  of(cookie: string, half: string): PersonSession | null {
    if (cookie.length > SECRET_LENGTH_MAX || half.length > SECRET_LENGTH_MAX) return null
    const stored = this.#parts.sessions.byCookie(hashSecret(cookie))
    const matches = isSecretOf(half, stored?.halfSha256)
    if (!stored || !matches || this.#over(stored)) return null
    const session = new PersonSession(stored.id)
    this.used(session)
    return session
  }

  /** Its person did something; what is over stays so. */
  used(session: PersonSession): void {
    if (this.state(session) === null) return
    this.#uses.set(session.id, { at: this.#parts.clock.now(), steadyAt: this.#parts.steady.now() })
  }

  /** What a session is now; null: it is over, or was ended. */
  state(session: PersonSession): SessionState | null {
    const stored = this.#parts.sessions.get(session.id)
    if (!stored || this.#over(stored)) return null
    const person = stored.person === null ? null : (this.#parts.persons.get(stored.person) ?? null)
    return stored.person !== null && person === null ? null : { stored, person }
  }

  /** Those that hold, with their last use, the latest first. */
  list(): readonly (SessionState & { readonly usedAt: number })[] {
    return this.#parts.sessions
      .list()
      .flatMap((stored) => {
        const state = this.state(new PersonSession(stored.id))
        return state === null ? [] : [{ ...state, usedAt: this.#uses.get(stored.id)?.at ?? stored.usedAt }]
      })
      .toSorted((one, other) => other.usedAt - one.usedAt)
  }

  /** Whether its password, passkey or link was shown within `FRESH_MS`. */
  isFresh(session: PersonSession): boolean {
    const stored = this.#parts.sessions.get(session.id)
    if (stored === undefined) return false
    const provedAt = Math.max(stored.steadyProvedAt, this.#proofs.get(session.id) ?? 0)
    return this.#parts.steady.now() - provedAt < FRESH_MS
  }

  /** Says whether its browser is on a device of the person's own, where it lasts longer. */
  setOwnDevice({ id }: PersonSession, ownDevice: boolean, cause: Cause): void {
    const stored = this.#parts.sessions.get(id)
    if (stored === undefined || stored.ownDevice === ownDevice) return
    const what = `session of ${this.causeOf(stored).name} ${ownDevice ? 'is on an own device' : 'is on no own device'}`
    this.#parts.work.change((record) => {
      this.#parts.sessions.setOwnDevice(id, ownDevice)
      record(administrationEntry(this.#parts.clock, what, cause))
    })
    this.#parts.changes.emit(OWNER_CHANGED)
  }

  /**
   * Its person has shown or set a password or passkey. The session is fresh and no longer ends with the maker of a
   * link. Freshness is kept in memory if the disk takes no writes.
   */
  proved({ id }: PersonSession): void {
    const { work, sessions, steady } = this.#parts
    const now = steady.now()
    for (const [each, at] of this.#proofs) if (now - at >= FRESH_MS) this.#proofs.delete(each)
    try {
      work.change(() => {
        sessions.proved(id, now)
        steady.save()
      })
    } catch (error) {
      // Whoever has to end somebody's access must not wait for the disk.
      if (!isStorageFailure(error)) throw error
      this.#proofs.set(id, now)
    }
  }

  /**
   * Makes a one-time link, for a person or for nobody by name; null as `session`: over the socket file. A link ends with
   * the session that made it.
   */
  makeLink(person: Person | null, cause: Cause, session: PersonSession | null): string {
    const stored = session && this.#parts.sessions.get(session.id)
    const maker = stored ? { session: stored.id, person: stored.person ?? stored.maker?.person ?? null } : null
    this.#parts.work.change((record) =>
      record(
        administrationEntry(this.#parts.clock, `console link made for ${person?.name ?? 'nobody by name'}`, cause),
      ),
    )
    return this.#parts.links.make(person?.id ?? null, maker)
  }

  /** How a session ends by its id, with those that began by its links; null where there is none. */
  ending(id: string, cause: Cause): Revocation | null {
    const { sessions, work, links } = this.#parts
    const all = sessions.list()
    if (!all.some((each) => each.id === id)) return null
    const ids = endingWith(all, [id], null)
    const ending = all.filter((each) => ids.includes(each.id))
    const what = ending.map((each) => `session of ${this.causeOf(each).name} ended`)
    const withLink = END_REASONS.link(this.#makerName(all.find((each) => each.id === id)))
    const change = (): void =>
      work.change((record) => {
        for (const each of ids) sessions.remove(each)
        for (const each of what) record(administrationEntry(this.#parts.clock, each, cause))
      })
    const over = (): void => {
      for (const each of ids) this.#uses.delete(each)
      for (const each of ending)
        this.#parts.reasons.remember(each, each.id === id ? END_REASONS.by(cause.name ?? 'Somebody') : withLink)
      links.drop(ids, null)
      this.#parts.ended(ids)
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold: () => sessions.hold(ids), over })
  }

  /** Why the session of these secrets is over; null: it is unknown, or goes on. */
  reasonOf(cookie: string, half: string): string | null {
    if (cookie.length > SECRET_LENGTH_MAX || half.length > SECRET_LENGTH_MAX) return null
    const stored = this.#parts.sessions.byCookie(hashSecret(cookie))
    if (stored === undefined) return this.#parts.reasons.reasonOf(cookie, half)
    return stored.halfSha256.equals(hashSecret(half)) ? this.#overReason(stored) : null
  }

  /** Who does what is done in a session. */
  causeOf({ person }: Pick<StoredSession, 'person'>): Cause {
    const name = person === null ? null : this.#parts.persons.get(person)?.name
    return { source: 'person', name: name ?? 'administrator (one-time link)' }
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

  /** Those that are over, and the longest unused where there would be too many. */
  #beyond(): readonly StoredSession[] {
    const all = this.#parts.sessions.list()
    const over = all.filter((each) => this.#over(each))
    const lastUse = ({ id, steadyUsedAt }: StoredSession): number => this.#uses.get(id)?.steadyAt ?? steadyUsedAt
    const left = all.filter((each) => !over.includes(each)).toSorted((one, other) => lastUse(one) - lastUse(other))
    return [...over, ...left.slice(0, Math.max(0, left.length - SESSIONS_MAX + 1))]
  }

  /** While the disk takes no writes, uses stay in memory for the next time. */
  #write(): void {
    if (this.#uses.size === 0) return
    unlessDiskFails(() => {
      this.#parts.work.change(() => {
        for (const [id, { at, steadyAt }] of this.#uses) this.#parts.sessions.used(id, at, steadyAt)
        this.#parts.steady.save()
      })
      this.#uses.clear()
    })
  }
}
