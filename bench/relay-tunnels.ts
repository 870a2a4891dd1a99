import { freePort } from '#support/free-port.ts'
import type { Memory } from './collection.ts'
import { HttpLoad, requestText } from './http-load.ts'
import { linkHomes } from './linked-homes.ts'
import { madeUpToken } from './made-up-home.ts'
import { LOAD_CORE, type ServerProcess, startServer } from './processes.ts'
import { atMost, report } from './report.ts'
import type { RelayFacts } from './relayed-gateway.ts'
import { scratch } from './scratch.ts'

const COUNTS = [100, 1_000, 5_000]
const HOMES_OF_PROCESS = 1_250
const TUNNEL_KIB_MAX = 100
const IDLE_MS = 20_000
const LOAD_MS = 3_000
const REQUESTS_WARM_UP_MS = 500
const REQUESTS_MIN = 300
/** What one home costs beside many others, over what it costs beside few. */
const FLAT_MAX = 1.5

/** What tunnels cost their relay: to hold, to open, to keep alive, and each request beside how many others. */
export async function benchTunnels(): Promise<void> {
  const port = await freePort()
  using data = scratch()
  await linkHomes(data.path, COUNTS.at(-1) ?? 0)
  const relay = await startServer<RelayFacts>('relay-server.ts', ['--port', String(port), '--data', data.path])
  const homes: ServerProcess<object>[] = []
  const before = await relay.ask<Memory>({ memory: true })
  let count = 0
  let beside: { readonly count: number; readonly micros: number } | null = null
  for (const wanted of COUNTS) {
    const cpuBefore = relay.cpuNs()
    const begun = performance.now()
    const added = await homesFrom(count, wanted, relay.facts)
    homes.push(...added)
    const seconds = (performance.now() - begun) / 1_000
    opening(wanted - count, relay.cpuNs() - cpuBefore, seconds)
    count = wanted
    await memoryOf(count, relay, before)
    const micros = await requests(count, relay, await idle(count, relay))
    if (beside === null) beside = micros === null ? null : { count, micros }
    else flat(beside, { count, micros })
  }
  for (const each of homes) await each.stop()
  await relay.stop()
}

/** Processes with the homes of these numbers; resolves when all are linked. */
export async function homesFrom(
  from: number,
  to: number,
  { port, ca }: Pick<RelayFacts, 'port' | 'ca'>,
): Promise<readonly ServerProcess<object>[]> {
  const started: ServerProcess<object>[] = []
  for (let first = from; first < to; first += HOMES_OF_PROCESS) {
    const last = Math.min(to, first + HOMES_OF_PROCESS)
    const args = ['--from', String(first), '--to', String(last), '--url', `https://localhost:${port}`, `--ca=${ca}`]
    const homes = await startServer<object>('home-tunnels.ts', args, { core: LOAD_CORE })
    await homes.ask({ linked: last - first })
    started.push(homes)
  }
  return started
}

function opening(opened: number, cpuNs: number, seconds: number): void {
  const detail = `of the relay's processor time each; all within ${seconds.toFixed(0)} s on shared cores`
  const bound = { most: 5, unit: 'ms', digits: 2, detail }
  atMost(`${opened.toLocaleString('en')} tunnels opened`, cpuNs / opened / 1e6, bound)
}

async function memoryOf(count: number, relay: ServerProcess<RelayFacts>, before: Memory): Promise<void> {
  const now = await relay.ask<Memory>({ memory: true })
  const kibibytes = ((now.residentMiB - before.residentMiB) * 1_024) / count
  report({
    work: `an idle tunnel, ${count.toLocaleString('en')} homes`,
    figure: `${kibibytes.toFixed(0)} KiB`,
    target: `<= ${TUNNEL_KIB_MAX} KiB`,
    // Of a hundred tunnels most of the growth is code that was first used.
    met: count >= 1_000 ? kibibytes <= TUNNEL_KIB_MAX : null,
    detail: `${now.residentMiB.toFixed(0)} MiB resident, ${now.usedMiB.toFixed(0)} MiB of heap; ${before.residentMiB.toFixed(0)} MiB without any`,
  })
}

/** Answers which share of a core it takes to hold so many. */
async function idle(count: number, relay: ServerProcess<RelayFacts>): Promise<number> {
  const before = relay.cpuNs()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const share = (relay.cpuNs() - before) / (IDLE_MS * 1e6)
  report({
    work: `${count.toLocaleString('en')} idle homes, pings alone`,
    figure: `${(share * 100).toFixed(1)} %`,
    target: `<= ${(count / 500).toFixed(1)} %`,
    // Of few homes it is what the process does anyway.
    met: count >= 1_000 ? share * 100 <= count / 500 : null,
    detail: 'of one core',
  })
  return share
}

/** Answers microseconds of the relay's processor time for one; null where too few were answered to say so. */
async function requests(count: number, relay: ServerProcess<RelayFacts>, idleShare: number): Promise<number | null> {
  const { port, ca } = relay.facts
  // Each connection asks another home.
  const load = await HttpLoad.open({ port, ca }, (index) =>
    requestText('GET', '/v1/house', port, madeUpToken((index * 7_919) % count)),
  )
  await load.run(REQUESTS_WARM_UP_MS)
  const before = { cpuNs: relay.cpuNs(), at: performance.now() }
  const done = await load.run(LOAD_MS)
  const idleNs = (performance.now() - before.at) * 1e6 * idleShare
  const micros = (relay.cpuNs() - before.cpuNs - idleNs) / Math.max(done, 1) / 1_000
  load.close()
  report({
    work: `a request, ${count.toLocaleString('en')} homes`,
    figure: `${micros.toFixed(0)} us`,
    target: '<= 500 us',
    // Where hardly any is answered, the machine has no time for it, and the figure says nothing.
    met: done >= REQUESTS_MIN ? micros <= 500 : null,
    detail: `of the relay's processor time, beyond what it takes to hold them; ${Math.round((done * 1_000) / LOAD_MS).toLocaleString('en')}/s`,
  })
  return done >= REQUESTS_MIN ? micros : null
}

/** Whether a home costs the same beside many others as beside few. */
function flat(
  few: { readonly count: number; readonly micros: number },
  many: { readonly count: number; readonly micros: number | null },
): void {
  const times = many.micros === null ? null : many.micros / few.micros
  report({
    work: `a request of a home, ${many.count.toLocaleString('en')} homes over ${few.count.toLocaleString('en')}`,
    figure: times === null ? 'not known' : `${times.toFixed(2)} times`,
    target: `<= ${FLAT_MAX} times`,
    met: times === null ? null : times <= FLAT_MAX,
    detail: `of the relay's processor time${times === null ? '; too few requests were answered' : ''}`,
  })
}
