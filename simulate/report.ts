import type { Arguments } from './arguments.ts'
import type { Outcome } from './run.ts'
import { INVARIANTS, type Invariant } from './violation.ts'

/** What of an outcome leaves the worker that ran it. */
export type Summary = Pick<Outcome, 'seed' | 'violation' | 'hash' | 'days'> & { readonly made: number }

export function report({ seed, violation, hash, days, ...rest }: Summary | Outcome): string {
  const made = 'made' in rest ? rest.made : rest.acts.length
  const head = `seed ${seed}: ${days.toFixed(1)} days, ${made} acts, ${hash}`
  if (violation === null) return head
  return `${head}\n  ${violation.invariant}: ${INVARIANTS[violation.invariant as Invariant]}\n  ${violation.what}`
}

export function summary(outcomes: readonly Summary[], tookMs: number): string {
  const days = outcomes.reduce((sum, outcome) => sum + outcome.days, 0)
  const failed = outcomes.filter(({ violation }) => violation !== null).length
  const minutes = tookMs / 60_000
  return `${outcomes.length} homes, ${Math.round(days)} home-days in ${minutes.toFixed(1)} minutes, ${failed} with a violation`
}

/** The command that makes the same run again. */
export function commandOf({ days, plant }: Arguments, { seed, acts }: Outcome): string {
  const planted = plant === undefined ? '' : ` --plant ${plant}`
  return `npm run simulate -- --seeds ${seed} --days ${days}${planted} --acts ${acts.map(({ index }) => index).join(',') || "''"}`
}
