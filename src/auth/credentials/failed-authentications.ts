import { GATEWAY_CAUSE, type Subject, subjectKey } from '../../home/model/events.ts'
import type { ActivityStore } from '../../home/ports/history-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { networkOf } from '../../lib/network-of.ts'
import type { Via } from './credentials.ts'

/** Failures are gathered for so long after the first of them, and then told together. */
const GATHERED_MS = 10 * 60_000
/** Addresses that are told one by one: those with the most failures. The others are told together. */
const ADDRESSES_TOLD_MAX = 8
/** Addresses that are counted one by one meanwhile. */
const ADDRESSES_COUNTED_MAX = 256
/** Under what all further addresses are counted. */
const OTHERS = 'others'
/** Administrators read so many at once, the newest, of this time. */
const LISTED_MAX = 200
const LISTED_MS = 30 * 86_400_000

/** An integration of its own in the activity, so that only administrators ever read its entries. */
const NOBODY: Subject = { kind: 'integration', id: 'nobody' }

/** Requests of one address without a valid credential; times in epoch ms. */
export interface FailedAuthentications {
  /** Of an IPv6 peer its /64 network; null: several more addresses. */
  readonly address: string | null
  /** `cloud`: through a relay, which says itself what the address is; null: both, or written before it was told. */
  readonly via: Via | null
  readonly count: number
  readonly from: number
  readonly to: number
}

export interface FailureLogParts {
  readonly clock: Clock
  readonly activity: Pick<ActivityStore, 'record' | 'page'>
}

/**
 * Requests that were answered 401 `unauthorized`, or 429 in its place: counted by address and written to the activity,
 * a few entries at a time whatever strangers do. Administrators read them, integrations never.
 */
export class FailureLog {
  readonly #parts: FailureLogParts
  readonly #gathered = new Map<string, FailedAuthentications>()
  #cancel = (): void => {}

  constructor(parts: FailureLogParts) {
    this.#parts = parts
  }

  /** One more failure of a peer, named by its address. */
  note(peer: string, via: Via): void {
    if (this.#gathered.size === 0) this.#cancel = this.#parts.clock.after(GATHERED_MS, () => this.#tell())
    const network = networkOf(peer)
    const own = `${via} ${network}`
    const isCounted = this.#gathered.has(own) || this.#gathered.size < ADDRESSES_COUNTED_MAX
    const key = isCounted ? own : OTHERS
    const now = this.#parts.clock.now()
    const first = { address: isCounted ? network : null, via: isCounted ? via : null, count: 0, from: now, to: now }
    const known = this.#gathered.get(key) ?? first
    this.#gathered.set(key, { ...known, count: known.count + 1, to: now })
  }

  /** Of the last 30 days, the newest first; what is still being gathered is among it. */
  list(): readonly FailedAuthentications[] {
    const { activity, clock } = this.#parts
    const now = clock.now()
    const subjects = { only: [subjectKey(NOBODY)] }
    const told = activity.page({ subjects, from: now - LISTED_MS, to: now + 1, limit: LISTED_MAX })
    const failures = told.entries.flatMap(({ data }) => (isFailures(data) ? [{ ...data, via: data.via ?? null }] : []))
    return [...together([...this.#gathered.values()]).toReversed(), ...failures].slice(0, LISTED_MAX)
  }

  /** Writes what was gathered so far. */
  stop(): void {
    this.#cancel()
    this.#tell()
  }

  #tell(): void {
    for (const each of together([...this.#gathered.values()]))
      this.#parts.activity.record({
        at: this.#parts.clock.now(),
        kind: 'access',
        subject: NOBODY,
        what: `${each.count} ${each.count === 1 ? 'request' : 'requests'} from ${each.address ?? 'more addresses'}${each.via === 'cloud' ? ' through the relay' : ''} had no valid credential`,
        cause: GATEWAY_CAUSE,
        data: { ...each },
      })
    this.#gathered.clear()
  }
}

/** The addresses with the most failures one by one, in the order of their last failure, after all others together. */
function together(gathered: readonly FailedAuthentications[]): readonly FailedAuthentications[] {
  const most = gathered.filter(({ address }) => address !== null).toSorted((a, b) => b.count - a.count)
  const told = most.slice(0, ADDRESSES_TOLD_MAX).toSorted((a, b) => a.to - b.to)
  const others = gathered.filter((each) => !told.includes(each))
  if (others.length === 0) return told
  return [
    {
      address: null,
      via: null,
      count: others.reduce((sum, { count }) => sum + count, 0),
      from: Math.min(...others.map(({ from }) => from)),
      to: Math.max(...others.map(({ to }) => to)),
    },
    ...told,
  ]
}

function isFailures(data: unknown): data is Omit<FailedAuthentications, 'via'> & Partial<FailedAuthentications> {
  return isObject(data) && typeof data['count'] === 'number' && 'address' in data && 'from' in data && 'to' in data
}
