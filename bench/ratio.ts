import type { LoadRun } from './load.ts'
import { percentile } from './report.ts'

/** A load and its server. */
type Work = readonly [load: LoadRun, server: { cpuNs(): number }]

export interface Ratio {
  /**
   * Processor time per piece of work, the baseline's divided by ours: the median of the rounds, the least and the most.
   * It is steadier than throughput.
   */
  readonly cpu: readonly [median: number, least: number, most: number]
  readonly ours: Cost
  readonly baseline: Cost
}

/** Medians of all rounds. */
interface Cost {
  readonly cpuMicros: number
  readonly perSecond: number
  /** Durations of the responses in milliseconds. */
  readonly p50: number
  readonly p99: number
}

interface Round {
  readonly times: readonly number[]
  readonly cpuMicros: number
}

const ROUNDS = Number(process.env['HM_BENCH_ROUNDS'] ?? 5)
export const ROUND_MS = Number(process.env['HM_BENCH_ROUND_MS'] ?? 1_000)

/** Runs the baseline and ours in turns after a warm-up round each. Closes both loads. */
export async function ratioOf(baseline: Work, ours: Work, roundMs = ROUND_MS): Promise<Ratio> {
  for (const [load] of [baseline, ours]) await load.run(roundMs / 2)
  const [theirRounds, ourRounds]: [Round[], Round[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    theirRounds.push(await once(baseline, roundMs))
    ourRounds.push(await once(ours, roundMs))
  }
  for (const [load] of [baseline, ours]) load.close()
  const ratios = theirRounds.map(({ cpuMicros }, index) => cpuMicros / (ourRounds[index]?.cpuMicros ?? 0))
  return {
    cpu: [percentile(ratios, 0.5), Math.min(...ratios), Math.max(...ratios)],
    ours: costOf(ourRounds, roundMs),
    baseline: costOf(theirRounds, roundMs),
  }
}

async function once([load, server]: Work, roundMs: number): Promise<Round> {
  const before = server.cpuNs()
  const times = await load.run(roundMs)
  return { times, cpuMicros: (server.cpuNs() - before) / Math.max(1, times.length) / 1_000 }
}

function costOf(rounds: readonly Round[], roundMs: number): Cost {
  const median = (of: (round: Round) => number): number => percentile(rounds.map(of), 0.5)
  return {
    cpuMicros: median(({ cpuMicros }) => cpuMicros),
    perSecond: median(({ times }) => (times.length * 1_000) / roundMs),
    p50: median(({ times }) => percentile(times, 0.5)),
    p99: percentile(
      rounds.flatMap(({ times }) => times),
      0.99,
    ),
  }
}

/** The share of the baseline's speed with its range. */
export function rangeText({ cpu }: Ratio): string {
  const [median, least, most] = cpu.map((share) => share.toFixed(share < 0.095 ? 3 : 2))
  return `${median} (${least}-${most})`
}

export const costText = ({ cpuMicros, p50, p99 }: Cost): string =>
  `${cpuMicros.toFixed(0)} us of CPU, p50 / p99 ${p50.toFixed(2)} / ${p99.toFixed(2)} ms`
