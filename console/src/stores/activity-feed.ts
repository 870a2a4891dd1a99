import { effect, signal } from '@preact/signals'
import { type ActivityFilter, fits } from '../activity-filter.ts'
import type { AdminActivityEntry } from '../admin-contract.ts'
import { connected } from './home.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

type Entries = readonly AdminActivityEntry[]

/** Entries of one page that the gateway is asked for. */
const PAGE = 50
/** Entries that are shown at most; whoever looks further back names a day. */
export const SHOWN_MAX = 1_000
/** Pages without anything that fits that are passed over at a time. */
const EMPTY_PAGES_MAX = 5

/** What is wanted, and of which time; `from` and `to` in epoch milliseconds, `to` exclusive and null: until now and on. */
export interface FeedQuery {
  readonly filter: ActivityFilter
  readonly from: number | null
  readonly to: number | null
}

/** A part of the activity log, the newest first: read page by page, and live where it has no end. */
export class ActivityFeed {
  /** Null before they were read. */
  readonly entries = signal<Entries | null>(null)
  /** Newer ones, which wait while somebody reads. */
  readonly held = signal<Entries>([])
  /** Where the next page begins; null where nothing older is left. */
  readonly nextTo = signal<number | null>(null)
  readonly isReading = signal(false)
  /** Why it could not be read. */
  readonly error = signal<unknown>(null)

  readonly #query: FeedQuery
  readonly #stops: readonly (() => void)[]
  #isHeld = false

  constructor(query: FeedQuery) {
    this.#query = query
    this.#stops = [
      onPushed('activity', ({ entries }) => this.#take(entries)),
      // Whatever was stored while nobody listened is read once the stream is there again.
      effect(() => {
        if (connected.value) void this.read()
      }),
    ]
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** While somebody reads nothing moves: what is new waits, and what waits is shown when it is asked for. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
  }

  showHeld(): void {
    if (this.held.peek().length === 0) return
    const all = [...this.held.peek(), ...(this.entries.peek() ?? [])]
    this.held.value = []
    this.#show(all)
  }

  /** Reads the newest page anew. */
  async read(): Promise<void> {
    await this.#reading(async () => {
      const page = await this.#pages(this.#query.to)
      this.held.value = []
      this.entries.value = page.entries
      this.nextTo.value = page.nextTo
    })
  }

  /** Adds the next older page. */
  async readOlder(): Promise<void> {
    const to = this.nextTo.peek()
    if (to === null) return
    await this.#reading(async () => {
      const page = await this.#pages(to)
      this.entries.value = [...(this.entries.peek() ?? []), ...page.entries]
      this.nextTo.value = page.nextTo
    })
  }

  /** A page with something in it, or the end, or as far back as is looked at a time. */
  async #pages(to: number | null): Promise<{ readonly entries: Entries; readonly nextTo: number | null }> {
    let page = await this.#page(to)
    for (let empty = 1; page.entries.length === 0 && page.nextTo !== null && empty < EMPTY_PAGES_MAX; empty += 1)
      page = await this.#page(page.nextTo)
    return page
  }

  #page(to: number | null): Promise<{ readonly entries: Entries; readonly nextTo: number | null }> {
    const { filter, from } = this.#query
    const range = { ...(from === null ? {} : { from: String(from) }), ...(to === null ? {} : { to: String(to) }) }
    return admin.call('get', '/admin/v1/activity', { query: { ...filter, ...range, limit: String(PAGE) } })
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    if (this.isReading.peek()) return
    this.isReading.value = true
    this.error.value = null
    try {
      await work()
    } catch (error) {
      this.error.value = error
    } finally {
      this.isReading.value = false
    }
  }

  /** New entries come the oldest first. */
  #take(told: Entries): void {
    const { filter, to } = this.#query
    const shown = this.entries.peek()
    if (to !== null || shown === null) return
    const known = new Set([...this.held.peek(), ...shown.slice(0, PAGE)].map(({ id }) => id))
    const fresh = told.filter((entry) => !known.has(entry.id) && fits(entry, filter)).toReversed()
    if (fresh.length === 0) return
    const waits = this.#isHeld || this.held.peek().length > 0
    this.held.value = [...fresh, ...this.held.peek()].slice(0, SHOWN_MAX)
    if (!waits) this.showHeld()
  }

  /** Shows as many as are shown at most; the next page then begins where they are cut, and splits no millisecond. */
  #show(all: Entries): void {
    const cut = all[SHOWN_MAX]
    if (cut === undefined) {
      this.entries.value = all
      return
    }
    this.entries.value = all.slice(0, SHOWN_MAX).filter(({ at }) => at > cut.at)
    this.nextTo.value = cut.at + 1
  }
}
