import { RelayUnavailable } from '../model/unavailable.ts'

/**
 * The durable state of the relay: accounts, linked gateways and running sign-ins. It contains neither tokens nor data
 * of a home (docs/what-the-relay-sees.md#what-it-keeps). All nodes of a relay share it.
 */

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Lifetime of the entries of each table, from their last write; null: no limit. */
export const TABLES = {
  accounts: null,
  gateways: null,
  /** Single values of the whole relay, by name. */
  facts: null,
  /** Sessions of people, by the hash of the cookie. */
  sessions: 30 * DAY_MS,
  /** The account of each passkey, by the hash of its credential's id. */
  passkeys: null,
  /** Pending challenges of passkeys, by their hashes. */
  challenges: 5 * MINUTE_MS,
  /** Events of accounts by account id, for the relay's operator. */
  events: 90 * DAY_MS,
  invites: 7 * DAY_MS,
  /** Links for resetting a password, by their hashes. */
  resets: 60 * MINUTE_MS,
  /** Notices that were not delivered to a gateway yet, by its serial. */
  notices: 7 * DAY_MS,
  /** Codes that link a home to an account. */
  links: 10 * MINUTE_MS,
  /** Registered OAuth clients that no home has approved yet. */
  registrations: DAY_MS,
  clients: 90 * DAY_MS,
  /** Running authorizations: interactions, approvals, codes, by hashes of their ids. */
  flows: 15 * MINUTE_MS,
} as const satisfies Record<string, number | null>

export type TableName = keyof typeof TABLES

/** Ids that every store accepts as a key. */
export const ID = /^[A-Za-z0-9_=-]{1,128}$/

/** Size of one value as JSON. */
export const VALUE_BYTES_MAX = 64 * 1024

/** A JSON value with the number of its last write. Revisions are unique, also after a deletion. */
export interface Entry {
  readonly value: unknown
  readonly revision: number
}

/** The store cannot be reached or accepts no writes. */
export class StoreUnavailable extends RelayUnavailable {}

/**
 * Key-value store over SQLite or over NATS. Every operation is atomic, and durable when its promise resolves. All
 * operations throw `StoreUnavailable`.
 */
export interface Store {
  get(table: TableName, id: string): Promise<Entry | null>
  /** Returns the new revision, or null if the entry exists. */
  create(table: TableName, id: string, value: unknown): Promise<number | null>
  /** Returns the new revision, or null if the entry is missing or has another revision. */
  replace(table: TableName, id: string, value: unknown, revision: number): Promise<number | null>
  /** Returns true if the entry, with this revision if specified, existed and was deleted. */
  delete(table: TableName, id: string, revision?: number): Promise<boolean>
  /** Overwrites deleted values in the files of this process, if possible. */
  erase(): Promise<void>
}

/**
 * Converts a value to the stored JSON.
 * @throws Error if id or size are invalid, which is a defect of the caller.
 */
export function toStoredJson(id: string, value: unknown): string {
  checkId(id)
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > VALUE_BYTES_MAX) throw new Error('The value is too large for the relay’s store.')
  return text
}

export function checkId(id: string): void {
  if (!ID.test(id)) throw new Error('The id contains characters that the relay’s store does not accept.')
}
