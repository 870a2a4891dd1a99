import { effect, signal } from '@preact/signals'
import type { AdminActivityEntry } from '../lib/admin-contract.ts'
import { type ActivityFilter, followLog, type LogPage, matches, readLog } from './activity-log.ts'
import { connected } from './home.ts'

const NAMES = ['kind', 'source', 'room', 'device', 'integration', 'rule'] as const

/** Reads the filter from an address. The gateway refuses unknown values. */
export function filterIn(query: Readonly<Record<string, string>>): ActivityFilter {
  return Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

type Entries = readonly AdminActivityEntry[]

/** Entries per request. */
const PAGE_SIZE = 50
/** Longest list; a day or a filter leads further back. */
export const SHOWN_MAX = 1_000
/** Further requests in one search for matching entries or for the overlap with the list. */
const FURTHER_PAGES_MAX = 4

/** Filter and time range of a feed: epoch milliseconds, `to` exclusive; a null `to` means live. */
export interface FeedQuery {
  readonly filter: ActivityFilter
  readonly from: number | null
  readonly to: number | null
}

/** The activity log, the newest first, loaded page by page. Without an end (`to`) it is live. */
export class ActivityFeed {
  /** Null before the first answer. */
  readonly entries = signal<Entries | null>(null)
  /** Entries that arrived while the list is paused. */
  readonly newEntries = signal<Entries>([])
  /** End of the next older page; null at the end of the log. */
  readonly nextTo = signal<number | null>(null)
  readonly isReading = signal(false)
  /** Error of the last request; null if it succeeded. */
  readonly error = signal<unknown>(null)

  readonly #query: FeedQuery
  readonly #stops: readonly (() => void)[]
  #isPaused = false
  /** True if newer entries may be missing. */
  #isStale = false

  constructor(query: FeedQuery) {
    this.#query = query
    this.#stops = [
      followLog({ receive: (entries) => this.#receive(entries), read: () => this.#readIfLive() }),
      // The stream sends no entries from before its connection.
      effect(() => {
        if (connected.value) void this.read()
      }),
    ]
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  /** Pauses or resumes the list. While it is paused, new entries wait until `showNew`. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
  }

  /** Moves the waiting entries into the list. */
  showNew(): void {
    if (this.newEntries.peek().length === 0) return
    const all = newestFirst(this.#all())
    this.newEntries.value = []
    this.#show(all)
  }

  /** Reads newer entries, after a running request if there is one. */
  async read(): Promise<void> {
    this.#isStale = true
    await this.#exclusively(() => this.#readNewest())
  }

  /** Adds the next older page. */
  async readOlder(): Promise<void> {
    const to = this.nextTo.peek()
    if (to === null) return
    await this.#exclusively(async () => {
      const page = await this.#pages(to, ({ length }) => length > 0)
      this.entries.value = [...(this.entries.peek() ?? []), ...page.entries]
      this.nextTo.value = page.nextTo
    })
  }

  /** Adds newer entries. If they do not overlap with the list, they replace it, so that the list has no gap. */
  async #readNewest(): Promise<void> {
    this.#isStale = false
    const known = idsOf(this.#all())
    const overlaps = (entries: Entries): boolean =>
      known.size === 0 ? entries.length > 0 : entries.some(({ id }) => known.has(id))
    const { entries, nextTo } = await this.#pages(this.#query.to, overlaps)
    if (known.size > 0 && (nextTo === null || overlaps(entries))) {
      this.#add(entries)
      return
    }
    const receivedMeanwhile = this.#all().filter(({ id }) => !known.has(id))
    this.newEntries.value = []
    this.entries.value = entries
    this.nextTo.value = nextTo
    this.#add(receivedMeanwhile)
  }

  /** Reads pages until `isEnough`, the end of the log or the limit for one search. */
  async #pages(to: number | null, isEnough: (entries: Entries) => boolean): Promise<LogPage> {
    const first = await this.#page(to)
    const entries = [...first.entries]
    let { nextTo } = first
    for (let further = 0; nextTo !== null && !isEnough(entries) && further < FURTHER_PAGES_MAX; further += 1) {
      const page = await this.#page(nextTo)
      entries.push(...page.entries)
      nextTo = page.nextTo
    }
    return { entries, nextTo }
  }

  #page(to: number | null): Promise<LogPage> {
    const { filter, from } = this.#query
    const range = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
    return readLog(filter, { ...range, limit: PAGE_SIZE })
  }

  async #exclusively(work: () => Promise<void>): Promise<void> {
    if (this.isReading.peek()) return
    this.isReading.value = true
    await this.#attempt(work)
    while (this.#isStale) await this.#attempt(() => this.#readNewest())
    this.isReading.value = false
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.error.value = null
    try {
      await work()
    } catch (error) {
      this.error.value = error
    }
  }

  #readIfLive(): void {
    if (this.#query.to === null) void this.read()
  }

  /** Entries of the stream, the oldest first. */
  #receive(received: Entries): void {
    const { filter, to } = this.#query
    if (to !== null) return
    // The first answer may miss this entry; one more read brings it.
    if (this.entries.peek() === null) this.#isStale = true
    if (this.#isStale) return
    this.#add(received.filter((entry) => matches(entry, filter)).toReversed())
  }

  /** Adds unknown entries; they wait while the list is paused. */
  #add(entries: Entries): void {
    const known = idsOf(this.#all())
    const fresh = entries.filter(({ id }) => !known.has(id))
    if (fresh.length === 0) return
    const mustWait = this.#isPaused || this.newEntries.peek().length > 0
    this.newEntries.value = newestFirst([...fresh, ...this.newEntries.peek()]).slice(0, SHOWN_MAX)
    if (!mustWait) this.showNew()
  }

  /** Waiting and visible entries. */
  #all(): Entries {
    return [...this.newEntries.peek(), ...(this.entries.peek() ?? [])]
  }

  /** Cuts the list at its limit, between two milliseconds, so that the next page continues without a gap. */
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

const idsOf = (entries: Entries): ReadonlySet<string> => new Set(entries.map(({ id }) => id))

/** Entries of one millisecond keep their order. */
const newestFirst = (entries: Entries): Entries => entries.toSorted((one, other) => other.at - one.at)
