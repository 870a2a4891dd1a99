import { type BenchGateway, newKey, startGateway } from './gateway.ts'
import { httpLoad, read, requestText } from './load.ts'
import { atMost, median } from './report.ts'
import { Listeners } from './listeners.ts'

const HOMES = [30, 300, 3_000]
const LISTENING = [1, 50, 200]
const CONTROL = '{"op":"set_brightness","args":{"bri":40}}'
const ROUNDS = 5
const ROUND_MS = 600
/** By then all code for a read is compiled. */
const WARM_UP_MS = 2_000
const EVENTS = 1_000
/** Allowed factor for constant costs in the largest home, which has slower memory access. */
const FLAT = 1.5

/**
 * Costs of work as a home grows. Measures a read, a control and an event in larger homes, state and house per unit, an
 * event with and without a thousand automations, and an event with more listening integrations.
 */
export async function growth(): Promise<void> {
  const costs: Record<'read' | 'state' | 'house' | 'control' | 'event', number[]> = {
    read: [],
    state: [],
    house: [],
    control: [],
    event: [],
  }
  for (const units of HOMES) {
    const gateway = await startGateway(units)
    await gateway.ask({ rest: true })
    const device = `/v1/devices/${encodeURIComponent(gateway.facts.lamp)}`
    costs.read.push(await requestMicros(gateway, 'GET', device))
    costs.state.push((await requestMicros(gateway, 'GET', '/v1/state')) / units)
    costs.house.push((await requestMicros(gateway, 'GET', '/v1/house')) / units)
    costs.event.push(await eventMicros(gateway))
    costs.control.push(await requestMicros(gateway, 'POST', `${device}/control`, CONTROL))
    reportCost(`read one device, ${units} units`, costs.read, 'us of CPU each')
    reportCost(`state, ${units} units`, costs.state, 'us of CPU for each unit')
    reportCost(`house, ${units} units`, costs.house, 'us of CPU for each unit')
    reportCost(`event to one socket, ${units} units`, costs.event, 'us of CPU each')
    reportCost(`control, ${units} units`, costs.control, 'us of CPU each, the bus excluded')
    await gateway.stop()
  }
  await automated()
  await audience('another unit', 'event that one sees')
  await audience('everything', 'event that all see')
}

/** An event of a lamp in a home without automations, and in one with a thousand that watch its dimmers. */
async function automated(): Promise<void> {
  const costs: number[] = []
  for (const [work, mode] of [
    ['event to one socket, no automation', 'plain'],
    ['event to one socket, 1,000 automations', 'rules'],
  ] as const) {
    const gateway = await startGateway(300, mode)
    costs.push(await eventMicros(gateway))
    reportCost(work, costs, 'us of CPU each; the automations watch all dimmers in turn and none is triggered')
    await gateway.stop()
  }
}

/** An event with more and more listening integrations, which all see `what`. */
async function audience(what: 'everything' | 'another unit', work: string): Promise<void> {
  const costs: number[] = []
  for (const count of LISTENING) {
    const gateway = await startGateway(300)
    const others = await othersListening(gateway, count - 1, what)
    const seeing = what === 'everything' ? count : 1
    costs.push((await eventMicros(gateway)) / seeing)
    reportCost(`${work}, ${count} integrations`, costs, 'us of CPU for each integration that sees it')
    for (const other of others) other[Symbol.dispose]()
    await gateway.stop()
  }
}

/** Reports the last figure of a row with the first one as its bound. */
function reportCost(work: string, costs: readonly number[], detail: string): void {
  const [first = 0] = costs
  const last = costs.at(-1) ?? 0
  const most = costs.length === 1 ? null : first * FLAT
  atMost(work, last, { most, unit: 'us', digits: last < 10 ? 2 : 0, detail })
}

async function requestMicros(gateway: BenchGateway, method: string, path: string, body = ''): Promise<number> {
  const { port, token } = gateway.facts
  const load = await httpLoad(gateway.address, requestText(method, path, port, token, '', body))
  await load.run(WARM_UP_MS)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = gateway.cpuNs()
    const { length: count } = await load.run(ROUND_MS)
    rounds.push((gateway.cpuNs() - before) / count / 1_000)
  }
  load.close()
  return median(rounds)
}

/** One socket of the first integration receives every event. */
async function eventMicros(gateway: BenchGateway): Promise<number> {
  await gateway.ask({ instantly: true })
  using listener = await listening(gateway, gateway.facts.token)
  const rounds: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = gateway.cpuNs()
    await Promise.all([listener.nextMessages(EVENTS), gateway.ask({ events: EVENTS })])
    // The first round is a warm-up.
    if (round > 0) rounds.push((gateway.cpuNs() - before) / EVENTS / 1_000)
  }
  return median(rounds)
}

async function othersListening(
  gateway: BenchGateway,
  count: number,
  what: 'everything' | 'another unit',
): Promise<readonly Listeners[]> {
  const expose = what === 'everything' ? 'all' : `unit:${await otherUnit(gateway)}`
  const others: Listeners[] = []
  for (let number = 0; number < count; number += 1)
    others.push(await listening(gateway, await newKey(gateway, `Other ${number}`, {}, expose)))
  return others
}

function listening(gateway: BenchGateway, token: string): Promise<Listeners> {
  return Listeners.open(gateway.address, '/v1/stream', token, 1, JSON.stringify({ id: 's', subscribe: ['state'] }))
}

/** The local id of a unit other than the changing lamp. */
async function otherUnit(gateway: BenchGateway): Promise<string> {
  const { token, lamp } = gateway.facts
  const { devices } = await read<{ devices: readonly { id: string; class: string }[] }>(
    gateway.address,
    '/v1/state',
    token,
  )
  const other = devices.find((device) => device.id !== lamp && device.class === 'light_dimmer')
  if (!other) throw new Error('the generated house has only one dimmer')
  return other.id.split(':').slice(2).join(':')
}
