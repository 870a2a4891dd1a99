import type { Memory } from './collection.ts'
import { type BenchGateway, startGateway } from './gateway.ts'
import { MemoryLoad } from './memory-load.ts'
import { openConnection, openSubscribers } from './load.ts'
import { atMost, median } from './report.ts'

const UNITS = 100
/**
 * Shortest time of one turn. At this rate a gateway compiles its code and fills its bounded stores within the warm-up.
 * At a quarter of the rate the warm-up would take the whole hour.
 */
const TURN_MS = 10
const LISTENERS = 4
/** Time in which a gateway compiles its code and fills its stores. */
const WARM_UP_MINUTES = 15
const LONG_MINUTES = 30
const SAMPLE_MS = 60_000
const SHORT_SAMPLE_MS = 10_000
const SLOPE_MIB_MAX = 1

type Sample = Pick<Memory, 'usedMiB' | 'codeMiB'> & { readonly hours: number }

/** Share of each kind in a hundred turns. */
const SHARES = { reads: 50, control: 30, connection: 8, explain: 4, stream: 4, rules: 2, agents: 1, mcp: 1 } as const

/** The kinds, each spread evenly over a hundred turns. */
const ORDER = Object.entries(SHARES)
  .flatMap(([kind, share]) =>
    Array.from({ length: share }, (_, index) => ({ kind: kind as keyof typeof SHARES, at: (index + 0.5) / share })),
  )
  .toSorted((a, b) => a.at - b.at)
  .map(({ kind }) => kind)

/**
 * Samples of the heap after collection under mixed load, and its slope. The slope needs a run of half an hour or more.
 * A short run only shows that nothing grows with each turn.
 */
export async function memory(minutes: number): Promise<void> {
  await using gateway = await startGateway(UNITS)
  const load = await prepared(gateway)
  const samples: Sample[] = []
  const begun = performance.now()
  const isLong = minutes >= LONG_MINUTES
  let turns = 0
  try {
    while (performance.now() - begun < minutes * 60_000) {
      turns += await loaded(load, isLong ? SAMPLE_MS : SHORT_SAMPLE_MS)
      const { usedMiB, codeMiB, residentMiB } = await gateway.ask<Memory>({ heap: true })
      const hours = (performance.now() - begun) / 3_600_000
      samples.push({ hours, usedMiB, codeMiB })
      process.stdout.write(
        `  ${(hours * 60).toFixed(1).padStart(5)} min ${usedMiB.toFixed(2).padStart(7)} MiB, compiled ${codeMiB.toFixed(2)} MiB, resident ${residentMiB.toFixed(0)} MiB, ${turns} turns\n`,
      )
    }
  } finally {
    load.stop()
  }
  judge(samples, isLong)
}

/** Gives the first integration all permissions and opens permanent listeners. */
async function prepared(gateway: BenchGateway): Promise<MemoryLoad> {
  const { token } = gateway.facts
  const integration = token.split('.')[1] ?? ''
  const settings = { automations: 'on', schedules: 'on', agent_access: 'on', advanced_config: 'read_write' }
  await gateway.administer('PATCH', `/integrations/${integration}`, { settings })
  await openSubscribers(
    gateway.address,
    Array.from({ length: LISTENERS }, () => token),
  )
  return new MemoryLoad(gateway, integration, await openConnection(gateway.address))
}

/** Runs turns of all kinds by their shares for a while. Returns their number. */
async function loaded(load: MemoryLoad, durationMs: number): Promise<number> {
  const until = performance.now() + durationMs
  let turns = 0
  while (performance.now() < until) {
    const begun = performance.now()
    await load.kinds[ORDER[turns++ % ORDER.length] ?? 'reads']()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, TURN_MS - (performance.now() - begun))))
  }
  return turns
}

function judge(samples: readonly Sample[], isLong: boolean): void {
  const warm = isLong ? samples.filter(({ hours }) => hours * 60 >= WARM_UP_MINUTES) : samples
  const slope = slopeOf(warm, ({ usedMiB }) => usedMiB)
  const ofCode = slopeOf(warm, ({ codeMiB }) => codeMiB)
  const short = isLong ? '' : '; judged from 30 minutes on'
  const detail = `${warm.at(-1)?.usedMiB.toFixed(1)} MiB at the end; compiled code ${ofCode.toFixed(2)} MiB/h${short}`
  const bound = { most: SLOPE_MIB_MAX, unit: 'MiB/h', digits: 2, sign: '+', judged: isLong, detail } as const
  atMost('heap after collection, mixed load', slope, bound)
}

/** The median slope between any two samples, robust against a late collection. */
function slopeOf(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const slopes = samples.flatMap((from, index) =>
    samples.slice(index + 1).map((to) => (of(to) - of(from)) / (to.hours - from.hours)),
  )
  return slopes.length === 0 ? 0 : median(slopes)
}
