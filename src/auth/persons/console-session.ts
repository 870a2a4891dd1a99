import type { Person } from './person.ts'
import { hashSecret, isSecretOf } from '../credentials/credentials.ts'
import type { Random } from '../../lib/random.ts'
import type { SteadyTime } from '../credentials/steady-time.ts'

/** Who made a link in a session: the session, and the person whose it was or who let it in. */
interface LinkMaker {
  readonly session: string
  readonly person: string | null
}

/** A session as stored. Times with `steady` are steady time in ms, the others epoch ms. */
export interface StoredSession {
  readonly id: string
  /** Null: somebody who came in by a one-time link and has given no name yet. */
  readonly person: string | null
  readonly cookieSha256: Buffer
  readonly halfSha256: Buffer
  /** A device of the person's own: it lasts longer. */
  readonly ownDevice: boolean
  /** What the browser calls itself. */
  readonly browser: string
  /** The address that it began from. */
  readonly peer: string
  /** Maker of the link that began it: it ends with them. Null: no link, or its person has shown a credential since. */
  readonly maker: LinkMaker | null
  readonly createdAt: number
  readonly usedAt: number
  readonly steadyCreatedAt: number
  readonly steadyUsedAt: number
  /** When a password, passkey or link was last shown. */
  readonly steadyProvedAt: number
}

/** Who a session is begun for, and from where. */
export interface Beginning {
  readonly person: string | null
  readonly ownDevice: boolean
  readonly browser: string
  readonly peer: string
  /** Who made the link that begins it. */
  readonly maker?: LinkMaker | null
}

/** Unused for so long a session is over: on any device, and on one of the person's own. */
export const IDLE_MS = 12 * 3_600_000
export const IDLE_OWN_DEVICE_MS = 30 * 86_400_000
/** A session lasts so long at most; one without a person as long as it could rest unused. */
export const LIFE_MS = 90 * 86_400_000
const LIFE_NAMELESS_MS = 12 * 3_600_000
/** What is dangerous needs a password, passkey or link that was shown within this time. */
export const FRESH_MS = 5 * 60_000
/** Sessions of one home; the longest unused goes first. */
export const SESSIONS_MAX = 200

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface SessionStore {
  get(id: string): StoredSession | undefined
  byCookie(sha256: Buffer): StoredSession | undefined
  list(): readonly StoredSession[]
  insert(session: StoredSession): void
  used(id: string, at: number, steadyAt: number): void
  /** The person of a session showed or set a credential: it stands on its own from then on. */
  proved(id: string, steadyAt: number): void
  setPerson(id: string, person: string): void
  setOwnDevice(id: string, ownDevice: boolean): void
  remove(id: string): void
  /** They count as gone from now on although they are stored; outside of a change. */
  hold(ids: readonly string[]): void
}

/** Both secrets of a session, shown once. */
export interface Halves {
  readonly cookie: string
  readonly half: string
}

/** A session as it stands now. */
export interface SessionState {
  readonly stored: StoredSession
  readonly person: Person | null
}

/**
 * The ids of all sessions that end with some, and with a person who loses access: those begun by links of theirs, and
 * by links of those in turn. `kept` goes on.
 */
export function endingWith(
  all: readonly StoredSession[],
  first: readonly string[],
  person: string | null,
  kept: string | null = null,
): readonly string[] {
  const ending = new Set(first)
  const ends = ({ id, maker }: StoredSession): boolean =>
    maker !== null && id !== kept && (ending.has(maker.session) || (person !== null && maker.person === person))
  for (let before = -1; before < ending.size;) {
    before = ending.size
    for (const each of all.filter(ends)) ending.add(each.id)
  }
  return [...ending]
}

/** Sentences for the browser of a session that ended. */
export const END_REASONS = {
  by: (name: string) => `This session was ended by ${name}.`,
  firstAccount: (name: string) => `This session had no name. It ended when ${name} became the first administrator.`,
  link: (maker: string) =>
    `This session was opened by a link from ${maker}, and ended with ${maker}’s access. Show your own password or passkey next time: your session then stands on its own.`,
  password: (name: string) => `The password of ${name} was changed. Sign in with the new one.`,
  removed: (name: string) => `${name} is no longer an administrator of this home.`,
  tooMany: `The home has ${SESSIONS_MAX} sessions at most. This session was unused for longest and ended.`,
} as const

/** Why a stored session is over at a steady time; null: it goes on. */
export function overReason(session: StoredSession, steadyUsedAt: number, now: number): string | null {
  const isNamed = session.person !== null
  const idle = session.ownDevice && isNamed ? IDLE_OWN_DEVICE_MS : IDLE_MS
  const life = isNamed ? LIFE_MS : LIFE_NAMELESS_MS
  if (now - steadyUsedAt >= idle) return `This session ended because nobody used it for ${spanWords(idle)}.`
  if (now - session.steadyCreatedAt < life) return null
  return `This session ended ${spanWords(life)} after it began.`
}

const HOUR_MS = 3_600_000
const spanWords = (ms: number): string => (ms < 48 * HOUR_MS ? `${ms / HOUR_MS} hours` : `${ms / (24 * HOUR_MS)} days`)

/**
 * Why sessions ended, for browsers that still hold both their secrets. Kept in memory: after a restart a browser learns
 * only that its session is over.
 */
export class EndedSessions {
  /** By the hash of their cookies, the oldest first. */
  readonly #reasons = new Map<string, { readonly half: Buffer; readonly reason: string }>()

  remember({ cookieSha256, halfSha256 }: StoredSession, reason: string): void {
    this.#reasons.set(cookieSha256.toString('base64'), { half: halfSha256, reason })
    const [oldest] = this.#reasons.keys()
    if (this.#reasons.size > SESSIONS_MAX && oldest !== undefined) this.#reasons.delete(oldest)
  }

  /** Why the session of these secrets ended; null: it is unknown. */
  reasonOf(cookie: string, half: string): string | null {
    const known = this.#reasons.get(hashSecret(cookie).toString('base64'))
    return known && isSecretOf(half, known.half) ? known.reason : null
  }
}

/** A link ends after this, used or not. */
export const LINK_MS = 10 * 60_000
/** 144 bits: nobody guesses one. */
const CODE_BYTES = 18
/** Links that wait at once; the oldest goes first. */
const LINKS_MAX = 20

/** A link that waits for its use. */
interface WaitingLink {
  /** Of whom it is; null: of nobody yet. */
  readonly person: string | null
  /** Null: it was made over the socket file. */
  readonly maker: LinkMaker | null
}

/**
 * Codes that open the console once. They are made for whoever is an administrator already, by the socket file or a
 * session, and live in memory alone: none outlives the process, and no copy of the configuration brings one back.
 */
export class OneTimeLinks {
  readonly #random: Random
  readonly #steady: Pick<SteadyTime, 'now'>
  /** By the hash of their codes; `until` is steady time in ms. */
  readonly #waiting = new Map<string, WaitingLink & { readonly until: number }>()

  constructor({ random, steady }: { readonly random: Random; readonly steady: Pick<SteadyTime, 'now'> }) {
    this.#random = random
    this.#steady = steady
  }

  /** A new code, for a person or for nobody by name. */
  make(person: string | null, maker: LinkMaker | null = null): string {
    const code = this.#random.bytes(CODE_BYTES).toString('base64url')
    this.#waiting.set(keyOf(code), { person, maker, until: this.#steady.now() + LINK_MS })
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > LINKS_MAX && oldest !== undefined) this.#waiting.delete(oldest)
    return code
  }

  /** The link of a code that still opens; null: it is unknown, used or too old. */
  find(code: string): WaitingLink | null {
    const waiting = this.#waiting.get(keyOf(code))
    return waiting === undefined || this.#steady.now() >= waiting.until ? null : waiting
  }

  /** A code was used: it opens nothing any more. */
  used(code: string): void {
    this.#waiting.delete(keyOf(code))
  }

  /** Drops what waits of those who lost their access: what these sessions made, and what a person made or was given. */
  drop(sessions: readonly string[], person: string | null): void {
    for (const [key, { person: of, maker }] of this.#waiting) {
      const isTheirs = person !== null && (of === person || maker?.person === person)
      if (isTheirs || (maker !== null && sessions.includes(maker.session))) this.#waiting.delete(key)
    }
  }
}

const keyOf = (code: string): string => hashSecret(code).toString('base64')
