import { SeededRandom } from '../../src/sim/seeded-random.ts'
import type { ActKind } from './act.ts'
import { ADMINISTRATOR_ACTS } from './administrators.ts'
import { CALLER_ACTS } from './callers.ts'
import { NATURE_ACTS } from './nature.ts'
import { OPENING_ACTS } from './openings.ts'
import { UNIT_ACTS } from './units.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

const ACTS = [...CALLER_ACTS, ...ADMINISTRATOR_ACTS, ...OPENING_ACTS, ...NATURE_ACTS, ...UNIT_ACTS]
const WEIGHT = ACTS.reduce((sum, { weight }) => sum + weight, 0)
/** Acts come in bouts: so many a day, of so many acts within seconds of each other. */
const BOUTS_A_DAY = 14

/** One act of a run: what, and when (monotonic milliseconds). */
export interface PlannedAct {
  readonly index: number
  readonly at: number
  readonly kind: ActKind
}

/** What happens in a run, drawn from its seed alone: leaving one act out changes no other. */
export function planOf(seed: number, days: number, from: number): PlannedAct[] {
  const chance = new SeededRandom(`plan ${seed}`)
  const acts: PlannedAct[] = []
  let at = from
  for (;;) {
    at += chance.between(0, (2 * DAY_MS) / BOUTS_A_DAY)
    let moment = at
    for (let left = chance.whole(1, 5); left > 0; left--) {
      moment += chance.chance(0.3) ? 0 : chance.whole(1, 20_000)
      if (moment >= from + days * DAY_MS) return acts
      acts.push({ index: acts.length, at: Math.floor(moment), kind: drawn(chance) })
    }
    at = moment
  }
}

function drawn(chance: SeededRandom): ActKind {
  let left = chance.between(0, WEIGHT)
  const found = ACTS.find(({ weight }) => (left -= weight) < 0)
  if (found === undefined) throw new Error('No act was drawn.')
  return found
}
