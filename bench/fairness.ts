import { spawnSync } from 'node:child_process'
import { HealthyClient, type Measured } from './healthy-client.ts'
import { read } from './load.ts'
import { newKey, startGateway } from './gateway.ts'
import type { NeighbourKind, NeighbourTask } from './neighbour.ts'
import { LOAD_CORE, type ServerProcess, startServer } from './processes.ts'
import { attempted, both, median, percentile, shown, spread } from './report.ts'

const UNITS = 300
/** More than a hundred controls, so that not the worst of them alone is the 99th of a hundred. */
const MEASURE_MS = 11_000
const READ_P99_MS = 100
const READ_P50_MS = 20
const KNOBS = { automations: 'on', schedules: 'on' }
const GROUPS = 9
/** A neighbour beside which there are no figures by then has failed: all of them end within ten minutes. */
const CASE_MS_MAX = 36_000

interface Alone extends Measured {
  /** How long one command of the neighbour's keeps the radio busy. */
  readonly groupMs: number
}

interface Case {
  readonly name: string
  readonly kind: NeighbourKind
  /** What each fsync of the gateway takes longer. */
  readonly fsyncMs?: number
}

const CASES: readonly Case[] = [
  { name: 'no neighbour', kind: 'none' },
  { name: '16 scene runs at a time', kind: 'scenes' },
  { name: '60 requests on each of 12 sockets', kind: 'sockets' },
  { name: '1,000 idle connections', kind: 'idle' },
  { name: '211 large pair requests a second', kind: 'pairs' },
  { name: '40 explains a second', kind: 'explains' },
  { name: '50 edits a second, fsync of 20 ms', kind: 'edits', fsyncMs: 20 },
  { name: '50 edits a second, fsync of 100 ms', kind: 'edits', fsyncMs: 100 },
  { name: '16 scene runs, fsync of 20 ms', kind: 'scenes', fsyncMs: 20 },
  { name: '16 scene runs, fsync of 100 ms', kind: 'scenes', fsyncMs: 100 },
  { name: '16 scene runs with a delay, fsync of 20 ms', kind: 'delays', fsyncMs: 20 },
  { name: '16 scene runs with a delay, fsync of 100 ms', kind: 'delays', fsyncMs: 100 },
  { name: '50 keyed edits a second, fsync of 20 ms', kind: 'keyed', fsyncMs: 20 },
  { name: '50 keyed edits a second, fsync of 100 ms', kind: 'keyed', fsyncMs: 100 },
]

const canSlow = spawnSync('strace', ['--version']).status === 0

/**
 * How long an integration waits for a read, a control and an event beside each kind of neighbour, which has a process
 * and an integration of its own. The gateway has its usual limits.
 */
export async function fairness(): Promise<void> {
  let alone: Alone | null = null
  for (const each of CASES) {
    if (each.fsyncMs !== undefined && !canSlow) {
      shown(each.name, 'skipped', 'no strace')
      continue
    }
    await attempted(`beside ${each.name}`, async () => {
      const measured = await inTime((opened) => beside(each, opened))
      if (each.kind === 'none') alone = { ...measured, groupMs: median(measured.groups) }
      told(each.name, measured, alone)
    })
  }
  await attempted('beside long lists', listFairness)
}

/** What was opened for it is closed again in any case, so that nothing of it is beside the next one. */
async function inTime<T>(measure: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  await using opened = new AsyncDisposableStack()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no figures within ${CASE_MS_MAX / 1_000} s`)), CASE_MS_MAX)
  return await Promise.race([measure(opened), late.promise]).finally(() => clearTimeout(timer))
}

type Beside = Measured & { readonly groups: readonly number[] }

async function beside({ kind, fsyncMs }: Case, opened: AsyncDisposableStack): Promise<Beside> {
  const slow = fsyncMs === undefined ? [] : slowFsync(fsyncMs)
  const gateway = opened.use(await startGateway(UNITS, 'limited', { under: slow }))
  const { door } = gateway
  const [own, token] = [await newKey(gateway, 'Healthy'), await newKey(gateway, 'Neighbour')]
  opened.use(await neighbour({ kind, door, token }))
  const client = opened.use(await HealthyClient.open(door, own))
  const groups = kind === 'none' ? await client.groups(GROUPS) : []
  return { ...(await client.measure(MEASURE_MS)), groups }
}

function neighbour(task: NeighbourTask): Promise<ServerProcess<object>> {
  return startServer('neighbour.ts', [JSON.stringify(task)], { core: LOAD_CORE })
}

/** strace stops the gateway's threads at nothing but these two calls. */
function slowFsync(ms: number): readonly string[] {
  const calls = 'fsync,fdatasync'
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`].concat([
    '-e',
    `inject=${calls}:delay_enter=${ms * 1_000}`,
  ])
}

function told(name: string, { reads, controls, events }: Measured, alone: Alone | null): void {
  spread(`read beside ${name}`, reads, [null, READ_P99_MS], `; events ${both(events)}`)
  if (alone === null) return
  const bound = percentile(alone.controls, 0.99) + alone.groupMs
  const detail = `; alone ${both(alone.controls)}, a command for 20 lamps ${alone.groupMs.toFixed(0)} ms`
  spread(`control beside ${name}`, controls, [null, bound], detail)
}

/** The most expensive path for a neighbour with these automations in a full home. */
const LISTS: Readonly<Record<string, (automations: Automations) => string>> = {
  '600 automations': () => '/v1/automations',
  'a month of readings': (automations) => {
    const device = automations[0]?.when[0]?.device ?? ''
    return `/v1/devices/${encodeURIComponent(device)}/readings?kind=temperature&from=0&points=1000`
  },
}

type Automations = readonly { readonly when: readonly { readonly device: string }[] }[]

/**
 * How long an integration waits for a read while another one asks for what is the most work, sixteen times at a time
 * and as often as its rate lets it, in a home of hundreds of long rules and a long history.
 */
async function listFairness(): Promise<void> {
  await using gateway = await startGateway(UNITS, 'full')
  const { door } = gateway
  for (const [name, pathFor] of Object.entries(LISTS)) {
    // Each with a neighbour whose rate is fresh.
    const [own, token] = [await newKey(gateway, 'Bench', KNOBS), await newKey(gateway, 'Bench', KNOBS)]
    const { automations } = await read<{ automations: Automations }>(door, '/v1/automations', token)
    using client = await HealthyClient.open(door, own)
    await using other = await neighbour({ kind: 'lists', door, token, path: pathFor(automations) })
    const { reads } = await client.measure(MEASURE_MS)
    const detail = `; the neighbour was answered ${JSON.stringify(await other.ask({ statuses: true }))}`
    spread(`read beside ${name}, 16 at a time`, reads, [READ_P50_MS, READ_P99_MS], detail)
  }
}
