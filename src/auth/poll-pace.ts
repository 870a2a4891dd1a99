import type { AgentRequest } from './agent-request.ts'
import { PENDING_MS } from './request-status.ts'
import type { SteadyTime } from './steady-time.ts'

/**
 * Seconds between two polls, at first; each `slow_down` adds as much for good (Spec 8), up to the time that a request
 * lasts.
 */
export const POLL_INTERVAL = 5
const POLL_INTERVAL_MAX = PENDING_MS / 1000
/** A poll so much too early is still in time: clocks and networks are not exact. */
const POLL_GRACE_MS = 500

/** When each request was polled last; after a restart the first poll is in time. */
export class PollPace {
  readonly #steady: Pick<SteadyTime, 'now'>
  readonly #polls = new Map<string, number>()

  constructor(steady: Pick<SteadyTime, 'now'>) {
    this.#steady = steady
  }

  /** Notes a poll; answers the interval that is to be kept from now on where it came too early, else null. */
  slowed({ request, interval }: AgentRequest): number | null {
    const now = this.#steady.now()
    const last = this.#polls.get(request)
    this.#polls.set(request, now)
    if (last === undefined || now - last >= interval * 1000 - POLL_GRACE_MS) return null
    return Math.min(POLL_INTERVAL_MAX, interval + POLL_INTERVAL)
  }

  forget(request: string): void {
    this.#polls.delete(request)
  }
}
