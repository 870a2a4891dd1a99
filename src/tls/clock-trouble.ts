import { adviceOf, type WarningParts } from './advice.ts'
import type { TimeFloor } from './time-floor.ts'

/** A clock is called behind where it is by more than what passes between two looks at it. */
const BEHIND_MS = 60_000

const WORDS = {
  behind: 'The clock is behind a time already seen; certificates are dated by that. If the clock is right,',
  ahead:
    'The clock was set ahead, or this program was off for long: the clock is believed after an hour, and certificates are dated as before until then. If it is right,',
} as const

/** Logs that the clock is not believed, once for each time that it comes to be so. */
export class ClockTrouble {
  readonly #parts: WarningParts
  #told: keyof typeof WORDS | null = null

  constructor(parts: WarningParts) {
    this.#parts = parts
  }

  /** As of the last look. */
  get clock(): 'believed' | keyof typeof WORDS {
    return this.#told ?? 'believed'
  }

  report(floor: Pick<TimeFloor, 'behindMs' | 'aheadMs' | 'now'>): void {
    const trouble = floor.behindMs > BEHIND_MS ? 'behind' : floor.aheadMs > 0 ? 'ahead' : null
    if (trouble !== null && trouble !== this.#told)
      this.#parts.log.warn(
        { datedBy: new Date(floor.now()).toISOString() },
        `${WORDS[trouble]} ${adviceOf(this.#parts).believeClock}.`,
      )
    this.#told = trouble
  }
}
