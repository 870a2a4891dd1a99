import { freePort } from '#support/free-port.ts'
import type { Memory } from './collection.ts'
import { httpLoad, requestText } from './load.ts'
import { madeUpToken } from './made-up-home.ts'
import type { ServerProcess } from './processes.ts'
import { type BenchRelay, homesFrom, linkHomes, startRelay } from './relayed-gateway.ts'
import { atMost } from './report.ts'
import { scratch } from './scratch.ts'

const COUNTS = [100, 1_000, 5_000]
/** With fewer homes the fixed cost of the process dominates. */
const JUDGED_FROM = 1_000
const TUNNEL_KIB_MAX = 100
const IDLE_MS = 20_000
const LOAD_MS = 3_000
const REQUESTS_WARM_UP_MS = 500
const REQUESTS_MIN = 300
/** Allowed cost of a home among many, relative to one among few. */
const FLAT_MAX = 1.5

/** Costs of tunnels for their relay: idle, opening, keep-alive, and requests among many homes. */
export async function benchTunnels(): Promise<void> {
  using data = scratch()
  await linkHomes(data.path, COUNTS.at(-1) ?? 0)
  await using relay = await startRelay(await freePort(), data.path)
  const homes: ServerProcess<object>[] = []
  const before = await relay.ask<Memory>({ memory: true })
  let count = 0
  let few: Cost | null = null
  for (const wanted of COUNTS) {
    const begun = { cpuNs: relay.cpuNs(), at: performance.now() }
    homes.push(...(await homesFrom(count, wanted, relay.facts)))
    const seconds = ((performance.now() - begun.at) / 1_000).toFixed(0)
    const opened = wanted - count
    const detail = `of the relay's processor time each; all within ${seconds} s on shared cores`
    const ms = (relay.cpuNs() - begun.cpuNs) / opened / 1e6
    atMost(`${opened.toLocaleString('en')} tunnels opened`, ms, { most: 5, unit: 'ms', digits: 2, detail })
    count = wanted
    await memoryOf(count, relay, before)
    const micros = await requests(count, relay, await idle(count, relay))
    if (few !== null && micros !== null) flat(few, { count, micros })
    if (micros !== null) few ??= { count, micros }
  }
  for (const process of homes) await process.stop()
}

const homesText = (count: number): string => `${count.toLocaleString('en')} homes`

async function memoryOf(count: number, relay: BenchRelay, before: Memory): Promise<void> {
  const now = await relay.ask<Memory>({ memory: true })
  atMost(`an idle tunnel, ${homesText(count)}`, ((now.residentMiB - before.residentMiB) * 1_024) / count, {
    most: TUNNEL_KIB_MAX,
    unit: 'KiB',
    judged: count >= JUDGED_FROM,
    detail: `${now.residentMiB.toFixed(0)} MiB resident, ${now.usedMiB.toFixed(0)} MiB of heap; ${before.residentMiB.toFixed(0)} MiB without any`,
  })
}

/** Returns the share of a core for idle tunnels. */
async function idle(count: number, relay: BenchRelay): Promise<number> {
  const before = relay.cpuNs()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const share = (relay.cpuNs() - before) / (IDLE_MS * 1e6)
  const bound = { most: count / 500, unit: '%', digits: 1, judged: count >= JUDGED_FROM, detail: 'of one core' }
  atMost(`${count.toLocaleString('en')} idle homes, pings alone`, share * 100, bound)
  return share
}

/** Returns the relay's processor time per request in microseconds, or null after too few responses. */
async function requests(count: number, relay: BenchRelay, idleShare: number): Promise<number | null> {
  const { port, ca } = relay.facts
  // Each connection sends requests to another home.
  const load = await httpLoad({ port, ca }, (index) =>
    requestText('GET', '/v1/house', port, madeUpToken((index * 7_919) % count)),
  )
  await load.run(REQUESTS_WARM_UP_MS)
  const before = { cpuNs: relay.cpuNs(), at: performance.now() }
  const { length: done } = await load.run(LOAD_MS)
  const idleNs = (performance.now() - before.at) * 1e6 * idleShare
  const micros = (relay.cpuNs() - before.cpuNs - idleNs) / Math.max(done, 1) / 1_000
  load.close()
  // With few responses the machine is overloaded, and the figure is meaningless.
  const judged = done >= REQUESTS_MIN
  const perSecond = Math.round((done * 1_000) / LOAD_MS).toLocaleString('en')
  const detail = `of the relay's processor time, without the cost of idle tunnels; ${perSecond}/s`
  atMost(`a request, ${homesText(count)}`, micros, { most: 500, unit: 'us', judged, detail })
  return judged ? micros : null
}

interface Cost {
  readonly count: number
  readonly micros: number
}

/** Reports the cost of a home among many, relative to one among few. */
function flat(few: Cost, many: Cost): void {
  const bound = { most: FLAT_MAX, unit: 'times', digits: 2, detail: `of the relay's processor time` }
  atMost(`a request of a home, ${homesText(many.count)} over ${few.count}`, many.micros / few.micros, bound)
}
