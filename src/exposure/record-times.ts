import { openingAt, timeWords } from './hours.ts'
import type { Integration } from './integration.ts'

/**
 * A record that is not served at this time. `opensAt`, epoch ms: the beginning of its next hours; null if they never
 * begin before its end.
 */
export type ClosedRecord =
  | { readonly closed: 'ended' | 'clock_doubted' }
  | { readonly closed: 'outside_hours'; readonly opensAt: number | null; readonly retryAfter: number | null }

interface RecordTimesParts {
  /** The present time in epoch ms, or null while it is unknown. */
  readonly now: () => number | null
  /** Time zone of the home. */
  readonly zone: () => string
}

/** The hours of a record between two boundaries. */
interface Stretch {
  readonly zone: string
  readonly from: number
  readonly until: number
  readonly isOpen: boolean
  /** Epoch ms. */
  readonly opensAt: number | null
}

const CLOCK_DOUBTED: ClosedRecord = { closed: 'clock_doubted' }
const ENDED: ClosedRecord = { closed: 'ended' }

/**
 * Decides whether records are served now, by their end and their weekly hours. While the time is unknown, no record
 * with a limit is served (docs/administration.md#hours-and-end).
 */
export class RecordTimes {
  readonly #parts: RecordTimesParts
  /** The present stretch of each stored record, which is another object after a change. */
  readonly #stretches = new WeakMap<Integration, Stretch>()

  constructor(parts: RecordTimesParts) {
    this.#parts = parts
  }

  /** The present time in epoch ms, or null while it is unknown. */
  now(): number | null {
    return this.#parts.now()
  }

  /** A time in epoch ms by the clock of the home. */
  words(at: number): string {
    return timeWords(at, this.#parts.zone())
  }

  /** The reason why a record is not served now, or null. A disabled one is another matter. */
  closedNow(integration: Integration): ClosedRecord | null {
    const { until = null, hours = [] } = integration
    if (until === null && hours.length === 0) return null
    const now = this.#parts.now()
    if (now === null) return CLOCK_DOUBTED
    if (until !== null && now >= until) return ENDED
    if (hours.length === 0) return null
    const { isOpen, opensAt } = this.#stretch(integration, now)
    if (isOpen) return null
    const next = opensAt === null || (until !== null && opensAt >= until) ? null : opensAt
    return {
      closed: 'outside_hours',
      opensAt: next,
      retryAfter: next === null ? null : Math.ceil((next - now) / 1_000),
    }
  }

  #stretch(integration: Integration, now: number): Stretch {
    const zone = this.#parts.zone()
    const known = this.#stretches.get(integration)
    if (known !== undefined && known.zone === zone && now >= known.from && now < known.until) return known
    const { openUntil, opensAt } = openingAt(integration.hours ?? [], now, zone)
    const until = openUntil ?? opensAt ?? now
    const stretch = { zone, from: now, until, isOpen: openUntil !== null, opensAt }
    this.#stretches.set(integration, stretch)
    return stretch
  }
}
