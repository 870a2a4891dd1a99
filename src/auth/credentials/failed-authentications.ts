import { GATEWAY_CAUSE, type Subject, subjectKey } from '../../home/model/events.ts'
import type { ActivityStore } from '../../home/ports/history-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { networkOf } from '../../lib/network-of.ts'
import type { Via } from './credentials.ts'

/** Failures are counted this long after the first one, then recorded together. */
const GATHERED_MS = 10 * 60_000
/** Addresses with an entry of their own: those with the most failures. All others share one entry. */
const ADDRESSES_LISTED_MAX = 8
/** Most addresses counted separately until then. */
const ADDRESSES_COUNTED_MAX = 256
/** Counter key of all further addresses. */
const OTHERS = 'others'
/** Bounds of the list for administrators: number and age of the newest entries. */
const LISTED_MAX = 200
const LISTED_MS = 30 * 86_400_000

/** Reserved integration id in the activity, whose entries only administrators can read. */
const STRANGERS: Subject = { kind: 'integration', id: 'nobody' }

/** Requests of one address without a valid credential; times in epoch ms. */
export interface FailedAuthentications {
  /** Address, or /64 network of an IPv6 peer; null for several further addresses. */
  readonly address: string | null
  /** `cloud`: through a relay, which reports the address. Null: both routes, or an entry older than this field. */
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
 * Counts failed authentications (401 `unauthorized`, or 429 instead) by address and records them in the activity. The
 * number of entries is bounded whatever strangers do. Only administrators can read them.
 */
export class FailureLog {
  readonly #parts: FailureLogParts
  readonly #counts = new Map<string, FailedAuthentications>()
  #cancel = (): void => {}

  constructor(parts: FailureLogParts) {
    this.#parts = parts
  }

  /** Counts one failure of the address `peer`. */
  note(peer: string, via: Via): void {
    if (this.#counts.size === 0) this.#cancel = this.#parts.clock.after(GATHERED_MS, () => this.#recordCounts())
    const network = networkOf(peer)
    const own = `${via} ${network}`
    const isCounted = this.#counts.has(own) || this.#counts.size < ADDRESSES_COUNTED_MAX
    const key = isCounted ? own : OTHERS
    const now = this.#parts.clock.now()
    const first = { address: isCounted ? network : null, via: isCounted ? via : null, count: 0, from: now, to: now }
    const known = this.#counts.get(key) ?? first
    this.#counts.set(key, { ...known, count: known.count + 1, to: now })
  }

  /** Failures of the last 30 days, newest first, including those not recorded yet. */
  list(): readonly FailedAuthentications[] {
    const { activity, clock } = this.#parts
    const now = clock.now()
    const subjects = { only: [subjectKey(STRANGERS)] }
    const listed = activity.page({ subjects, from: now - LISTED_MS, to: now + 1, limit: LISTED_MAX })
    const failures = listed.entries.flatMap(({ data }) =>
      isFailures(data) ? [{ ...data, via: data.via ?? null }] : [],
    )
    return [...mergeCounts([...this.#counts.values()]).toReversed(), ...failures].slice(0, LISTED_MAX)
  }

  /** Records the failures counted so far. */
  stop(): void {
    this.#cancel()
    this.#recordCounts()
  }

  #recordCounts(): void {
    for (const failures of mergeCounts([...this.#counts.values()]))
      this.#parts.activity.record({
        at: this.#parts.clock.now(),
        kind: 'access',
        subject: STRANGERS,
        what: `${failures.count} ${failures.count === 1 ? 'request' : 'requests'} from ${failures.address ?? 'more addresses'}${failures.via === 'cloud' ? ' through the relay' : ''} had no valid credential`,
        cause: GATEWAY_CAUSE,
        data: { ...failures },
      })
    this.#counts.clear()
  }
}

/**
 * Merges the counts: first one sum of all further addresses, then the addresses with the most failures by time of their
 * last failure.
 */
function mergeCounts(counts: readonly FailedAuthentications[]): readonly FailedAuthentications[] {
  const most = counts.filter(({ address }) => address !== null).toSorted((a, b) => b.count - a.count)
  const listed = most.slice(0, ADDRESSES_LISTED_MAX).toSorted((a, b) => a.to - b.to)
  const rest = counts.filter((failures) => !listed.includes(failures))
  if (rest.length === 0) return listed
  return [
    {
      address: null,
      via: null,
      count: rest.reduce((sum, { count }) => sum + count, 0),
      from: Math.min(...rest.map(({ from }) => from)),
      to: Math.max(...rest.map(({ to }) => to)),
    },
    ...listed,
  ]
}

function isFailures(data: unknown): data is Omit<FailedAuthentications, 'via'> & Partial<FailedAuthentications> {
  return isObject(data) && typeof data['count'] === 'number' && 'address' in data && 'from' in data && 'to' in data
}
