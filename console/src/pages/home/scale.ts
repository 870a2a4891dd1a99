/** Axis of a plot from zero to `top`, with its labelled steps, the greatest first. */
export interface Scale {
  readonly top: number
  readonly steps: readonly number[]
}

const ROUND_FACTORS = [1, 2, 2.5, 5, 10] as const
const STEPS = 2

/** Axis from zero to a round number that covers the greatest value. */
export function scaleOf(greatest: number): Scale {
  const rough = Math.max(greatest, 0.02) / STEPS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (ROUND_FACTORS.find((factor) => factor * power >= rough) ?? 10)
  return { top: step * STEPS, steps: Array.from({ length: STEPS + 1 }, (_, place) => step * (STEPS - place)) }
}
