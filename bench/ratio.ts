import { median } from './report.ts'

/** Something that can be run for a while and counted. */
export interface Work {
  run(durationMs: number): Promise<number>
  /** Processor time of the server that does it. */
  cpuNs(): number
}

/** What a load does, by the processor time of the server that does it. */
export function workOf(load: Pick<Work, 'run'>, server: Pick<Work, 'cpuNs'>): Work {
  return { run: (durationMs) => load.run(durationMs), cpuNs: () => server.cpuNs() }
}

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

/** Measure and ours in turns, medians of the rounds, after one round each that does not count. */
export async function ratioOf(measure: Work, ours: Work): Promise<Ratio> {
  await measure.run(ROUND_MS / 2)
  await ours.run(ROUND_MS / 2)
  const rounds: { throughput: number; cpu: number; perSecond: number; cpuMicros: number }[] = []
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
  const pick = (field: keyof Ratio): number => median(rounds.map((round) => round[field]))
  return {
    throughput: pick('throughput'),
    cpu: pick('cpu'),
    perSecond: pick('perSecond'),
    cpuMicros: pick('cpuMicros'),
  }
}

async function once(work: Work): Promise<{ count: number; cpuNs: number }> {
  const before = work.cpuNs()
  const count = await work.run(ROUND_MS)
  return { count: Math.max(1, count), cpuNs: work.cpuNs() - before }
}
