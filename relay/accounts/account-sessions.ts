import { hashedId, Table } from '../store/table.ts'
import { type Account, DEVICES_PER_ACCOUNT_MAX, Session, SESSIONS_PER_ACCOUNT_MAX } from './account.ts'
import { browserWords, placeOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** The last use of a session is stored at most at this interval. The write also extends the session's lifetime. */
const SEEN_INTERVAL_MS = 3_600_000
const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

export interface AccountSessionsParts extends Pick<RelayParts, 'store' | 'clock' | 'random'> {
  readonly accounts: Table<Account>
  /** Called after a sign-in from an unknown device. */
  readonly onNewDevice: (account: Account, visitor: Visitor) => Promise<void>
}

export interface SignedIn {
  readonly account: Account
  /** Value of the session cookie; the store has only its hash. */
  readonly session: string
  /** Value of the device cookie, by which the account recognises the device. */
  readonly device: string
  readonly isNewDevice: boolean
}

/** A session in the list of an account. */
export interface SessionSummary extends Omit<Session, 'account' | 'epoch'> {
  readonly id: string
  /** True for the current session. */
  readonly isThis: boolean
}

/** Sessions of accounts, and their known devices. */
export class AccountSessions {
  readonly #parts: AccountSessionsParts
  readonly #sessions: Table<Session>

  constructor(parts: AccountSessionsParts) {
    this.#parts = parts
    this.#sessions = new Table(parts.store, 'sessions', Session)
  }

  /** @param passkey id of the passkey that was used to sign in. */
  async begin(account: Account, visitor: Visitor, passkey: string | null = null): Promise<SignedIn> {
    const { accounts, clock } = this.#parts
    const session = this.#secret()
    const { device: cookie = null } = visitor
    const device = cookie !== null && SECRET.test(cookie) ? cookie : this.#secret()
    const [id, ownDevice] = [hashedId(session), deviceId(account, device)]
    const now = clock.now()
    await this.#sessions.create(id, {
      account: account.id,
      epoch: account.epoch,
      seenAt: now,
      createdAt: now,
      browser: browserWords(visitor.agent),
      place: placeOf(visitor.peer),
      passkey,
    })
    const alive = account.sessions.length < SESSIONS_PER_ACCOUNT_MAX ? null : await this.#alive(account)
    const changed = await accounts.change(account.id, (stored) => ({
      ...stored,
      sessions: withNewest(
        stored.sessions.filter((other) => alive?.has(other) ?? true),
        id,
        SESSIONS_PER_ACCOUNT_MAX,
      ),
      devices: withNewest(stored.devices, ownDevice, DEVICES_PER_ACCOUNT_MAX),
    }))
    const isNewDevice = !account.devices.includes(ownDevice)
    for (const old of account.sessions) if (changed?.sessions.includes(old) === false) await this.#sessions.delete(old)
    if (isNewDevice) await this.#parts.onNewDevice(changed ?? account, visitor)
    return { account: changed ?? account, session, device, isNewDevice }
  }

  /** Account of a session cookie; null if the session is unknown or has ended. */
  async account(session: string, visitor: Visitor | null = null): Promise<Account | null> {
    const { accounts, clock } = this.#parts
    const id = hashedId(session)
    const found = await this.#sessions.get(id)
    const account = found === null ? null : await accounts.get(found.account)
    if (found === null || account === null || account.epoch !== found.epoch) return null
    const seenAt = clock.now()
    const isListed = account.sessions.includes(id)
    if (seenAt - found.seenAt < SEEN_INTERVAL_MS && isListed) return account
    const place = visitor === null ? found.place : placeOf(visitor.peer)
    await this.#sessions.change(id, (value) => ({ ...value, seenAt, place }))
    if (isListed) return account
    // The account does not list sessions of earlier versions yet.
    return accounts.change(account.id, (stored) => ({
      ...stored,
      sessions: withNewest(stored.sessions, id, SESSIONS_PER_ACCOUNT_MAX),
    }))
  }

  /** Sessions of an account: the current one first, then the others by their last use. */
  async list(account: Account, session: string | null): Promise<SessionSummary[]> {
    const own = session === null ? null : hashedId(session)
    const alive = [...(await this.#alive(account))].map(([id, row]): SessionSummary => ({
      ...{ seenAt: row.seenAt, createdAt: row.createdAt, browser: row.browser, place: row.place, passkey: row.passkey },
      ...{ id, isThis: id === own },
    }))
    return alive.toSorted((one, other) => Number(other.isThis) - Number(one.isThis) || other.seenAt - one.seenAt)
  }

  async end(session: string): Promise<void> {
    await this.#sessions.delete(hashedId(session))
  }

  /** Ends one session of an account by its id; false if the account has no such session. */
  async endOne(account: Account, id: string): Promise<boolean> {
    if (!account.sessions.includes(id)) return false
    const isEnded = await this.#sessions.delete(id)
    await this.#parts.accounts.change(account.id, (stored) => ({
      ...stored,
      sessions: stored.sessions.filter((session) => session !== id),
    }))
    return isEnded
  }

  /** Ends all sessions of an account except one. */
  async endOthers(account: Account, session: string): Promise<void> {
    const own = hashedId(session)
    const changed = await this.#parts.accounts.change(account.id, (stored) => ({
      ...stored,
      epoch: stored.epoch + 1,
      sessions: [own],
    }))
    if (changed === null) return
    await this.#sessions.change(own, (row) => ({ ...row, epoch: changed.epoch }))
    await this.forget(account.sessions.filter((id) => id !== own))
  }

  /** Deletes the rows of ended sessions. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#sessions.delete(id)
  }

  async #alive(account: Account): Promise<Map<string, Session>> {
    const rows = await Promise.all(account.sessions.map(async (id) => [id, await this.#sessions.get(id)] as const))
    return new Map(rows.flatMap(([id, row]) => (row !== null && row.epoch === account.epoch ? [[id, row]] : [])))
  }

  #secret(): string {
    return this.#parts.random.bytes(SECRET_BYTES).toString('base64url')
  }
}

/** Stored id of a known device; null if the account does not know the visitor's device. */
export function knownDevice(account: Account | null, { device }: Visitor): string | null {
  if (account === null || !device) return null
  const id = deviceId(account, device)
  return account.devices.includes(id) ? id : null
}

/** Differs for each account, so that the store does not show that two accounts share a device. */
const deviceId = ({ id }: Account, device: string): string => hashedId(`device ${id} ${device}`)

const withNewest = (list: readonly string[], newest: string, max: number): string[] =>
  [...list.filter((item) => item !== newest), newest].slice(-max)
