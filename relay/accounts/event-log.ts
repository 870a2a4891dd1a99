import { z } from 'zod'
import type { Clock } from '@hm-gateway/lib/clock.ts'
import { RelayUnavailable } from '../model/unavailable.ts'
import { TABLES } from '../store/store.ts'
import { Table } from '../store/table.ts'
import { placeOf } from './visitor.ts'
import type { RelayParts } from '../store/parts.ts'

/** Events of one account, and of the relay as a whole, the newest last. */
export const EVENTS_OF_ACCOUNT_MAX = 200
export const EVENTS_OF_RELAY_MAX = 200
/** One row of the store holds them all. */
const ABOUT_LENGTH_MAX = 100
/** Repeated events within this time are one entry with a count. */
const SAME_ENTRY_MS = 3_600_000
/** Counts of refused tries are stored this often: whoever sends many must not write as many. */
export const COUNTS_STORED_EACH_MS = 10_000
/** Places of refused tries that one entry names. */
const PLACES_MAX = 3
const OTHER_PLACES = 'others'
/** Accounts whose refused tries are counted between two writes; further ones are counted together. */
const COUNTED_ACCOUNTS_MAX = 200
/** The row with the events of all accounts. */
const ALL = 'all'

const EVENT_KINDS = [
  ...['signed_up', 'signed_in', 'sign_in_failed', 'limit_reached', 'signed_out_others'],
  ...['password_changed', 'password_reset', 'reset_link_made', 'passkey_added', 'passkey_removed'],
  ...['home_linked', 'home_unlinked', 'client_approved', 'account_deleted'],
] as const
type RefusedKind = 'sign_in_failed' | 'limit_reached'
export type EventKind = (typeof EVENT_KINDS)[number]

const Event = z.object({
  /** Time of the first one. */
  at: z.int(),
  /** Time of the last one; entries of earlier versions lack it. */
  last: z.int().optional(),
  kind: z.enum(EVENT_KINDS),
  /** Id of the account; null: nobody has the address, or the account is gone. */
  account: z.string().nullable(),
  /** How often from `at` to `last`. */
  count: z.int(),
  /** Browser, places, serial of the home or id of the OAuth client; no secret, and nothing of a home. */
  about: z.string(),
})
export type Event = z.infer<typeof Event>
const Events = z.object({ events: z.array(Event) })
type Events = z.infer<typeof Events>

/**
 * Events of accounts, for the operator (docs/relay.md#events). A log that cannot be written keeps nobody from what they
 * do.
 */
export class EventLog {
  readonly #clock: Clock
  readonly #rows: Table<Events>
  readonly #counts = new Map<string, Event>()
  #cancel: (() => void) | null = null

  constructor({ store, clock }: Pick<RelayParts, 'store' | 'clock'>) {
    this.#clock = clock
    this.#rows = new Table(store, 'events', Events)
  }

  async record(kind: EventKind, account: string | null, about = ''): Promise<void> {
    const text = about.replaceAll(/[^\x20-\x7e…]/g, '?').slice(0, ABOUT_LENGTH_MAX)
    const at = this.#clock.now()
    await this.#write([{ at, last: at, kind, account, count: 1, about: text }])
  }

  /** Counts a refused try, of which there may be many. */
  count(kind: RefusedKind, account: string | null, peer: string): void {
    const isRoom = this.#counts.size < COUNTED_ACCOUNTS_MAX
    const whose = isRoom || this.#counts.has(`${kind} ${account}`) ? account : null
    const now = this.#clock.now()
    const event: Event = { at: now, last: now, kind, account: whose, count: 1, about: placeOf(peer) }
    const counted = this.#counts.get(`${kind} ${whose}`)
    this.#counts.set(`${kind} ${whose}`, counted === undefined ? event : together(counted, event))
    this.#cancel ??= this.#clock.after(COUNTS_STORED_EACH_MS, () => void this.flush())
  }

  /** Stores what was counted since. */
  async flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = null
    const counted = [...this.#counts.values()]
    this.#counts.clear()
    if (counted.length > 0) await this.#write(counted)
  }

  /** The events of one account, or of all; the newest last. */
  async of(account: string | null): Promise<readonly Event[]> {
    const row = await this.#rows.get(account ?? ALL)
    return row === null ? [] : this.#kept(row.events)
  }

  /** Removes all events of the account except the deletion itself. */
  async forget(account: string): Promise<void> {
    this.#counts.forEach((counted, key) => counted.account === account && this.#counts.delete(key))
    await this.#rows.delete(account)
    await this.#rows.change(ALL, ({ events }) => ({ events: events.filter((each) => each.account !== account) }))
    await this.record('account_deleted', null)
  }

  async #write(events: readonly Event[]): Promise<void> {
    const accounts = new Set(events.flatMap(({ account }) => account ?? []))
    try {
      await this.#append(ALL, events, EVENTS_OF_RELAY_MAX)
      for (const account of accounts)
        await this.#append(
          account,
          events.filter((each) => each.account === account),
          EVENTS_OF_ACCOUNT_MAX,
        )
    } catch (error) {
      if (!(error instanceof RelayUnavailable)) throw error
    }
  }

  async #append(row: string, events: readonly Event[], max: number): Promise<void> {
    const joined = (before: readonly Event[]): Events => ({
      events: events.reduce(withEvent, this.#kept(before)).slice(-max),
    })
    if (await this.#rows.create(row, joined([]))) return
    await this.#rows.change(row, (now) => joined(now.events))
  }

  #kept(events: readonly Event[]): readonly Event[] {
    const since = this.#clock.now() - TABLES.events
    return events.filter((event) => lastOf(event) > since)
  }
}

/** Adds an event by its last time. Refused tries of an hour, and other repeats in a row, are one entry. */
function withEvent(events: readonly Event[], event: Event): readonly Event[] {
  const same = isRefusal(event)
    ? events.findLast((each) => each.kind === event.kind && each.account === event.account)
    : events.findLast((each) => each.account === event.account)
  const isOne = same !== undefined && isRepeat(same, event)
  const others = isOne ? events.filter((each) => each !== same) : events
  const added = isOne ? together(same, event) : event
  return [...others, added].toSorted((one, other) => lastOf(one) - lastOf(other))
}

const lastOf = ({ at, last = at }: Event): number => last
const isRefusal = ({ kind }: Event): boolean => kind === 'sign_in_failed' || kind === 'limit_reached'

const isRepeat = (one: Event, other: Event): boolean =>
  one.kind === other.kind && (isRefusal(one) || one.about === other.about) && other.at - one.at < SAME_ENTRY_MS

const together = (one: Event, other: Event): Event => ({
  ...one,
  last: Math.max(lastOf(one), lastOf(other)),
  count: one.count + other.count,
  about: isRefusal(one) ? bothPlaces(one.about, other.about) : one.about,
})

/** Places of refused tries, without repeats. */
function bothPlaces(one: string, other: string): string {
  const places = [...new Set([one, other].flatMap((text) => text.split(', ').filter((place) => place !== '')))]
  const named = places.filter((place) => place !== OTHER_PLACES)
  const isAll = named.length === places.length && named.length <= PLACES_MAX
  return [...named.slice(0, PLACES_MAX), ...(isAll ? [] : [OTHER_PLACES])].join(', ')
}
