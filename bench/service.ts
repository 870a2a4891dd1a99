import { type BenchGateway, startGateway } from './gateway.ts'
import {
  type RawResponse,
  roundTrip,
  type Listener,
  fetchOnce,
  httpLoad,
  type LoadRun,
  messageLoad,
  openConnection,
  openSockets,
  requestText,
} from './load.ts'
import { residentMiB, type ServerProcess, startServer } from './processes.ts'
import { type Ratio, ratioOf } from './ratio.ts'
import { atMost, median, percentile, report } from './report.ts'
import { Listeners } from './listeners.ts'

const LATENCIES = 40
/** Controls in a run, enough for a 99th percentile. */
export const CONTROLS = 500

type Bare = ServerProcess<{ port: number }>

/** A gateway of N units and a bare server with the same certificate. */
export class Pair {
  readonly gateway: BenchGateway
  readonly bare: Bare

  private constructor(gateway: BenchGateway, bare: Bare) {
    this.gateway = gateway
    this.bare = bare
  }

  static async start(units: number): Promise<Pair> {
    const gateway = await startGateway(units)
    return new Pair(gateway, await startServer('bare-server.ts', [gateway.facts.leaf]))
  }

  get address(): Listener {
    return this.gateway.address
  }

  get bareAddress(): Listener {
    return { ...this.address, port: this.bare.facts.port }
  }

  async stop(): Promise<void> {
    await this.bare.stop()
    await this.gateway.stop()
  }

  /** Sends the same request to both. The bare server returns the gateway's response. */
  async request(what: {
    work: string
    method?: string
    path: string
    extra?: (answer: RawResponse) => string
    body?: string
    target: number
    expect?: number
  }): Promise<void> {
    const { method = 'GET', path, body = '', target } = what
    const { port, token } = this.gateway.facts
    const first = await fetchOnce(this.address, requestText(method, path, port, token, '', body))
    const extra = what.extra?.(first) ?? ''
    await this.bare.ask({ answer: { path, status: first.status, body: first.body } })
    const ours = await httpLoad(this.address, requestText(method, path, port, token, extra, body), what.expect ?? 200)
    const theirs = await httpLoad(this.bareAddress, requestText(method, path, this.bare.facts.port, token, '', body))
    const ratio = await ratioOf([theirs, this.bare], [ours, this.gateway])
    judge(what.work, ratio, target, `of bare node:https (${first.body.length} B)`)
  }

  async messages(workName: string, path: string, target: number): Promise<void> {
    const message = JSON.stringify({ id: '1', method: 'GET', path })
    const ours = messageLoad(await openSockets(this.address, '/v1/stream', this.gateway.facts.token), message)
    const theirs = messageLoad(await openSockets(this.bareAddress, '/', null), message)
    const ratio = await ratioOf([theirs, this.bare], [ours, this.gateway])
    judge(workName, ratio, target, 'of ws echo over TLS')
  }

  /** Many events to many sockets, compared with prepared frames that bare ws broadcasts. */
  async fanOut(sockets: number, events: number, target: number | null): Promise<void> {
    const ours = await Listeners.open(
      this.address,
      '/v1/stream',
      this.gateway.facts.token,
      sockets,
      JSON.stringify({ id: 's', subscribe: ['state'] }),
    )
    const theirs = await Listeners.open(this.bareAddress, '/', null, sockets, 'hello')
    const text = JSON.stringify({
      at: Date.now(),
      event: 'state',
      house: 'Bench',
      device: this.gateway.facts.lamp,
      class: 'light_dimmer',
      state: { on: true, bri: 50, mode: 'manual', asOf: Date.now() },
      seq: Date.now(),
    })
    const rounds: { cpu: number; time: number; perSecond: number }[] = []
    for (let round = 0; round < 6; round += 1) {
      const a = await timed(this.bare, () =>
        Promise.all([theirs.nextMessages(events), this.bare.ask({ broadcast: { text, times: events } })]),
      )
      const b = await timed(this.gateway, () => Promise.all([ours.nextMessages(events), this.gateway.ask({ events })]))
      // The first round is a warm-up.
      if (round > 0)
        rounds.push({ cpu: a.cpuNs / b.cpuNs, time: a.ms / b.ms, perSecond: (events * sockets * 1000) / b.ms })
    }
    const latency = await latencyOf(ours, () => this.gateway.ask({ events: 1 }))
    const bare = await latencyOf(theirs, () => this.bare.ask({ broadcast: { text, times: 1 } }))
    ours.close()
    theirs.close()
    const ratio = {
      throughput: median(rounds.map(({ time }) => time)),
      cpu: median(rounds.map(({ cpu }) => cpu)),
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      cpuMicros: 0,
    }
    if (target !== null)
      judge(`fan-out of an event to ${sockets} sockets`, ratio, target, 'of a ws broadcast of a prepared frame')
    const bound = sockets >= 1_000 ? 8 : sockets >= 100 ? 2 : 1
    const detail = `to the last of them, with the load in the same clock; of a bare ws broadcast ${bare.toFixed(2)} ms`
    atMost(`state change to event on ${sockets} sockets, p50`, latency, { most: bound, unit: 'ms', digits: 2, detail })
  }

  /** Consecutive controls over the simulated radio. Reports the time that the gateway adds to the bus. */
  async controls(count: number): Promise<void> {
    const { port, token, lamp } = this.gateway.facts
    await this.gateway.ask({ timeTheBus: true })
    const socket = await openConnection(this.address)
    const roundTrips: number[] = []
    for (let level = 0; level < count; level += 1) {
      const body = JSON.stringify({ op: 'set_brightness', args: { bri: 10 + (level % 90) } })
      const begun = performance.now()
      await roundTrip(
        socket,
        requestText('POST', `/v1/devices/${encodeURIComponent(lamp)}/control`, port, token, '', body),
      )
      roundTrips.push(performance.now() - begun)
    }
    socket.destroy()
    const busMs = await this.gateway.ask<number[]>({ busMs: true })
    const added = roundTrips.map((ms, index) => ms - (busMs[index] ?? 0))
    for (const [share, most] of [
      [0.5, 1.5],
      [0.99, 8],
    ] as const) {
      const detail = `of ${count}, beyond the bus, which took ${percentile(busMs, share).toFixed(0)} ms`
      const bound = { most, unit: 'ms', digits: 2, sign: '+', detail } as const
      atMost(`control over the simulated bus, p${share * 100}`, percentile(added, share), bound)
    }
  }

  /** Full handshakes with one request each, by the server's processor time. */
  async handshakes(target: number): Promise<void> {
    const path = '/v1/about'
    const first = await fetchOnce(this.address, requestText('GET', path, this.gateway.facts.port, null))
    await this.bare.ask({ answer: { path, status: 200, body: first.body } })
    const load = (address: Listener): LoadRun => ({
      run: async (durationMs) => {
        const until = performance.now() + durationMs
        let count = 0
        const lane = async (): Promise<void> => {
          while (performance.now() < until) {
            await fetchOnce(address, requestText('GET', path, address.port, null))
            count += 1
          }
        }
        await Promise.all(Array.from({ length: 8 }, lane))
        return count
      },
      close: () => {},
    })
    const ratio = await ratioOf([load(this.bareAddress), this.bare], [load(this.address), this.gateway])
    judge('full TLS 1.3 handshake and one request', ratio, target, 'of bare node:https with the same key')
  }

  memory(workName: string, bound: number): void {
    atMost(workName, residentMiB(this.gateway.pid), { most: bound, unit: 'MiB', detail: 'resident' })
  }
}

/** Median time until the last listener has an event. */
async function latencyOf(listeners: Listeners, one: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < LATENCIES; count += 1) {
    const begun = performance.now()
    const allReceived = listeners.nextMessages(1)
    await Promise.all([allReceived.then(() => times.push(performance.now() - begun)), one()])
  }
  return percentile(times, 0.5)
}

async function timed(server: { cpuNs(): number }, run: () => Promise<unknown>): Promise<{ cpuNs: number; ms: number }> {
  const before = { cpuNs: server.cpuNs(), ms: performance.now() }
  await run()
  return { cpuNs: server.cpuNs() - before.cpuNs, ms: performance.now() - before.ms }
}

function judge(workName: string, ratio: Ratio, target: number, of: string): void {
  const cost = ratio.cpuMicros > 0 ? `, ${ratio.cpuMicros.toFixed(0)} us of CPU each` : ''
  report({
    work: workName,
    figure: ratio.cpu.toFixed(2),
    target: `>= ${target}`,
    met: ratio.cpu >= target,
    detail: `${of}; by throughput ${ratio.throughput.toFixed(2)}, ${Math.round(ratio.perSecond).toLocaleString('en')}/s${cost}`,
  })
}
