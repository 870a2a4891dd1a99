import { hashedId, Table } from '../store/table.ts'
import { type Account, DEVICES_PER_ACCOUNT_MAX, Session, SESSIONS_PER_ACCOUNT_MAX } from './account.ts'
import { browserWords, placeOf, type Visitor } from './visitor.ts'
import type { RelayParts } from '../store/parts.ts'

/** The last use of a session is stored this often, which also keeps the session from ending. */
const SEEN_EACH_MS = 3_600_000
const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

export interface SessionsParts extends Pick<RelayParts, 'store' | 'clock' | 'random'> {
  readonly accounts: Table<Account>
  /** A device that the account did not know has signed in. */
  readonly newDevice: (account: Account, visitor: Visitor) => Promise<void>
}

export interface SignedIn {
  readonly account: Account
  /** For the cookie; the store has its hash alone. */
  readonly session: string
  /** For the cookie of the device, by which the account knows it from now on. */
  readonly device: string
  /** The account did not know the device before. */
  readonly isNewDevice: boolean
}

/** One line of the list of sessions. */
export interface ShownSession extends Omit<Session, 'account' | 'epoch'> {
  readonly id: string
  /** The session that asks. */
  readonly isThis: boolean
}

/** Browsers that are signed in, and devices that were. */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #sessions: Table<Session>

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.#sessions = new Table(parts.store, 'sessions', Session)
  }

  /** @param passkey the id of the passkey that was used. */
  async begin(account: Account, visitor: Visitor, passkey: string | null = null): Promise<SignedIn> {
    const { accounts, clock } = this.#parts
    const session = this.#secret()
    const { device: given = null } = visitor
    const device = given !== null && SECRET.test(given) ? given : this.#secret()
    const [id, known] = [hashedId(session), deviceId(account, device)]
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
    const left = account.sessions.length < SESSIONS_PER_ACCOUNT_MAX ? null : await this.#alive(account)
    const changed = await accounts.change(account.id, (each) => ({
      ...each,
      sessions: withNewest(
        each.sessions.filter((one) => left?.has(one) ?? true),
        id,
        SESSIONS_PER_ACCOUNT_MAX,
      ),
      devices: withNewest(each.devices, known, DEVICES_PER_ACCOUNT_MAX),
    }))
    const isNewDevice = !account.devices.includes(known)
    for (const gone of account.sessions)
      if (changed?.sessions.includes(gone) === false) await this.#sessions.delete(gone)
    if (isNewDevice) await this.#parts.newDevice(changed ?? account, visitor)
    return { account: changed ?? account, session, device, isNewDevice }
  }

  /** The account of a cookie; null if there is no such session, or it has ended. */
  async account(session: string, visitor: Visitor | null = null): Promise<Account | null> {
    const { accounts, clock } = this.#parts
    const id = hashedId(session)
    const found = await this.#sessions.get(id)
    const account = found === null ? null : await accounts.get(found.account)
    if (found === null || account === null || account.epoch !== found.epoch) return null
    const seenAt = clock.now()
    const isListed = account.sessions.includes(id)
    if (seenAt - found.seenAt < SEEN_EACH_MS && isListed) return account
    const place = visitor === null ? found.place : placeOf(visitor.peer)
    await this.#sessions.change(id, (value) => ({ ...value, seenAt, place }))
    if (isListed) return account
    // A session of an earlier version.
    const listed = (each: Account): Account => ({
      ...each,
      sessions: withNewest(each.sessions, id, SESSIONS_PER_ACCOUNT_MAX),
    })
    return accounts.change(account.id, listed)
  }

  /** The sessions of an account: the one that asks, then the others by their last use. */
  async list(account: Account, session: string | null): Promise<ShownSession[]> {
    const own = session === null ? null : hashedId(session)
    const alive = [...(await this.#alive(account))].map(([id, row]): ShownSession => ({
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
    await this.#parts.accounts.change(account.id, (each) => ({
      ...each,
      sessions: each.sessions.filter((one) => one !== id),
    }))
    return isEnded
  }

  /** Ends all sessions of an account but one. */
  async endOthers(account: Account, session: string): Promise<void> {
    const own = hashedId(session)
    const changed = await this.#parts.accounts.change(account.id, (each) => ({
      ...each,
      epoch: each.epoch + 1,
      sessions: [own],
    }))
    if (changed === null) return
    await this.#sessions.change(own, (row) => ({ ...row, epoch: changed.epoch }))
    await this.forget(account.sessions.filter((id) => id !== own))
  }

  /** Removes what the store holds of sessions that have ended. */
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

/** The device behind a cookie as the account stores it; null if the account does not know the device. */
export function knownDevice(account: Account | null, { device }: Visitor): string | null {
  if (account === null || !device) return null
  const id = deviceId(account, device)
  return account.devices.includes(id) ? id : null
}

/** By account: nobody who reads the store learns that two accounts share a device. */
const deviceId = ({ id }: Account, device: string): string => hashedId(`device ${id} ${device}`)

const withNewest = (list: readonly string[], newest: string, max: number): string[] =>
  [...list.filter((each) => each !== newest), newest].slice(-max)
