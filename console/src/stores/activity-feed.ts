import { effect, signal } from '@preact/signals'
import type { ActivityCause, AdminActivityEntry, AdminPaths } from '../lib/admin-contract.ts'
import { connected } from './home.ts'
import { localDevices } from './local-devices.ts'
import { onPushed } from './pushed.ts'
import { admin } from './session.ts'

/** Which entries are wanted, in the words of `GET /admin/v1/activity`; the address of the page has the same. */
type ActivityFilter = Omit<NonNullable<AdminPaths['/admin/v1/activity']['get']['query']>, 'from' | 'to' | 'limit'>

const NAMES = ['kind', 'source', 'room', 'device', 'integration', 'rule'] as const

/** The filter that an address names. What the gateway knows no such word for, it refuses itself. */
export function filterIn(query: Readonly<Record<string, string>>): ActivityFilter {
  return Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** Whether an entry that was just told is among those that are wanted: the gateway's own rule. */
function fits({ kind, subject, subjectId, cause }: AdminActivityEntry, filter: ActivityFilter): boolean {
  const causes = chainOf(cause)
  const { integration, rule, room, device } = filter
  const isOf = (subjects: readonly string[], id: string): boolean => subjects.includes(subject) && subjectId === id
  return (
    (filter.kind === undefined || filter.kind === kind) &&
    (filter.source === undefined || filter.source === cause.source) &&
    (device === undefined || isOf(['device'], device)) &&
    (room === undefined || isOf(['room'], room) || (subject === 'device' && roomOf(subjectId) === room)) &&
    (integration === undefined ||
      isOf(['integration'], integration) ||
      causes.some((each) => each.integration === integration)) &&
    (rule === undefined ||
      isOf(['scene', 'automation', 'schedule'], rule) ||
      causes.some(({ ref, source }) => ref === rule && source !== 'unit'))
  )
}

/** A cause, then what set it off, and so on. */
export const chainOf = (cause: ActivityCause): readonly ActivityCause[] => [
  cause,
  ...(cause.by === undefined ? [] : chainOf(cause.by)),
]

const roomOf = (device: string | null): string | null | undefined => localDevices.value.get(device ?? '')?.room

type Entries = readonly AdminActivityEntry[]

/** Entries of one page that the gateway is asked for. */
const PAGE = 50
/** Entries that are shown at most; whoever looks further back names a day. */
export const SHOWN_MAX = 1_000
/** So many pages more than the first are looked at in one go, for one that has something or meets what is shown. */
const FURTHER_PAGES_MAX = 4

/** What is wanted, and of which time; `from` and `to` in epoch milliseconds, `to` exclusive and null: until now and on. */
export interface FeedQuery {
  readonly filter: ActivityFilter
  readonly from: number | null
  readonly to: number | null
}

/** A stretch of the log, and where the next older begins; null where nothing older is left. */
interface Stretch {
  readonly entries: Entries
  readonly nextTo: number | null
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
  /** Something may be missing at the newest end. */
  #isStale = false

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
    const all = newestFirst(this.#all())
    this.held.value = []
    this.#show(all)
  }

  /** Reads what is newer than what is shown; where something is read already, afterwards. */
  async read(): Promise<void> {
    this.#isStale = true
    await this.#reading(() => this.#readNewest())
  }

  /** Adds the next older page. */
  async readOlder(): Promise<void> {
    const to = this.nextTo.peek()
    if (to === null) return
    await this.#reading(async () => {
      const page = await this.#pages(to, ({ length }) => length > 0)
      this.entries.value = [...(this.entries.peek() ?? []), ...page.entries]
      this.nextTo.value = page.nextTo
    })
  }

  /** Adds what is newer to what is shown. Only where the two do not meet it begins anew: it would have a hole. */
  async #readNewest(): Promise<void> {
    this.#isStale = false
    const known = idsOf(this.#all())
    const meets = (entries: Entries): boolean =>
      known.size === 0 ? entries.length > 0 : entries.some(({ id }) => known.has(id))
    const { entries, nextTo } = await this.#pages(this.#query.to, meets)
    if (known.size > 0 && (nextTo === null || meets(entries))) {
      this.#add(entries)
      return
    }
    const toldMeanwhile = this.#all().filter(({ id }) => !known.has(id))
    this.held.value = []
    this.entries.value = entries
    this.nextTo.value = nextTo
    this.#add(toldMeanwhile)
  }

  /** Pages until there are enough of them, or the end, or as far back as is looked at in one go. */
  async #pages(to: number | null, isEnough: (entries: Entries) => boolean): Promise<Stretch> {
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

  #page(to: number | null): Promise<Stretch> {
    const { filter, from } = this.#query
    const range = { ...(from === null ? {} : { from: String(from) }), ...(to === null ? {} : { to: String(to) }) }
    return admin.call('get', '/admin/v1/activity', { query: { ...filter, ...range, limit: String(PAGE) } })
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    if (this.isReading.peek()) return
    this.isReading.value = true
    await this.#tried(work)
    while (this.#isStale) await this.#tried(() => this.#readNewest())
    this.isReading.value = false
  }

  async #tried(work: () => Promise<void>): Promise<void> {
    this.error.value = null
    try {
      await work()
    } catch (error) {
      this.error.value = error
    }
  }

  /** New entries come the oldest first. */
  #take(told: Entries): void {
    const { filter, to } = this.#query
    if (to !== null) return
    // The first page may have been looked up before this happened, and what is read again anyway brings it.
    if (this.entries.peek() === null) this.#isStale = true
    if (this.#isStale) return
    this.#add(told.filter((entry) => fits(entry, filter)).toReversed())
  }

  /** Adds those that are not there yet; they wait while somebody reads. */
  #add(entries: Entries): void {
    const known = idsOf(this.#all())
    const fresh = entries.filter(({ id }) => !known.has(id))
    if (fresh.length === 0) return
    const waits = this.#isHeld || this.held.peek().length > 0
    this.held.value = newestFirst([...fresh, ...this.held.peek()]).slice(0, SHOWN_MAX)
    if (!waits) this.showHeld()
  }

  /** What waits and what is shown. */
  #all(): Entries {
    return [...this.held.peek(), ...(this.entries.peek() ?? [])]
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

const idsOf = (entries: Entries): ReadonlySet<string> => new Set(entries.map(({ id }) => id))

/** Those of one millisecond stay in the order in which they are. */
const newestFirst = (entries: Entries): Entries => entries.toSorted((one, other) => other.at - one.at)
