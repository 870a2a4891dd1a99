import { spawnSync } from 'node:child_process'
import { HealthyClient, type Measured } from './healthy-client.ts'
import { read } from './load.ts'
import { newKey, startGateway } from './gateway.ts'
import type { NeighbourKind, NeighbourTask } from './neighbour.ts'
import { LOAD_CORE, type ServerProcess, startServer } from './processes.ts'
import { attempted, percentilesText, median, percentile, reportFigure, spread } from './report.ts'

const UNITS = 300
/** Long enough for more than a hundred controls, so that the 99th percentile is not the slowest one. */
const MEASURE_MS = 11_000
const READ_P99_MS = 100
const READ_P50_MS = 20
const KNOBS = { automations: 'on', schedules: 'on' }
const GROUPS = 9
/** Time limit of one case, so that all cases end within ten minutes. */
const CASE_MS_MAX = 36_000

interface Alone extends Measured {
  /** Time for which one command of the neighbour occupies the radio. */
  readonly groupMs: number
}

interface Case {
  readonly name: string
  readonly kind: NeighbourKind
  /** Added duration of each fsync of the gateway. */
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
 * Latency of a read, a control and an event for an integration beside each kind of neighbour. The neighbour has its own
 * process and integration. The gateway has its usual limits.
 */
export async function fairness(): Promise<void> {
  let alone: Alone | null = null
  for (const testCase of CASES) {
    if (testCase.fsyncMs !== undefined && !canSlow) {
      reportFigure(testCase.name, 'skipped', 'no strace')
      continue
    }
    await attempted(`beside ${testCase.name}`, async () => {
      const measured = await inTime((opened) => measureBeside(testCase, opened))
      if (testCase.kind === 'none') alone = { ...measured, groupMs: median(measured.groups) }
      reportCase(testCase.name, measured, alone)
    })
  }
  await attempted('beside long lists', listFairness)
}

/** Measures with a time limit. Closes all resources afterwards, so that they do not disturb the next case. */
async function inTime<T>(measure: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  await using opened = new AsyncDisposableStack()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no figures within ${CASE_MS_MAX / 1_000} s`)), CASE_MS_MAX)
  return await Promise.race([measure(opened), late.promise]).finally(() => clearTimeout(timer))
}

type CaseFigures = Measured & { readonly groups: readonly number[] }

async function measureBeside({ kind, fsyncMs }: Case, opened: AsyncDisposableStack): Promise<CaseFigures> {
  const slow = fsyncMs === undefined ? [] : slowFsync(fsyncMs)
  const gateway = opened.use(await startGateway(UNITS, 'limited', { under: slow }))
  const { address } = gateway
  const [own, token] = [await newKey(gateway, 'Healthy'), await newKey(gateway, 'Neighbour')]
  opened.use(await neighbour({ kind, address, token }))
  const client = opened.use(await HealthyClient.open(address, own))
  const groups = kind === 'none' ? await client.groups(GROUPS) : []
  return { ...(await client.measure(MEASURE_MS)), groups }
}

function neighbour(task: NeighbourTask): Promise<ServerProcess<object>> {
  return startServer('neighbour.ts', [JSON.stringify(task)], { core: LOAD_CORE })
}

/** strace delays only these two system calls of the gateway. */
function slowFsync(ms: number): readonly string[] {
  const calls = 'fsync,fdatasync'
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`].concat([
    '-e',
    `inject=${calls}:delay_enter=${ms * 1_000}`,
  ])
}

function reportCase(name: string, { reads, controls, events }: Measured, alone: Alone | null): void {
  spread(`read beside ${name}`, reads, [null, READ_P99_MS], `; events ${percentilesText(events)}`)
  if (alone === null) return
  const bound = percentile(alone.controls, 0.99) + alone.groupMs
  const detail = `; alone ${percentilesText(alone.controls)}, a command for 20 lamps ${alone.groupMs.toFixed(0)} ms`
  spread(`control beside ${name}`, controls, [null, bound], detail)
}

/** The most expensive path of each list in a full home, from the automations of the home. */
const LISTS: Readonly<Record<string, (automations: Automations) => string>> = {
  '600 automations': () => '/v1/automations',
  'a month of readings': (automations) => {
    const device = automations[0]?.when[0]?.device ?? ''
    return `/v1/devices/${encodeURIComponent(device)}/readings?kind=temperature&from=0&points=1000`
  },
}

type Automations = readonly { readonly when: readonly { readonly device: string }[] }[]

/**
 * Latency of a read while another integration sends the most expensive requests, sixteen at a time and within its rate
 * limit. The home has hundreds of long rules and a long history.
 */
async function listFairness(): Promise<void> {
  await using gateway = await startGateway(UNITS, 'full')
  const { address } = gateway
  for (const [name, pathFor] of Object.entries(LISTS)) {
    // Each measurement has a neighbour with an unused rate limit.
    const [own, token] = [await newKey(gateway, 'Bench', KNOBS), await newKey(gateway, 'Bench', KNOBS)]
    const { automations } = await read<{ automations: Automations }>(address, '/v1/automations', token)
    using client = await HealthyClient.open(address, own)
    await using other = await neighbour({ kind: 'lists', address, token, path: pathFor(automations) })
    const { reads } = await client.measure(MEASURE_MS)
    const detail = `; responses to the neighbour: ${JSON.stringify(await other.ask({ statuses: true }))}`
    spread(`read beside ${name}, 16 at a time`, reads, [READ_P50_MS, READ_P99_MS], detail)
  }
}
