/** One line of the report: what was measured, the figure, and what it is held to. */
export interface Line {
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
  readonly detail: string
}

/** Reports a number that has an upper bound. */
export function atMost(work: string, value: number, { most, unit, digits = 0, sign, detail }: Bound): void {
  report({
    work,
    figure: `${sign ?? ''}${value.toFixed(digits)} ${unit}`,
    target: most === null ? '-' : `<= ${sign ?? ''}${most.toLocaleString('en')} ${unit}`,
    met: most === null ? null : value <= most,
    detail,
  })
}

/** Reports a figure without a target. */
export function shown(work: string, figure: string, detail: string): void {
  report({ work, figure, target: '-', met: null, detail })
}

/** What cannot be measured counts as missed, and keeps nothing else from being measured. */
export async function attempted(work: string, measure: () => Promise<void>): Promise<void> {
  try {
    await measure()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    report({ work, figure: 'failed', target: '-', met: false, detail })
  }
}

export function summary(): void {
  const judged = lines.filter((line) => line.met !== null)
  process.stdout.write(`\n${judged.filter((line) => line.met).length} of ${judged.length} targets met.\n`)
}

function mark(met: boolean | null): string {
  return met === null ? ' ' : met ? '+' : '-'
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
