/** One line of the report: the work, the figure and its target. */
interface Line {
  readonly work: string
  readonly figure: string
  readonly target: string
  /** Null without a target. */
  readonly met: boolean | null
  readonly detail: string
}

const lines: Line[] = []

export function report(line: Line): void {
  lines.push(line)
  process.stdout.write(
    `${mark(line.met)} ${line.work.padEnd(56)} ${line.figure.padEnd(17)} target ${line.target.padEnd(17)} ${line.detail}\n`,
  )
}

interface Bound {
  /** Upper bound, or null. */
  readonly most: number | null
  readonly unit: string
  /** Digits after the point. */
  readonly digits?: number
  /** `+` for a difference. */
  readonly sign?: '+'
  /** False if the measurement is too small for a verdict; true by default. */
  readonly judged?: boolean
  readonly detail: string
}

/** Reports a number with an upper bound. */
export function atMost(
  work: string,
  value: number,
  { most, unit, digits = 0, sign, judged = true, detail }: Bound,
): void {
  report({
    work,
    figure: `${value >= 0 ? (sign ?? '') : ''}${value.toFixed(digits)} ${unit}`,
    target:
      most === null
        ? '-'
        : `<= ${sign ?? ''}${most.toLocaleString('en', { maximumFractionDigits: Math.max(digits, 1) })} ${unit}`,
    met: most === null || !judged ? null : value <= most,
    detail,
  })
}

/** Upper bounds in milliseconds. */
type Bounds = readonly [p50: number | null, p99: number]

/** Reports the median and the 99th percentile of some times. @param most null without a target */
export function spread(work: string, times: readonly number[], most: Bounds | null, detail: string): void {
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  const [half, nearlyAll] = most ?? []
  report({
    work,
    figure: percentilesText(times),
    target: nearlyAll === undefined ? '-' : `${half === null ? 'p99 <= ' : `<= ${half} / `}${nearlyAll.toFixed(0)} ms`,
    met: nearlyAll === undefined ? null : p50 <= (half ?? Infinity) && p99 <= nearlyAll,
    detail: `p50 / p99 of ${times.length}${detail}`,
  })
}

/** The median and the 99th percentile as text. */
export const percentilesText = (times: readonly number[]): string =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(0)} ms`

/** Reports a figure without a target. */
export function reportFigure(work: string, figure: string, detail: string): void {
  report({ work, figure, target: '-', met: null, detail })
}

/** Runs a measurement. A failure counts as a missed target and does not stop the others. */
export async function attempted(work: string, measure: () => unknown): Promise<void> {
  try {
    await measure()
  } catch (error) {
    report({ work, figure: 'failed', target: '-', met: false, detail: reason(error) })
  }
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function summary(): void {
  const judged = lines.filter((line) => line.met !== null)
  process.stdout.write(`\n${judged.filter((line) => line.met).length} of ${judged.length} targets met.\n`)
}

function mark(met: boolean | null): string {
  return met === null ? ' ' : met ? '+' : '-'
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
