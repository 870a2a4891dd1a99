import type { EnergyCounter } from '../ports/history-store.ts'
import { HOUR_MS } from '../../lib/durations.ts'

export const QUARTER_MS = 900_000
/** Counters are 32 bits of Wh. */
const COUNTER_SPAN_MWH = 2 ** 32 * 1_000
/** More than any home takes: a counter that jumps above this was replaced. */
const POWER_MAX_W = 100_000
/** Counters come in whole Wh and late, so this much more is always believed. */
const SLACK_MWH = 1_000_000
/** Energy of a longer silence is spread over the end of it. */
export const GAP_SPREAD_MAX_MS = 31 * 24 * HOUR_MS

export interface Share {
  /** Start of the quarter of an hour, epoch ms. */
  readonly quarter: number
  readonly mwh: number
}

/**
 * What a device took between two readings of its counter, in mWh. A counter that went back has wrapped, where that is
 * plausible for the time that passed, or else was reset and began again at 0; what no home could take counts as none.
 */
export function energyBetween(last: EnergyCounter, now: EnergyCounter): number {
  const believable = (Math.max(0, now.at - last.at) / HOUR_MS) * POWER_MAX_W * 1_000 + SLACK_MWH
  const grown = now.mwh - last.mwh
  if (grown >= 0) return grown <= believable ? grown : 0
  const wrapped = grown + COUNTER_SPAN_MWH
  if (wrapped >= 0 && wrapped <= believable) return wrapped
  return now.mwh <= believable ? now.mwh : 0
}

/** Spreads energy evenly over the quarters between two times; the shares add up to exactly `mwh`. */
export function spread(mwh: number, from: number, to: number): readonly Share[] {
  const begin = Math.max(Math.min(from, to), to - GAP_SPREAD_MAX_MS)
  const shares: Share[] = []
  let given = 0
  for (
    let quarter = Math.floor(begin / QUARTER_MS) * QUARTER_MS;
    quarter < to || shares.length === 0;
    quarter += QUARTER_MS
  ) {
    const until = Math.min(to, quarter + QUARTER_MS)
    const due = until >= to ? mwh : Math.round((mwh * (until - begin)) / (to - begin))
    shares.push({ quarter, mwh: due - given })
    given = due
  }
  return shares.filter((share) => share.mwh > 0)
}
