import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'

/** Far more than a home of this size ever has under way. */
const TIMERS_MAX = 400
const WAITING_MAX = 200

/** Nothing piles up. */
export function bounded(world: World): Check {
  return {
    afterAct: () => {
      if (world.clock.waiting > TIMERS_MAX)
        throw new Violation('bounded', `${world.clock.waiting} timers wait; at most ${TIMERS_MAX} may.`)
      if (world.answering.waiting > WAITING_MAX)
        throw new Violation('bounded', `${world.answering.waiting} requests wait; at most ${WAITING_MAX} may.`)
    },
  }
}
