import type { DiscardReason } from '../frame/frame.ts'
import { DISCARD_REASONS } from '../frame/frame.ts'
import { LINK_COUNTS } from './link.ts'
import type { LinkCount } from './link.ts'

/** What the line went through since the start, for the status page and for finding a bad cable. */
const OWN_COUNTS = [
  'bytesIn',
  'bytesOut',
  'framesIn',
  'framesOut',
  'discardedBytes',
  'unsoundMessages',
  'implausibleReports',
  'lateReplies',
  'linesOpened',
  'sessions',
  'sessionsLost',
  'requests',
  'done',
  'noAnswer',
  'refused',
  'unknownUnit',
  'busy',
  'unavailable',
  'collapsed',
  'failedFast',
  'reports',
] as const
type OwnCount = (typeof OWN_COUNTS)[number]
export type Count = OwnCount | LinkCount | DiscardReason

export class Counters {
  // fromEntries forgets the key type; the keys are exactly those named.
  readonly #counts = Object.fromEntries(
    [...OWN_COUNTS, ...LINK_COUNTS, ...DISCARD_REASONS].map((name) => [name, 0]),
  ) as Record<Count, number>

  add(name: Count, amount = 1): void {
    this.#counts[name] += amount
  }

  /** A copy, to show. */
  all(): Readonly<Record<Count, number>> {
    return { ...this.#counts }
  }
}
