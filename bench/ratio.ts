import type { Load } from './load.ts'
import { median } from './report.ts'

/** A load and the server whose processor time it costs. */
type Work = readonly [load: Load, server: { cpuNs(): number }]

export interface Ratio {
  /** Of the work done in the same time: the measure's is 1. */
  readonly throughput: number
  /**
   * Of the processor time that one piece of work costs the server, the measure's over ours: steadier than throughput.
   */
  readonly cpu: number
  readonly perSecond: number
  readonly cpuMicros: number
}

const ROUNDS = Number(process.env['HM_BENCH_ROUNDS'] ?? 5)
const ROUND_MS = Number(process.env['HM_BENCH_ROUND_MS'] ?? 1_000)

/** Measure and ours in turns, medians of the rounds, after one round each that does not count. Closes both loads. */
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
