import { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { TABLES } from '../store/store.ts'
import { Table } from '../store/table.ts'
import { placeOf } from './visitor.ts'
import type { RelayParts } from '../store/relay-parts.ts'

/** Stored events of one account, and of the whole relay. */
export const EVENTS_OF_ACCOUNT_MAX = 200
export const EVENTS_OF_RELAY_MAX = 200
/** Short, because one row of the store contains all events. */
const ABOUT_LENGTH_MAX = 100
/** Repeated events within this time are one entry with a count. */
const SAME_ENTRY_MS = 3_600_000
/** Counts of refused tries are stored at this interval, so that an attack causes few writes. */
export const COUNT_FLUSH_MS = 10_000
/** Places that one entry of refused tries names. */
const PLACES_MAX = 3
const OTHER_PLACES = 'others'
/** Accounts with their own count between two writes; the others share one count. */
const COUNTED_ACCOUNTS_MAX = 200
/** Row with the events of all accounts. */
const ALL = 'all'

const EVENT_KINDS = [
  ...['signed_up', 'signed_in', 'sign_in_failed', 'limit_reached', 'signed_out_others'],
  ...['password_changed', 'password_reset', 'reset_link_made', 'passkey_added', 'passkey_removed'],
  ...['home_linked', 'home_unlinked', 'client_approved', 'account_deleted'],
] as const
type RefusedKind = 'sign_in_failed' | 'limit_reached'
export type AccountEventKind = (typeof EVENT_KINDS)[number]

const Event = z.object({
  /** Time of the first occurrence. */
  at: z.int(),
  /** Time of the last occurrence; entries of earlier versions lack it. */
  last: z.int().optional(),
  kind: z.enum(EVENT_KINDS),
  /** Id of the account; null for an unknown address or a deleted account. */
  account: z.string().nullable(),
  /** Occurrences from `at` to `last`. */
  count: z.int(),
  /** Browser, places, serial of the home or id of the OAuth client; no secret, and no data of a home. */
  about: z.string(),
})
export type Event = z.infer<typeof Event>
const Events = z.object({ events: z.array(Event) })
type Events = z.infer<typeof Events>

/** Events of accounts, for the operator (docs/relay.md#events). A failed write never stops the person's action. */
export class EventLog {
  readonly #clock: Clock
  readonly #rows: Table<Events>
  readonly #counts = new Map<string, Event>()
  #cancelFlush: (() => void) | null = null

  constructor({ store, clock }: Pick<RelayParts, 'store' | 'clock'>) {
    this.#clock = clock
    this.#rows = new Table(store, 'events', Events)
  }

  async record(kind: AccountEventKind, account: string | null, about = ''): Promise<void> {
    const text = about.replaceAll(/[^\x20-\x7e…]/g, '?').slice(0, ABOUT_LENGTH_MAX)
    const at = this.#clock.now()
    await this.#write([{ at, last: at, kind, account, count: 1, about: text }])
  }

  /** Counts a refused try, which is stored with the next flush. */
  count(kind: RefusedKind, account: string | null, peer: string): void {
    const hasRoom = this.#counts.size < COUNTED_ACCOUNTS_MAX
    const countedAccount = hasRoom || this.#counts.has(`${kind} ${account}`) ? account : null
    const now = this.#clock.now()
    const event: Event = { at: now, last: now, kind, account: countedAccount, count: 1, about: placeOf(peer) }
    const counted = this.#counts.get(`${kind} ${countedAccount}`)
    this.#counts.set(`${kind} ${countedAccount}`, counted === undefined ? event : merged(counted, event))
    this.#cancelFlush ??= this.#clock.after(COUNT_FLUSH_MS, () => void this.flush())
  }

  /** Stores the counts. */
  async flush(): Promise<void> {
    this.#cancelFlush?.()
    this.#cancelFlush = null
    const counted = [...this.#counts.values()]
    this.#counts.clear()
    if (counted.length > 0) await this.#write(counted)
  }

  /** The events of one account, or of all if null; the newest last. */
  async of(account: string | null): Promise<readonly Event[]> {
    const row = await this.#rows.get(account ?? ALL)
    return row === null ? [] : this.#unexpired(row.events)
  }

  /** Removes all events of the account except the deletion itself. */
  async forget(account: string): Promise<void> {
    this.#counts.forEach((counted, key) => counted.account === account && this.#counts.delete(key))
    await this.#rows.delete(account)
    await this.#rows.change(ALL, ({ events }) => ({ events: events.filter((event) => event.account !== account) }))
    await this.record('account_deleted', null)
  }

  async #write(events: readonly Event[]): Promise<void> {
    const accounts = new Set(events.flatMap(({ account }) => account ?? []))
    try {
      await this.#append(ALL, events, EVENTS_OF_RELAY_MAX)
      for (const account of accounts)
        await this.#append(
          account,
          events.filter((event) => event.account === account),
          EVENTS_OF_ACCOUNT_MAX,
        )
    } catch (error) {
      if (!(error instanceof RelayUnavailable)) throw error
    }
  }

  async #append(row: string, events: readonly Event[], max: number): Promise<void> {
    const appendedTo = (stored: readonly Event[]): Events => ({
      events: events.reduce(withEvent, this.#unexpired(stored)).slice(-max),
    })
    if (await this.#rows.create(row, appendedTo([]))) return
    await this.#rows.change(row, (stored) => appendedTo(stored.events))
  }

  #unexpired(events: readonly Event[]): readonly Event[] {
    const since = this.#clock.now() - TABLES.events
    return events.filter((event) => lastOf(event) > since)
  }
}

/** Inserts an event in the order of last times. Refused tries within an hour, and other direct repeats, are merged. */
function withEvent(events: readonly Event[], event: Event): readonly Event[] {
  const previous = isRefusal(event)
    ? events.findLast(({ kind, account }) => kind === event.kind && account === event.account)
    : events.findLast(({ account }) => account === event.account)
  const isMerged = previous !== undefined && isRepeat(previous, event)
  const rest = isMerged ? events.filter((stored) => stored !== previous) : events
  const added = isMerged ? merged(previous, event) : event
  return [...rest, added].toSorted((one, other) => lastOf(one) - lastOf(other))
}

const lastOf = ({ at, last = at }: Event): number => last
const isRefusal = ({ kind }: Event): boolean => kind === 'sign_in_failed' || kind === 'limit_reached'

const isRepeat = (one: Event, other: Event): boolean =>
  one.kind === other.kind && (isRefusal(one) || one.about === other.about) && other.at - one.at < SAME_ENTRY_MS

const merged = (one: Event, other: Event): Event => ({
  ...one,
  last: Math.max(lastOf(one), lastOf(other)),
  count: one.count + other.count,
  about: isRefusal(one) ? bothPlaces(one.about, other.about) : one.about,
})

/** Merges two lists of places without repeats. */
function bothPlaces(one: string, other: string): string {
  const places = [...new Set([one, other].flatMap((text) => text.split(', ').filter((place) => place !== '')))]
  const named = places.filter((place) => place !== OTHER_PLACES)
  const isAll = named.length === places.length && named.length <= PLACES_MAX
  return [...named.slice(0, PLACES_MAX), ...(isAll ? [] : [OTHER_PLACES])].join(', ')
}
