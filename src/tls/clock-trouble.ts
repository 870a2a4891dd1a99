import type { Log } from '../lib/log.ts'
import type { TimeFloor } from './time-floor.ts'

/** A clock is called behind where it is by more than what passes between two looks at it. */
const BEHIND_MS = 60_000

const WORDS = {
  behind:
    'The clock is behind a time already seen; certificates are dated by that. If the clock is right, run "hm tls renew".',
  ahead:
    'The clock was set ahead, or the gateway was off for long: the clock is believed after an hour, and certificates are dated as before until then. If it is right, run "hm tls renew".',
} as const

/** Logs that the clock is not believed, once for each time that it comes to be so. */
export class ClockTrouble {
  readonly #log: Log
  #told: keyof typeof WORDS | null = null

  constructor(log: Log) {
    this.#log = log
  }

  /** As of the last look. */
  get clock(): 'believed' | keyof typeof WORDS {
    return this.#told ?? 'believed'
  }

  report(floor: Pick<TimeFloor, 'behindMs' | 'aheadMs' | 'now'>): void {
    const trouble = floor.behindMs > BEHIND_MS ? 'behind' : floor.aheadMs > 0 ? 'ahead' : null
    if (trouble !== null && trouble !== this.#told)
      this.#log.warn({ datedBy: new Date(floor.now()).toISOString() }, WORDS[trouble])
    this.#told = trouble
  }
}
