/** One line of the report: what was measured, the figure, and what it is held to. */
interface Line {
  readonly work: string
  readonly figure: string
  readonly target: string
  /** Null where there is nothing to hold it to. */
  readonly met: boolean | null
  readonly detail: string
}

const lines: Line[] = []

export function report(line: Line): void {
  lines.push(line)
  process.stdout.write(
    `${mark(line.met)} ${line.work.padEnd(44)} ${line.figure.padEnd(12)} target ${line.target.padEnd(12)} ${line.detail}\n`,
  )
}

interface Bound {
  /** Null: nothing holds it. */
  readonly most: number | null
  readonly unit: string
  /** Behind the point. */
  readonly digits?: number
  /** `+` where the figure is a difference. */
  readonly sign?: '+'
  /** False where too little was measured to say that it is met; true unless said. */
  readonly judged?: boolean
  readonly detail: string
}

/** Reports a number that has an upper bound. */
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

/** Of two bounds in milliseconds, of half of the times and of 99 of 100. */
type Bounds = readonly [p50: number | null, p99: number]

/** Reports half of some times and 99 of 100 of them. @param most Null: nothing holds them. */
export function spread(work: string, times: readonly number[], most: Bounds | null, detail: string): void {
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  const [half, nearlyAll] = most ?? []
  report({
    work,
    figure: both(times),
    target: nearlyAll === undefined ? '-' : `${half === null ? 'p99 <= ' : `<= ${half} / `}${nearlyAll.toFixed(0)} ms`,
    met: nearlyAll === undefined ? null : p50 <= (half ?? Infinity) && p99 <= nearlyAll,
    detail: `p50 / p99 of ${times.length}${detail}`,
  })
}

/** Half of some times, and 99 of 100 of them. */
export const both = (times: readonly number[]): string =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(0)} ms`

/** Reports a figure without a target. */
export function shown(work: string, figure: string, detail: string): void {
  report({ work, figure, target: '-', met: null, detail })
}

/** What cannot be measured counts as missed, and keeps nothing else from being measured. */
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
