import type { HomeEvent } from '../src/home/home-event.ts'

/** How much of core.db's log there is, and which credentials are noted as ended. */
export interface DiskMark {
  readonly frames: number
  readonly revoked: string
}

/** What checks and acts are told of. */
export interface Watcher {
  readonly event?: (event: HomeEvent) => void
  /** A change begins that the power may cut off. */
  readonly marked?: () => void
  /** The gateway is about to stop, or to lose its power. */
  readonly ends?: () => void
  /** A life of the gateway has begun. */
  readonly begun?: () => void
}
