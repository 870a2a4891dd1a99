import type { Clock } from '@hm-gateway/lib/clock.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import type { Random } from '@hm-gateway/lib/random.ts'
import type { RelayMetrics } from '../metrics/metrics.ts'
import type { Store } from './store.ts'

/** Collaborators shared by most parts of a relay; each part picks the ones it needs. */
export interface RelayParts {
  /** The public origin, `https://host[:port]`. */
  readonly origin: string
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: RelayMetrics
}
