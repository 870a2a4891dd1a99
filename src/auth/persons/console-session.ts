import type { Person } from './person.ts'

/** Who made a link in a session: the session, and the person whose it was or who let it in. */
export interface LinkMaker {
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
export const LIFE_NAMELESS_MS = 12 * 3_600_000
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
