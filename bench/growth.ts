import { readFileSync } from 'node:fs'
import { type Door, HttpLoad, requestText } from './http-load.ts'
import { newKey } from './integrations.ts'
import { type ServerProcess, startServer } from './processes.ts'
import { median, report } from './report.ts'
import { fetched, type GatewayFacts } from './service.ts'
import { Listeners } from './listeners.ts'

type Gateway = ServerProcess<GatewayFacts>

const HOMES = [30, 300, 3_000]
const LISTENING = [1, 50, 200]
const ROUNDS = 5
const ROUND_MS = 600
/** After it the code that a read takes is compiled for good, however long the start took. */
const WARM_UP_MS = 2_000
const EVENTS = 1_000
/** What does not grow may cost so much more in the largest home, whose memory is further away. */
const FLAT = 1.5

/**
 * What one piece of work costs as a home grows: a read of one device and an event in homes of ever more units, and an
 * event that one integration sees while ever more others listen.
 */
export async function growth(): Promise<void> {
  const reads: number[] = []
  const events: number[] = []
  for (const units of HOMES) {
    const gateway = await started(units)
    reads.push(await readMicros(gateway))
    events.push(await eventMicros(gateway))
    told(`read one device, ${units} units`, reads, 'us of CPU each')
    told(`event to one socket, ${units} units`, events, 'us of CPU each')
    await gateway.stop()
  }
  await audience('another unit', 'event that one sees')
  await audience('everything', 'event that all see')
}

/** An event while ever more integrations listen, each shown `what`. */
async function audience(what: 'everything' | 'another unit', work: string): Promise<void> {
  const costs: number[] = []
  for (const count of LISTENING) {
    const gateway = await started(300)
    const others = await othersListening(gateway, count - 1, what)
    const seeing = what === 'everything' ? count : 1
    costs.push((await eventMicros(gateway)) / seeing)
    told(`${work}, ${count} integrations`, costs, 'us of CPU for each integration that sees it')
    for (const each of others) each.close()
    await gateway.stop()
  }
}

function started(units: number): Promise<Gateway> {
  return startServer<GatewayFacts>('gateway-server.ts', [String(units)])
}

/** The figure that was measured last, held to the first of its row. */
function told(work: string, costs: readonly number[], detail: string): void {
  const [first = 0] = costs
  const last = costs.at(-1) ?? 0
  const isFirst = costs.length === 1
  report({
    work,
    figure: `${last.toFixed(0)} us`,
    target: isFirst ? '-' : `<= ${(first * FLAT).toFixed(0)} us`,
    met: isFirst ? null : last <= first * FLAT,
    detail,
  })
}

async function readMicros(gateway: Gateway): Promise<number> {
  await gateway.ask({ rest: true })
  const { port, token, lamp } = gateway.facts
  const load = await HttpLoad.open(
    doorOf(gateway),
    requestText('GET', `/v1/devices/${encodeURIComponent(lamp)}`, port, token),
  )
  await load.run(WARM_UP_MS)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = gateway.cpuNs()
    const count = await load.run(ROUND_MS)
    rounds.push((gateway.cpuNs() - before) / count / 1_000)
  }
  load.close()
  return median(rounds)
}

/** One socket of the first integration listens, and is told every event. */
async function eventMicros(gateway: Gateway): Promise<number> {
  await gateway.ask({ instantly: true })
  const listener = await listening(gateway, gateway.facts.token)
  const rounds: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = gateway.cpuNs()
    await Promise.all([listener.told(EVENTS), gateway.ask({ events: EVENTS })])
    // The first round only warms up.
    if (round > 0) rounds.push((gateway.cpuNs() - before) / EVENTS / 1_000)
  }
  listener.close()
  return median(rounds)
}

async function othersListening(
  gateway: Gateway,
  count: number,
  what: 'everything' | 'another unit',
): Promise<readonly Listeners[]> {
  const expose = what === 'everything' ? 'all' : `unit:${await otherUnit(gateway)}`
  const others: Listeners[] = []
  for (let number = 0; number < count; number += 1) {
    const asked = { name: `Other ${number}`, expose: [expose], settings: {} }
    others.push(await listening(gateway, await newKey(gateway.facts.dataDir, asked)))
  }
  return others
}

function doorOf({ facts }: Gateway): Door {
  return { port: facts.port, ca: readFileSync(facts.caFile, 'utf8') }
}

function listening(gateway: Gateway, token: string): Promise<Listeners> {
  return Listeners.open(doorOf(gateway), '/v1/stream', token, 1, JSON.stringify({ id: 's', subscribe: ['state'] }))
}

/** The local id of a unit that is not the lamp whose state changes. */
async function otherUnit(gateway: Gateway): Promise<string> {
  const { port, token, lamp } = gateway.facts
  const { body } = await fetched(doorOf(gateway), requestText('GET', '/v1/state', port, token))
  const { devices } = JSON.parse(body) as { devices: readonly { id: string; class: string }[] }
  const other = devices.find((each) => each.id !== lamp && each.class === 'light_dimmer')
  if (!other) throw new Error('the generated house has only one dimmer')
  return other.id.split(':').slice(2).join(':')
}
