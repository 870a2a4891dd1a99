import { adviceOf, type WarningParts } from './advice.ts'
import type { TimeFloor } from './time-floor.ts'

/** A clock counts as behind if it is by more than the interval between two checks. */
const BEHIND_MS = 60_000

const WORDS = {
  behind: 'The clock is behind an earlier time, so certificates are dated by that earlier time. If the clock is right,',
  ahead:
    'The clock was set ahead, or this program was off for long: it is trusted after an hour, and certificates are dated as before until then. If it is right,',
} as const

type Measured = Pick<TimeFloor, 'behindMs' | 'aheadMs'>

/** Reason why the clock is not trusted, or null. */
function troubleOf({ behindMs, aheadMs }: Measured): keyof typeof WORDS | null {
  return behindMs > BEHIND_MS ? 'behind' : aheadMs > 0 ? 'ahead' : null
}

export const isTroubled = (floor: Measured): boolean => troubleOf(floor) !== null

/** Logs a clock that is not trusted, once per change. */
export class ClockTrouble {
  readonly #parts: WarningParts
  #logged: keyof typeof WORDS | null = null

  constructor(parts: WarningParts) {
    this.#parts = parts
  }

  /** Result of the last check. */
  get clock(): 'believed' | keyof typeof WORDS {
    return this.#logged ?? 'believed'
  }

  report(floor: Measured & Pick<TimeFloor, 'now'>): void {
    const trouble = troubleOf(floor)
    if (trouble !== null && trouble !== this.#logged)
      this.#parts.log.warn(
        { datedBy: new Date(floor.now()).toISOString() },
        `${WORDS[trouble]} ${adviceOf(this.#parts).believeClock}.`,
      )
    this.#logged = trouble
  }
}
