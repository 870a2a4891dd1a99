import type { CounterReading, LargestUse } from '../ports/energy-store.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'

export const QUARTER_MS = 900_000
/** Counters are 32 bits of Wh. */
const COUNTER_SPAN_MWH = 2 ** 32 * 1_000
/** Power that no home exceeds. */
const POWER_MAX_W = 100_000
/** Growth up to this is always accepted, because counters report whole Wh, and late. */
export const ALWAYS_PLAUSIBLE_MWH = 1_000_000
/** A device may exceed its largest use by this factor before an administrator must decide. */
const LARGEST_USES = 3
/** A gap up to this is too short to replace a unit. */
const NO_SILENCE_MS = 2 * MINUTE_MS
/** In a gap up to this, a device may use twice its reported power. Units report every 15 minutes. */
const REPORTED_POWER_GAP_MS = HOUR_MS
const REPORTED_POWER_TIMES = 2
/** Energy of a longer gap is spread over its end. */
export const GAP_SPREAD_MAX_MS = 31 * DAY_MS

export interface Share {
  /** Start of the quarter of an hour, epoch ms. */
  readonly quarter: number
  readonly mwh: number
}

/** Energy between two readings of a counter. A jump is more than is plausible for the device. */
export interface Growth {
  readonly mwh: number
  readonly jumped: boolean
}

/**
 * Energy that a device used between two readings of its counter, in mWh. A counter that decreased has wrapped if that
 * is plausible, else it was reset to 0.
 *
 * @param largest the largest use of the device so far; read only if the growth is large
 */
export function growthBetween(
  last: CounterReading,
  now: CounterReading & { readonly powerW: number },
  largest: () => LargestUse,
): Growth {
  const grown = now.mwh - last.mwh
  if (grown >= 0 && grown <= ALWAYS_PLAUSIBLE_MWH) return { mwh: grown, jumped: false }
  const limit = plausibleGrowth(now.at - last.at, largest(), now.powerW)
  const readings = grown >= 0 ? [grown] : [grown + COUNTER_SPAN_MWH, now.mwh]
  const mwh = readings.find((growth) => growth >= 0 && growth <= limit)
  return mwh === undefined ? { mwh: grown >= 0 ? grown : now.mwh, jumped: true } : { mwh, jumped: false }
}

/** Energy that a device of this use may plausibly take in a gap between two readings. */
function plausibleGrowth(gapMs: number, { dayMwh, quarterMwh }: LargestUse, powerW: number): number {
  const gap = Math.max(0, gapMs)
  const byDays = (dayMwh * gap) / DAY_MS
  // Within a day a device may reach its largest quarter, but not more than its largest day.
  const byQuarters = Math.min(dayMwh, (quarterMwh * gap) / QUARTER_MS)
  const byPower = gap <= REPORTED_POWER_GAP_MS ? REPORTED_POWER_TIMES * (gap / HOUR_MS) * powerW * 1_000 : 0
  const ownUse = Math.max(ALWAYS_PLAUSIBLE_MWH, byPower, LARGEST_USES * Math.max(byDays, byQuarters))
  if (gap > NO_SILENCE_MS) return ownUse
  return Math.max(ownUse, ALWAYS_PLAUSIBLE_MWH + (gap / HOUR_MS) * POWER_MAX_W * 1_000)
}

/** Spreads energy evenly over the quarters between two times; the shares add up to exactly `mwh`. */
export function spread(mwh: number, from: number, to: number): readonly Share[] {
  const begin = Math.max(Math.min(from, to), to - GAP_SPREAD_MAX_MS)
  const shares: Share[] = []
  let allocated = 0
  for (
    let quarter = Math.floor(begin / QUARTER_MS) * QUARTER_MS;
    quarter < to || shares.length === 0;
    quarter += QUARTER_MS
  ) {
    const until = Math.min(to, quarter + QUARTER_MS)
    const total = until >= to ? mwh : Math.round((mwh * (until - begin)) / (to - begin))
    shares.push({ quarter, mwh: total - allocated })
    allocated = total
  }
  return shares.filter((share) => share.mwh > 0)
}
