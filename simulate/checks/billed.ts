import { PRICE } from '../acts/plan.ts'
import type { Tenure } from '../world/expected-state.ts'
import { Violation } from '../world/journal.ts'
import { ON_ITS_WAY_MS, type World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'

/** Later than any wrong clock. */
const FAR_AHEAD = Date.UTC(2060, 0, 1)
const CALM_MS = 60_000
/** Sum of the rounding errors of costs, which are each rounded to a millionth. */
const ROUNDING = 1e-4

/** Bounds of the counted energy in Wh. They differ only by reports that may be lost. */
interface Bounds {
  readonly least: number
  readonly most: number
}

const NOTHING: Bounds = { least: 0, most: 0 }

/** Energy and cost equal the counters of the physical units during their tenures. */
export function billed(world: World): RunCheck {
  const look = (): void => {
    const { witness, answering } = world
    if (witness === null) return
    world.lookAtUnits()
    const ask = (scope: string, bounds: Bounds): void => {
      const query = { scope, from: '0', to: String(FAR_AHEAD) }
      void answering.ask(witness, 'energy.get', { query }).then(({ status, body }) => {
        const [energy, cost] = [Number(body['energy']), Number(body['cost'])]
        if (status === 200) world.guarded(() => compare(scope, { energy, cost }, bounds))
      })
    }
    const { serial } = world.life.files.stores
    // Sums end at the present, so they exclude energy that a fast clock dated later.
    const isPartial = world.physical.reportedAhead
    const sums = new Map(
      world.tenures.ids().map((id) => {
        const { least, most } = ledgerOf(world.tenures.of(id))
        return [id, { least: isPartial ? 0 : least, most }]
      }),
    )
    for (const [id, bounds] of sums)
      if (world.tenures.current(id) !== undefined) ask(`device:${serial}:${witness.integration}:${id}`, bounds)
    ask('house', [...sums.values()].reduce(plus, NOTHING))
  }
  return {
    atRest: () => {
      if (!['line', 'down', 'disk'].some((kind) => world.troubled(kind, CALM_MS))) look()
    },
  }
}

function compare(scope: string, { energy, cost }: { energy: number; cost: number }, { least, most }: Bounds): void {
  if (energy < least || energy > most)
    throw new Violation('billed', `${scope} took ${energy} Wh, by its counters ${least} to ${most} Wh.`)
  if (Math.abs(cost - (energy / 1_000) * PRICE) > ROUNDING)
    throw new Violation('billed', `${scope} took ${energy} Wh, which cost ${cost} at ${PRICE} a kWh.`)
}

/** Bounds of the energy of an id with its gangs. @param tenures the newest first */
export function ledgerOf(tenures: readonly Tenure[]): Bounds {
  const [sure, possible] = [runsOf(tenures, false), runsOf(tenures, true)]
  const counted = (runs: readonly Tenure[]): Bounds[] =>
    runs.flatMap((tenure) => [null, ...tenure.fact.gangs.keys()].map((gang) => countedIn(tenure, gang)))
  return {
    least: counted(sure).reduce(plus, NOTHING).least,
    most: counted(possible).reduce(plus, NOTHING).most,
  }
}

/**
 * Joins tenures of one physical unit that the gateway cannot tell apart, because its counter continues.
 *
 * @param overGaps true to join them across times without the id in the house
 */
function runsOf(tenures: readonly Tenure[], overGaps: boolean): readonly Tenure[] {
  const runs: Tenure[] = []
  let gapFrom = 0
  for (const tenure of tenures.toReversed()) {
    const last = runs.at(-1)
    const isGap = tenure.from !== gapFrom
    gapFrom = tenure.until
    if (tenure.begunBy === null && tenure.physical === null && last !== undefined && !isGap) continue
    const continues = tenure.begunBy === null && tenure.physical === last?.physical && (overGaps || !isGap)
    if (continues && last !== undefined) runs[runs.length - 1] = { ...last, until: tenure.until }
    else runs.push(tenure)
  }
  return runs
}

function countedIn({ physical, fact, from, until }: Tenure, gang: number | null): Bounds {
  const state = physical?.unit.device(gang)?.state()
  if (physical === null || state?.class !== (gang === null ? fact.class : fact.gangs.get(gang))) return NOTHING
  const reports = physical.counters.filter(
    (report) => report.gang === gang && report.at >= from - ON_ITS_WAY_MS && report.at <= until + ON_ITS_WAY_MS,
  )
  const sure = reports.filter(({ certain, at }) => certain && at >= from + ON_ITS_WAY_MS && at <= until - ON_ITS_WAY_MS)
  const [first, last] = [reports[0], reports.at(-1)]
  if (first === undefined || last === undefined) return NOTHING
  // The gateway treats a lower counter as a counter that restarted at 0.
  const beginsAt = physical.isNew ? 0 : first.wh
  return { least: (sure.at(-1)?.wh ?? 0) - (sure[0]?.wh ?? 0), most: last.wh - beginsAt }
}

function plus(a: Bounds, b: Bounds): Bounds {
  return { least: a.least + b.least, most: a.most + b.most }
}
