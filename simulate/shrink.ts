import { type Outcome, run, type RunOptions } from './run.ts'
import { DAY_MS } from '../src/lib/durations.ts'

/** Runs that are made at most to find a shorter history. */
const RUNS_MAX = 150

/**
 * The shortest history found that ends with the same invariant broken: acts are left out, ever fewer at a time, as long
 * as it still is.
 */
export async function shrink(options: RunOptions, failed: Outcome): Promise<Outcome> {
  let runs = 0
  const fails = async (kept: readonly number[]): Promise<boolean> => {
    runs += 1
    const { violation } = await run({ ...options, only: new Set(kept) })
    return violation?.invariant === failed.violation?.invariant
  }
  // What was to come after the end needs no trying.
  let kept = failed.acts.filter(({ at }) => at <= failed.days * DAY_MS).map(({ index }) => index)
  for (const size of halves(kept.length)) {
    for (let from = 0; from < kept.length;) {
      const fewer = kept.toSpliced(from, size)
      if (runs === RUNS_MAX) break
      if (await fails(fewer)) kept = fewer
      else from += size
    }
  }
  return run({ ...options, only: new Set(kept), keepsLines: true })
}

/** Half, a quarter and so on, down to 1. */
function halves(count: number): number[] {
  const sizes: number[] = []
  for (let size = Math.ceil(count / 2); size > 1; size = Math.ceil(size / 2)) sizes.push(size)
  return [...sizes, 1]
}
