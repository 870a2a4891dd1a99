import { RelayUnavailable } from '../model/unavailable.ts'

/**
 * The relay's small durable state: accounts, who is linked to whom, and what a sign-in needs until it is over. Nothing
 * of a home and no token is in it (docs/what-the-relay-sees.md#what-it-keeps). Every node of a relay sees the same.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Each table with the time after its last write at which an entry is gone; null: never. */
export const TABLES = {
  accounts: null,
  gateways: null,
  /** What there is once for the whole relay, by name. */
  facts: null,
  /** Who is signed in, by the hash of the cookie. */
  sessions: 30 * DAY_MS,
  /** The account of each passkey, by the hash of its credential's id. */
  passkeys: null,
  /** Questions to authenticators that are not answered yet, by their hashes. */
  challenges: 5 * MINUTE_MS,
  /** Events of accounts by account id, for the relay's operator. */
  events: 90 * DAY_MS,
  invites: 7 * DAY_MS,
  /** Links of the operator by which a forgotten password is set anew, by their hashes. */
  resets: 60 * MINUTE_MS,
  /** News of accounts that a home's gateway has not taken yet, by its serial. */
  notices: 7 * DAY_MS,
  /** Codes that link a home to an account. */
  links: 10 * MINUTE_MS,
  /** OAuth clients that registered and have not been approved for any home yet. */
  registrations: DAY_MS,
  clients: 90 * DAY_MS,
  /** Authorizations under way: interactions, approvals, codes, all by hashes of their ids. */
  flows: 15 * MINUTE_MS,
} as const satisfies Record<string, number | null>

export type TableName = keyof typeof TABLES

/** What an id may look like: what every store takes as a key. */
export const ID = /^[A-Za-z0-9_=-]{1,128}$/

/** Bytes of one value as JSON. */
export const VALUE_BYTES_MAX = 64 * 1024

/** A value of JSON and the number of the write that made it; no number comes twice, not even after a deletion. */
export interface Entry {
  readonly value: unknown
  readonly revision: number
}

/** The store cannot be reached or takes no writes: nothing was changed as far as is known. */
export class StoreUnavailable extends RelayUnavailable {}

/**
 * One interface over SQLite and over a key-value store of several nodes. Every operation is atomic; what was answered
 * is on the disk. All throw `StoreUnavailable`.
 */
export interface Store {
  get(table: TableName, id: string): Promise<Entry | null>
  /** Answers the new revision; null where there is an entry already. */
  create(table: TableName, id: string, value: unknown): Promise<number | null>
  /** Answers the new revision; null where the entry is gone or has another revision than this. */
  replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null>
  /** Whether there was an entry, of this revision where one is given, and it is gone now. */
  delete(table: TableName, id: string, revision?: number): Promise<boolean>
  /** Removes what was deleted from the files of this process, where it can. */
  erase(): Promise<void>
}

/**
 * What a store may be asked to write, as JSON.
 * @throws Error for an id or a size that no caller may use: a defect of the caller.
 */
export function writtenValue(id: string, value: unknown): string {
  checkId(id)
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > VALUE_BYTES_MAX) throw new Error('A value is larger than the relay’s store takes.')
  return text
}

export function checkId(id: string): void {
  if (!ID.test(id)) throw new Error('An id has letters that the relay’s store does not take.')
}
