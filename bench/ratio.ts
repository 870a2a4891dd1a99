import type { LoadRun } from './load.ts'
import { median } from './report.ts'

/** A load and its server. */
type Work = readonly [load: LoadRun, server: { cpuNs(): number }]

export interface Ratio {
  /** Work in the same time, relative to the baseline. */
  readonly throughput: number
  /**
   * Processor time per piece of work, the baseline's divided by ours. It is steadier than throughput.
   */
  readonly cpu: number
  readonly perSecond: number
  readonly cpuMicros: number
}

const ROUNDS = Number(process.env['HM_BENCH_ROUNDS'] ?? 5)
const ROUND_MS = Number(process.env['HM_BENCH_ROUND_MS'] ?? 1_000)

/** Runs the baseline and ours in turns after a warm-up round each. Returns medians, and closes both loads. */
export async function ratioOf(measure: Work, ours: Work): Promise<Ratio> {
  for (const [load] of [measure, ours]) await load.run(ROUND_MS / 2)
  const rounds: Ratio[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const a = await once(measure)
    const b = await once(ours)
    rounds.push({
      throughput: b.count / a.count,
      cpu: a.cpuNs / a.count / (b.cpuNs / b.count),
      perSecond: (b.count * 1000) / ROUND_MS,
      cpuMicros: b.cpuNs / b.count / 1000,
    })
  }
  for (const [load] of [measure, ours]) load.close()
  const pick = (field: keyof Ratio): number => median(rounds.map((round) => round[field]))
  const [throughput, cpu] = [pick('throughput'), pick('cpu')]
  return { throughput, cpu, perSecond: pick('perSecond'), cpuMicros: pick('cpuMicros') }
}

async function once([load, server]: Work): Promise<{ count: number; cpuNs: number }> {
  const before = server.cpuNs()
  const count = await load.run(ROUND_MS)
  return { count: Math.max(1, count), cpuNs: server.cpuNs() - before }
}
