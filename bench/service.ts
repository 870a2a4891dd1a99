import { type BenchGateway, startGateway } from './gateway.ts'
import {
  type Answer,
  asked,
  type Door,
  fetched,
  httpLoad,
  type Load,
  messageLoad,
  opened,
  openSockets,
  requestText,
} from './load.ts'
import { residentMiB, type ServerProcess, startServer } from './processes.ts'
import { type Ratio, ratioOf } from './ratio.ts'
import { atMost, median, percentile, report } from './report.ts'
import { Listeners } from './listeners.ts'

const LATENCIES = 40
/** Of a run of controls: what is 99 of 100 of them is not the longest. */
export const CONTROLS = 500

type Bare = ServerProcess<{ port: number }>

/** A gateway of N units beside a bare server with the same certificate. */
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

  get door(): Door {
    return this.gateway.door
  }

  get bareDoor(): Door {
    return { ...this.door, port: this.bare.facts.port }
  }

  async stop(): Promise<void> {
    await this.bare.stop()
    await this.gateway.stop()
  }

  /** The same request to both; the bare server is first told to answer what the gateway answers. */
  async request(what: {
    work: string
    method?: string
    path: string
    extra?: (answer: Answer) => string
    body?: string
    target: number
    expect?: number
  }): Promise<void> {
    const { method = 'GET', path, body = '', target } = what
    const { port, token } = this.gateway.facts
    const first = await fetched(this.door, requestText(method, path, port, token, '', body))
    const extra = what.extra?.(first) ?? ''
    await this.bare.ask({ answer: { path, status: first.status, body: first.body } })
    const ours = await httpLoad(this.door, requestText(method, path, port, token, extra, body), what.expect ?? 200)
    const theirs = await httpLoad(this.bareDoor, requestText(method, path, this.bare.facts.port, token, '', body))
    const ratio = await ratioOf([theirs, this.bare], [ours, this.gateway])
    judge(what.work, ratio, target, `of bare node:https (${first.body.length} B)`)
  }

  async messages(workName: string, path: string, target: number): Promise<void> {
    const message = JSON.stringify({ id: '1', method: 'GET', path })
    const ours = messageLoad(await openSockets(this.door, '/v1/stream', this.gateway.facts.token), message)
    const theirs = messageLoad(await openSockets(this.bareDoor, '/', null), message)
    const ratio = await ratioOf([theirs, this.bare], [ours, this.gateway])
    judge(workName, ratio, target, 'of ws echo over TLS')
  }

  /** Many events to many sockets, against the same number of prepared frames broadcast by bare ws. */
  async fanOut(sockets: number, events: number, target: number | null): Promise<void> {
    const ours = await Listeners.open(
      this.door,
      '/v1/stream',
      this.gateway.facts.token,
      sockets,
      JSON.stringify({ id: 's', subscribe: ['state'] }),
    )
    const theirs = await Listeners.open(this.bareDoor, '/', null, sockets, 'hello')
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
        Promise.all([theirs.told(events), this.bare.ask({ broadcast: { text, times: events } })]),
      )
      const b = await timed(this.gateway, () => Promise.all([ours.told(events), this.gateway.ask({ events })]))
      // The first round only warms both up.
      if (round > 0)
        rounds.push({ cpu: a.cpuNs / b.cpuNs, time: a.ms / b.ms, perSecond: (events * sockets * 1000) / b.ms })
    }
    const latency = await latencyOf(ours, () => this.gateway.ask({ events: 1 }))
    const bare = await latencyOf(theirs, () => this.bare.ask({ broadcast: { text, times: 1 } }))
    ours.close()
    theirs.close()
    const ratio = {
      throughput: median(rounds.map((each) => each.time)),
      cpu: median(rounds.map((each) => each.cpu)),
      perSecond: median(rounds.map((each) => each.perSecond)),
      cpuMicros: 0,
    }
    if (target !== null)
      judge(`fan-out of an event to ${sockets} sockets`, ratio, target, 'of a ws broadcast of a prepared frame')
    const bound = sockets >= 1_000 ? 8 : sockets >= 100 ? 2 : 1
    const detail = `to the last of them, with the load in the same clock; of a bare ws broadcast ${bare.toFixed(2)} ms`
    atMost(`state change to event on ${sockets} sockets, p50`, latency, { most: bound, unit: 'ms', digits: 2, detail })
  }

  /** One control after another over the simulated radio: what the gateway adds to the time of the bus. */
  async controls(count: number): Promise<void> {
    const { port, token, lamp } = this.gateway.facts
    await this.gateway.ask({ timeTheBus: true })
    const socket = await opened(this.door)
    const roundTrips: number[] = []
    for (let level = 0; level < count; level += 1) {
      const body = JSON.stringify({ op: 'set_brightness', args: { bri: 10 + (level % 90) } })
      const begun = performance.now()
      await asked(socket, requestText('POST', `/v1/devices/${encodeURIComponent(lamp)}/control`, port, token, '', body))
      roundTrips.push(performance.now() - begun)
    }
    socket.destroy()
    const busMs = await this.gateway.ask<number[]>({ busMs: true })
    const added = roundTrips.map((each, index) => each - (busMs[index] ?? 0))
    for (const [share, most] of [
      [0.5, 1.5],
      [0.99, 8],
    ] as const) {
      const detail = `of ${count}, beyond the bus, which took ${percentile(busMs, share).toFixed(0)} ms`
      const bound = { most, unit: 'ms', digits: 2, sign: '+', detail } as const
      atMost(`control over the simulated bus, p${share * 100}`, percentile(added, share), bound)
    }
  }

  /** Full handshakes with one request each, by the processor time that they cost the server. */
  async handshakes(target: number): Promise<void> {
    const path = '/v1/about'
    const first = await fetched(this.door, requestText('GET', path, this.gateway.facts.port, null))
    await this.bare.ask({ answer: { path, status: 200, body: first.body } })
    const load = (door: Door): Load => ({
      run: async (durationMs) => {
        const until = performance.now() + durationMs
        let count = 0
        const lane = async (): Promise<void> => {
          while (performance.now() < until) {
            await fetched(door, requestText('GET', path, door.port, null))
            count += 1
          }
        }
        await Promise.all(Array.from({ length: 8 }, lane))
        return count
      },
      close: () => {},
    })
    const ratio = await ratioOf([load(this.bareDoor), this.bare], [load(this.door), this.gateway])
    judge('full TLS 1.3 handshake and one request', ratio, target, 'of bare node:https with the same key')
  }

  memory(workName: string, bound: number): void {
    atMost(workName, residentMiB(this.gateway.pid), { most: bound, unit: 'MiB', detail: 'resident' })
  }
}

/** Until the last of them has one event, p50. */
async function latencyOf(listeners: Listeners, one: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < LATENCIES; count += 1) {
    const begun = performance.now()
    const told = listeners.told(1)
    await Promise.all([told.then(() => times.push(performance.now() - begun)), one()])
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
