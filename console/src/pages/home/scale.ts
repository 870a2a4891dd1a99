/** The axis of a plot from zero: where it ends, and the steps that are named on it, the greatest first. */
export interface Scale {
  readonly top: number
  readonly steps: readonly number[]
}

const ROUND = [1, 2, 2.5, 5, 10] as const
const STEPS = 2

/** An axis that begins at zero and ends at a round number not below the greatest value. */
export function scaleOf(greatest: number): Scale {
  const rough = Math.max(greatest, 0.02) / STEPS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (ROUND.find((each) => each * power >= rough) ?? 10)
  return { top: step * STEPS, steps: Array.from({ length: STEPS + 1 }, (_, place) => step * (STEPS - place)) }
}
