import { type RunOutcome, run, type RunOptions } from './run.ts'
import { DAY_MS } from '../src/lib/durations.ts'

/** Most runs to find a shorter history. */
const RUNS_MAX = 150

/**
 * Finds a short history that violates the same invariant. Removes groups of acts, ever smaller ones, while the
 * violation stays.
 */
export async function shrink(options: RunOptions, failed: RunOutcome): Promise<RunOutcome> {
  let runs = 0
  const fails = async (remaining: readonly number[]): Promise<boolean> => {
    runs += 1
    const { violation } = await run({ ...options, only: new Set(remaining) })
    return violation?.invariant === failed.violation?.invariant
  }
  // Acts after the violation are not needed.
  let remaining = failed.acts.filter(({ at }) => at <= failed.days * DAY_MS).map(({ index }) => index)
  for (const size of halves(remaining.length)) {
    for (let from = 0; from < remaining.length;) {
      const fewer = remaining.toSpliced(from, size)
      if (runs === RUNS_MAX) break
      if (await fails(fewer)) remaining = fewer
      else from += size
    }
  }
  return run({ ...options, only: new Set(remaining), keepsLines: true })
}

/** Returns a half, a quarter and so on of `count`, down to 1. */
function halves(count: number): number[] {
  const sizes: number[] = []
  for (let size = Math.ceil(count / 2); size > 1; size = Math.ceil(size / 2)) sizes.push(size)
  return [...sizes, 1]
}
