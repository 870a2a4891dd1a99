import { Listeners } from './listeners.ts'
import { atMost, median } from './report.ts'
import { Pair } from './service.ts'

const ROUNDS = 5
const LATENCIES = 40
/** Sockets, events in a round, and the most time relative to bare ws. */
const CASES = [
  [1, 2_000, null],
  [100, 200, null],
  [1_000, 30, 1.15],
] as const

/** Events to many sockets, compared with prepared frames that bare ws broadcasts. */
export async function fanOut(): Promise<void> {
  await using pair = await Pair.start(300)
  await pair.gateway.ask({ instantly: true })
  for (const [sockets, events, most] of CASES) await measured(pair, sockets, events, most)
}

async function measured(pair: Pair, sockets: number, events: number, most: number | null): Promise<void> {
  const { gateway, bare } = pair
  const { token, lamp } = gateway.facts
  const hello = JSON.stringify({ id: 's', subscribe: ['state'] })
  using ours = await Listeners.open(pair.address, '/v1/stream', token, sockets, hello)
  using theirs = await Listeners.open(pair.bareAddress, '/', null, sockets, 'hello')
  const text = JSON.stringify({
    at: Date.now(),
    event: 'state',
    house: 'Bench',
    device: lamp,
    class: 'light_dimmer',
    state: { on: true, bri: 50, mode: 'manual', asOf: Date.now() },
    seq: Date.now(),
  })
  const broadcast = (times: number) => () => bare.ask({ broadcast: { text, times } })
  const change = (times: number) => () => gateway.ask({ events: times })
  const rounds: { readonly cpu: number; readonly micros: number }[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const theirNs = await cpuOf(bare, theirs, events, broadcast(events))
    const ourNs = await cpuOf(gateway, ours, events, change(events))
    // The first round is a warm-up.
    if (round > 0) rounds.push({ cpu: ourNs / theirNs, micros: ourNs / events / sockets / 1_000 })
  }
  const times = rounds.map(({ cpu }) => cpu)
  const range = `${Math.min(...times).toFixed(2)}-${Math.max(...times).toFixed(2)}`
  const cost = `${median(rounds.map(({ micros }) => micros)).toFixed(1)} us of CPU for each socket`
  const of = { unit: 'x bare ws', digits: 2, most }
  atMost(`event to ${sockets} sockets, CPU`, median(times), { ...of, detail: `${range}; ${cost}` })
  const [ourMs, theirMs] = [await latency(ours, change(1)), await latency(theirs, broadcast(1))]
  const detail = `${ourMs.toFixed(2)} ms to the last socket, bare ws ${theirMs.toFixed(2)} ms`
  atMost(`event to ${sockets} sockets, p50`, ourMs / theirMs, { ...of, detail })
}

async function cpuOf(
  server: { cpuNs(): number },
  listeners: Listeners,
  events: number,
  send: () => Promise<unknown>,
): Promise<number> {
  const before = server.cpuNs()
  await Promise.all([listeners.nextMessages(events), send()])
  return server.cpuNs() - before
}

/** Median time until the last listener has an event, in milliseconds. */
async function latency(listeners: Listeners, send: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < LATENCIES; count += 1) {
    const begun = performance.now()
    const received = listeners.nextMessages(1).then(() => times.push(performance.now() - begun))
    await Promise.all([received, send()])
  }
  return median(times)
}
