import { readFileSync } from 'node:fs'
import { newKey } from './integrations.ts'
import { exchange, HealthyClient } from './healthy-client.ts'
import { type Door, opened, requestText } from './http-load.ts'
import type { ListTask } from './list-neighbour.ts'
import { LOAD_CORE, startServer } from './processes.ts'
import { percentile, report } from './report.ts'

const UNITS = 300
const MEASURE_MS = 11_000
const READ_P50_MS = 20
const READ_P99_MS = 100
const KNOBS = { automations: 'on', schedules: 'on' }

interface Facts {
  readonly port: number
  readonly caFile: string
  readonly dataDir: string
}

/** What is the most work to answer in a full home: the path for a neighbour with these automations. */
const CASES: Readonly<Record<string, (automations: Automations) => string>> = {
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
export async function listFairness(): Promise<void> {
  const gateway = await startServer<Facts>('gateway-server.ts', [String(UNITS), 'full'])
  try {
    const { port, caFile, dataDir } = gateway.facts
    const door = { port, ca: readFileSync(caFile, 'utf8') }
    for (const [name, pathFor] of Object.entries(CASES)) {
      // Each with a neighbour whose rate is fresh.
      const [own, token] = [await keyOf(dataDir), await keyOf(dataDir)]
      const path = pathFor(await automationsOf(door, token))
      await besideList(name, { door, token, path }, await HealthyClient.open(door, own))
    }
  } finally {
    await gateway.stop()
  }
}

async function besideList(name: string, task: ListTask, client: HealthyClient): Promise<void> {
  const neighbour = await startServer<object>('list-neighbour.ts', [JSON.stringify(task)], { core: LOAD_CORE })
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
  const socket = await opened(door)
  const answer = await exchange(socket, requestText('GET', '/v1/automations', door.port, token))
  socket.destroy()
  return (JSON.parse(answer) as { automations: Automations }).automations
}

function keyOf(dataDir: string): Promise<string> {
  return newKey(dataDir, { name: 'Bench', expose: ['all'], settings: KNOBS })
}
