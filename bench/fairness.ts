import { spawnSync } from 'node:child_process'
import { exchange, HealthyClient, type Measured } from './healthy-client.ts'
import { type Door, opened as openedSocket, requestText } from './http-load.ts'
import { newKey, startGateway } from './gateway.ts'
import type { NeighbourKind, NeighbourTask } from './neighbour.ts'
import { LOAD_CORE, startServer } from './processes.ts'
import { attempted, median, percentile, report, shown } from './report.ts'

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
  const task: NeighbourTask = { kind, door, token }
  opened.use(await startServer('neighbour.ts', [JSON.stringify(task)], { core: LOAD_CORE }))
  const client = opened.adopt(await HealthyClient.open(door, own), (each) => each.close())
  const groups = kind === 'none' ? await client.groups(GROUPS) : []
  return { ...(await client.measure(MEASURE_MS)), groups }
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
  const ms = (times: readonly number[], share: number): number => percentile(times, share)
  const both = (times: readonly number[]): string => `${ms(times, 0.5).toFixed(1)} / ${ms(times, 0.99).toFixed(0)} ms`
  report({
    work: `read beside ${name}`,
    figure: both(reads),
    target: `p99 <= ${READ_P99_MS} ms`,
    met: ms(reads, 0.99) <= READ_P99_MS,
    detail: `p50 / p99 of ${reads.length}; events ${both(events)}`,
  })
  if (alone === null) return
  const bound = ms(alone.controls, 0.99) + alone.groupMs
  report({
    work: `control beside ${name}`,
    figure: both(controls),
    target: `p99 <= ${bound.toFixed(0)} ms`,
    met: ms(controls, 0.99) <= bound,
    detail: `of ${controls.length}; alone ${both(alone.controls)}, a command for 20 lamps ${alone.groupMs.toFixed(0)} ms`,
  })
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
 * and as often as its rate lets it, in a home of hundreds of scenes and rules and a long history.
 */
async function listFairness(): Promise<void> {
  await using gateway = await startGateway(UNITS, 'full')
  const { door } = gateway
  for (const [name, pathFor] of Object.entries(LISTS)) {
    // Each with a neighbour whose rate is fresh.
    const [own, token] = [await newKey(gateway, 'Bench', KNOBS), await newKey(gateway, 'Bench', KNOBS)]
    const path = pathFor(await automationsOf(door, token))
    await besideList(name, { door, token, path }, await HealthyClient.open(door, own))
  }
}

async function besideList(name: string, task: Omit<NeighbourTask, 'kind'>, client: HealthyClient): Promise<void> {
  const neighbour = await startServer('neighbour.ts', [JSON.stringify({ kind: 'lists', ...task })], { core: LOAD_CORE })
  try {
    const { reads } = await client.measure(MEASURE_MS)
    const { statuses } = await neighbour.ask<{ statuses: Readonly<Record<string, number>> }>({})
    const [p50, p99] = [percentile(reads, 0.5), percentile(reads, 0.99)]
    report({
      work: `read beside ${name}, 16 at a time`,
      figure: `${p50.toFixed(1)} / ${p99.toFixed(0)} ms`,
      target: `<= ${READ_P50_MS} / ${READ_P99_MS} ms`,
      met: p50 <= READ_P50_MS && p99 <= READ_P99_MS,
      detail: `p50 / p99 of ${reads.length}; the neighbour was answered ${JSON.stringify(statuses)}`,
    })
  } finally {
    client.close()
    await neighbour.stop()
  }
}

async function automationsOf(door: Door, token: string): Promise<Automations> {
  const socket = await openedSocket(door)
  const answer = await exchange(socket, requestText('GET', '/v1/automations', door.port, token))
  socket.destroy()
  return (JSON.parse(answer) as { automations: Automations }).automations
}
