import { Violation } from '../violation.ts'
import type { World } from '../world.ts'
import type { Check } from './check.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

/** A wrong clock does not forget: what was recorded by the right one stays. */
export function kept(world: World): Check {
  const from = world.clock.now() - DAY_MS
  let most = 0
  // What was not synced before a crash may be lost.
  world.watch({
    begun: () => {
      most = 0
    },
  })
  return {
    afterAct: () => {
      if (!world.running) return
      const count = world.life.files.activityCount(from, from + world.now + DAY_MS)
      if (count < most) throw new Violation('kept', `Of ${most} entries ${most - count} are forgotten.`)
      most = count
    },
  }
}
