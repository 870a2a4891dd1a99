import type { Person } from './person.ts'
import { hashSecret, isSecretOf } from '../credentials/credentials.ts'
import type { Random } from '../../lib/random.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

/** Maker of a one-time link: a session, and its person or the person who invited it. */
interface LinkMaker {
  readonly session: string
  readonly person: string | null
}

/** A session as stored. Times with `steady` are steady time in ms, the others epoch ms. */
export interface StoredSession {
  readonly id: string
  /** Null for somebody who signed in by a one-time link and has no account yet. */
  readonly person: string | null
  /** Record of a wall tablet; null for people. */
  readonly integration: string | null
  readonly cookieSha256: Buffer
  readonly halfSha256: Buffer
  /** True on the person's own device, where the session lasts longer. */
  readonly ownDevice: boolean
  /** User agent of the browser. */
  readonly browser: string
  /** Address of the sign-in. */
  readonly peer: string
  /**
   * Maker of the one-time link; the session ends with the maker's access. Null without a link, or once the person has
   * shown a credential.
   */
  readonly maker: LinkMaker | null
  readonly createdAt: number
  readonly usedAt: number
  readonly steadyCreatedAt: number
  readonly steadyUsedAt: number
  /** Time of the last password, passkey or link. */
  readonly steadyProvedAt: number
}

/** Properties of a new session. */
export interface Beginning {
  readonly person: string | null
  readonly ownDevice: boolean
  readonly browser: string
  readonly peer: string
  /** Record of a wall tablet. */
  readonly integration?: string | null
  /** Maker of the one-time link, if any. */
  readonly maker?: LinkMaker | null
}

/** Idle timeouts of a session: on any device, and on the person's own. */
export const IDLE_MS = 12 * 3_600_000
export const IDLE_OWN_DEVICE_MS = 30 * 86_400_000
/** Longest life of a session, with an account and without. */
export const LIFE_MS = 90 * 86_400_000
const LIFE_NAMELESS_MS = 12 * 3_600_000
/** Idle timeout and longest life of a wall tablet. */
export const LIFE_TABLET_MS = 365 * 86_400_000
/** Dangerous actions need a password, passkey or link shown within this time. */
export const FRESH_MS = 5 * 60_000
/** Most sessions of one home; the longest unused ends first. */
export const SESSIONS_MAX = 200

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface SessionStore {
  get(id: string): StoredSession | undefined
  byCookie(sha256: Buffer): StoredSession | undefined
  list(): readonly StoredSession[]
  insert(session: StoredSession): void
  used(id: string, at: number, steadyAt: number): void
  /**
   * Stores that the session's person showed or set a credential; the session then no longer depends on a link's maker.
   */
  proved(id: string, steadyAt: number): void
  setPerson(id: string, person: string): void
  setOwnDevice(id: string, ownDevice: boolean): void
  /** Removes a session that somebody ended, with the push subscription made in it. */
  remove(id: string): void
  /** Removes an expired session; its browser still gets messages. */
  expire(id: string): void
  /** Sessions with a push subscription of a person, also expired ones. */
  subscribed(person: string): readonly string[]
  /** Treats these as removed although they are still stored; runs outside a change. */
  hold(ids: readonly string[]): void
}

/** Both secrets of a new session: the cookie, and the half for the page's own storage. Only hashes are stored. */
export interface SessionSecrets {
  readonly cookie: string
  readonly half: string
}

/** A valid session. */
export interface ValidSession {
  readonly stored: StoredSession
  readonly person: Person | null
}

/** Id of the record that a session may use; null for administrators, who may use everything. */
export const recordIdOf = ({ stored, person }: ValidSession): string | null =>
  stored.integration ?? person?.integration ?? null

/**
 * Ids of all sessions that end together with `first` and with a person who loses access: their links' sessions, and in
 * turn the sessions of those sessions' links. `keep` stays open.
 */
export function endingWith(
  all: readonly StoredSession[],
  first: readonly string[],
  person: string | null,
  keep: string | null = null,
): readonly string[] {
  const ending = new Set(first)
  const ends = ({ id, maker }: StoredSession): boolean =>
    maker !== null && id !== keep && (ending.has(maker.session) || (person !== null && maker.person === person))
  for (let before = -1; before < ending.size;) {
    before = ending.size
    for (const session of all.filter(ends)) ending.add(session.id)
  }
  return [...ending]
}

/** Name of a person for the browser of an ended session: members and tablets read only their own. */
export function nameFor(
  { integration }: Pick<StoredSession, 'integration'>,
  person: Pick<Person, 'name' | 'integration'> | undefined,
  name: string,
): string {
  const hasRecord = integration !== null || (person !== undefined && person.integration !== null)
  return hasRecord && name !== person?.name ? 'somebody' : name
}

/** Sentences for the browser of a session that ended. */
export const END_REASONS = {
  by: (name: string) => `This session was ended by ${name}.`,
  firstAccount: (name: string) => `This session had no name. It ended when ${name} became the first administrator.`,
  link: (maker: string) =>
    `This session was opened by a link from ${maker}, and ended with ${maker}’s access. Next time, confirm the session with your own password or passkey. It then continues without that access.`,
  password: (name: string) => `The password of ${name} was changed. Sign in with the new one.`,
  removed: ({ name, integration }: Pick<Person, 'name' | 'integration'>) =>
    integration === null
      ? `${name} is no longer an administrator of this home.`
      : `${name} no longer has access to this home.`,
  tablet: 'This tablet was set up again, so its earlier session ended.',
  tooMany: `The home has ${SESSIONS_MAX} sessions at most. This session ended because it was unused for the longest time.`,
} as const

/** Reason why a session has expired at a steady time, or null. */
export function overReason(session: StoredSession, steadyUsedAt: number, now: number): string | null {
  const isNamed = session.person !== null
  const isTablet = session.integration !== null
  const [idlePerson, lifePerson] = [
    session.ownDevice && isNamed ? IDLE_OWN_DEVICE_MS : IDLE_MS,
    isNamed ? LIFE_MS : LIFE_NAMELESS_MS,
  ]
  const [idle, life] = isTablet ? [LIFE_TABLET_MS, LIFE_TABLET_MS] : [idlePerson, lifePerson]
  if (now - steadyUsedAt >= idle) return `This session ended because nobody used it for ${spanWords(idle)}.`
  if (now - session.steadyCreatedAt < life) return null
  return `This session ended ${spanWords(life)} after it began.`
}

const HOUR_MS = 3_600_000
const spanWords = (ms: number): string => (ms < 48 * HOUR_MS ? `${ms / HOUR_MS} hours` : `${ms / (24 * HOUR_MS)} days`)

/**
 * End reasons of sessions, for browsers that still have both secrets. They are in memory only: after a restart a
 * browser learns just that its session has ended.
 */
export class EndedSessions {
  /** Keyed by the hash of the cookie, oldest first. */
  readonly #reasons = new Map<string, { readonly half: Buffer; readonly reason: string }>()

  remember({ cookieSha256, halfSha256 }: StoredSession, reason: string): void {
    this.#reasons.set(cookieSha256.toString('base64'), { half: halfSha256, reason })
    const [oldest] = this.#reasons.keys()
    if (this.#reasons.size > SESSIONS_MAX && oldest !== undefined) this.#reasons.delete(oldest)
  }

  /** End reason of the session with these secrets, or null if unknown. */
  reasonOf(cookie: string, half: string): string | null {
    const known = this.#reasons.get(hashSecret(cookie).toString('base64'))
    return known && isSecretOf(half, known.half) ? known.reason : null
  }
}

/** Life of an unused link. */
export const LINK_MS = 10 * 60_000
/** 144 bits cannot be guessed. */
const CODE_BYTES = 18
/** Most unused links; the oldest is dropped first. */
const LINKS_MAX = 20

/** An unused link. */
interface WaitingLink {
  /** Person who signs in by it; null for somebody without an account. */
  readonly person: string | null
  /** Record of the wall tablet that it sets up, or null. */
  readonly integration: string | null
  /** Null if it was made over the socket file, or for a wall tablet. */
  readonly maker: LinkMaker | null
}

/**
 * One-time sign-in codes for the console, made over the socket file or in a session. They are in memory only, so a
 * restart or a restored configuration invalidates them.
 */
export class OneTimeLinks {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** Keyed by the hash of the code; `until` is steady time in ms. */
  readonly #waiting = new Map<string, WaitingLink & { readonly until: number }>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
  }

  /** Creates a code for a person, or for somebody without an account (null). */
  make(person: string | null, maker: LinkMaker | null = null, integration: string | null = null): string {
    const code = this.#random.bytes(CODE_BYTES).toString('base64url')
    this.#waiting.set(keyOf(code), { person, maker, integration, until: this.#steady.now() + LINK_MS })
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > LINKS_MAX && oldest !== undefined) this.#waiting.delete(oldest)
    return code
  }

  /** The valid link of a code; null if it is unknown, used or expired. */
  find(code: string): WaitingLink | null {
    const waiting = this.#waiting.get(keyOf(code))
    return waiting === undefined || this.#steady.now() >= waiting.until ? null : waiting
  }

  /** Invalidates a used code. */
  used(code: string): void {
    this.#waiting.delete(keyOf(code))
  }

  /** Invalidates links made by these sessions, and links made by or for a person. */
  drop(sessions: readonly string[], person: string | null): void {
    for (const [key, { person: of, maker }] of this.#waiting) {
      const isTheirs = person !== null && (of === person || maker?.person === person)
      if (isTheirs || (maker !== null && sessions.includes(maker.session))) this.#waiting.delete(key)
    }
  }
}

const keyOf = (code: string): string => hashSecret(code).toString('base64')
