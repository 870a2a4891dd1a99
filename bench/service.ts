import { type BenchGateway, startGateway } from './gateway.ts'
import {
  type RawResponse,
  coldLoad,
  CONNECTIONS,
  type Listener,
  fetchOnce,
  httpLoad,
  type LoadRun,
  messageLoad,
  openSockets,
  requestText,
} from './load.ts'
import { type ServerProcess, startServer } from './processes.ts'
import { costText, rangeText, type Ratio, ratioOf, ROUND_MS } from './ratio.ts'
import { report } from './report.ts'

/** Requests of a cold load are rare, so its rounds are longer. */
const COLD_ROUND_MS = 4 * ROUND_MS

type Bare = ServerProcess<{ port: number }>

export interface BenchRequest {
  readonly method?: string
  readonly path: string
  readonly body?: string
  /** Further header lines for the gateway, from its first response. */
  readonly extra?: (answer: RawResponse) => string
}

interface Target {
  /** Least share of the baseline's speed, by processor time. */
  readonly ratio?: number
  /** Most processor time per response. */
  readonly micros?: number
  readonly ms?: readonly [p50: number, p99: number]
}

/** Requests over HTTPS and the stream, controls and handshakes. */
export async function service(): Promise<void> {
  await using pair = await Pair.start(300)
  const device = `/v1/devices/${encodeURIComponent(pair.gateway.facts.lamp)}`
  await pair.gateway.ask({ rest: true })
  const read = { work: 'read one device', path: device }
  await pair.paces(read, { 1: { ratio: 0.85 }, 4: {}, 32: { ratio: 0.85 }, cold: {} })
  const state = { work: 'state, 300 units', path: '/v1/state' }
  await pair.paces(state, { 1: {}, 4: {}, 32: { ratio: 0.85 }, cold: {} })
  const etag = ({ head }: RawResponse): string => `if-none-match: ${/etag: (\S+)/i.exec(head)?.[1]}\r\n`
  await pair.paces(
    { work: 'state, unchanged, If-None-Match', path: '/v1/state', extra: etag, expect: 304 },
    { 32: { ratio: 2.2 } },
  )
  await pair.paces({ work: 'intents of one unit', path: `${device}/intents` }, { 1: { ratio: 0.8 } })
  await pair.messages('WebSocket request and answer', device, { ratio: 0.75 })
  await pair.handshakes({ ratio: 0.85 })
  await pair.gateway.ask({ instantly: true })
  const control = { method: 'POST', path: `${device}/control`, body: '{"op":"set_brightness","args":{"bri":40}}' }
  await pair.paces(
    { work: 'control', ...control },
    { 1: { ratio: 0.38, micros: 110 }, 4: { ratio: 0.3 }, 32: {}, cold: { ms: [1, 3] } },
  )
  await using other = await pair.comparison('fastify')
  const comparison = { work: 'control beside fastify and an SQLite row', ...control }
  await pair.paces(comparison, { 1: {}, 4: {}, 32: {} }, other)
}

/** A large response. */
export async function large(): Promise<void> {
  await using pair = await Pair.start(3_000)
  await pair.gateway.ask({ rest: true })
  await pair.paces({ work: 'state, 3,000 units', path: '/v1/state' }, { 32: { ratio: 0.92 } })
}

/** A gateway of N units and a bare server with the same certificate. */
export class Pair implements AsyncDisposable {
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

  /** Another comparison server with the same certificate. */
  comparison(kind: string): Promise<Bare> {
    return startServer('bare-server.ts', [this.gateway.facts.leaf, kind])
  }

  get address(): Listener {
    return this.gateway.address
  }

  get bareAddress(): Listener {
    return this.#addressOf(this.bare)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bare.stop()
    await this.gateway.stop()
  }

  /** Both requests as text. The bare server then returns the gateway's response. */
  async texts(
    { method = 'GET', path, body = '', extra }: BenchRequest,
    bare = this.bare,
  ): Promise<{ readonly ours: string; readonly theirs: string }> {
    const { port, token } = this.gateway.facts
    const first = await fetchOnce(this.address, requestText(method, path, port, token, '', body))
    await bare.ask({ answer: { path, status: first.status, body: first.body } })
    return {
      ours: requestText(method, path, port, token, extra?.(first), body),
      theirs: requestText(method, path, bare.facts.port, token, '', body),
    }
  }

  /**
   * Sends the same request to both at each pace: a number of busy connections, or `cold`, a request every 100 ms.
   */
  async paces(
    request: BenchRequest & { readonly work: string; readonly expect?: number },
    targets: Readonly<Record<string, Target>>,
    bare = this.bare,
  ): Promise<void> {
    const { ours, theirs } = await this.texts(request, bare)
    for (const [pace, target] of Object.entries(targets)) {
      const isCold = pace === 'cold'
      const open = (address: Listener, text: string, status = 200): Promise<LoadRun> =>
        isCold ? coldLoad(address, text) : httpLoad(address, text, status, Number(pace))
      const ratio = await ratioOf(
        [await open(this.#addressOf(bare), theirs), bare],
        [await open(this.address, ours, request.expect), this.gateway],
        isCold ? COLD_ROUND_MS : ROUND_MS,
      )
      judge(`${request.work}, ${isCold ? 'every 100 ms' : connectionsText(Number(pace))}`, ratio, target)
    }
  }

  async messages(work: string, path: string, target: Target): Promise<void> {
    const message = JSON.stringify({ id: '1', method: 'GET', path })
    const ours = messageLoad(await openSockets(this.address, '/v1/stream', this.gateway.facts.token), message)
    const theirs = messageLoad(await openSockets(this.bareAddress, '/', null), message)
    const ratio = await ratioOf([theirs, this.bare], [ours, this.gateway])
    judge(`${work}, ${connectionsText(CONNECTIONS)}`, ratio, target)
  }

  /** Full handshakes with one request each, by the server's processor time. */
  async handshakes(target: Target): Promise<void> {
    const path = '/v1/about'
    const first = await fetchOnce(this.address, requestText('GET', path, this.gateway.facts.port, null))
    await this.bare.ask({ answer: { path, status: 200, body: first.body } })
    const load = (address: Listener): LoadRun => ({
      run: async (durationMs) => {
        const until = performance.now() + durationMs
        const times: number[] = []
        const lane = async (): Promise<void> => {
          while (performance.now() < until) {
            const begun = performance.now()
            await fetchOnce(address, requestText('GET', path, address.port, null))
            times.push(performance.now() - begun)
          }
        }
        await Promise.all(Array.from({ length: 8 }, lane))
        return times
      },
      close: () => {},
    })
    const ratio = await ratioOf([load(this.bareAddress), this.bare], [load(this.address), this.gateway])
    judge('full TLS 1.3 handshake and one request', ratio, target)
  }

  #addressOf(server: Bare): Listener {
    return { ...this.address, port: server.facts.port }
  }
}

const connectionsText = (count: number): string => `${count} connection${count === 1 ? '' : 's'}`

function judge(work: string, result: Ratio, { ratio, micros, ms }: Target): void {
  const { cpu, ours, baseline } = result
  const wanted = [
    ...(ratio === undefined ? [] : [`>= ${ratio}`]),
    ...(micros === undefined ? [] : [`<= ${micros} us`]),
    ...(ms === undefined ? [] : [`<= ${ms[0]} / ${ms[1]} ms`]),
  ]
  const [p50 = Infinity, p99 = Infinity] = ms ?? []
  const speed = Math.round(ours.perSecond).toLocaleString('en')
  report({
    work,
    figure: rangeText(result),
    target: wanted.join(', ') || '-',
    met:
      wanted.length === 0
        ? null
        : cpu[0] >= (ratio ?? 0) && ours.cpuMicros <= (micros ?? Infinity) && ours.p50 <= p50 && ours.p99 <= p99,
    detail: `${costText(ours)}, ${speed}/s; baseline ${costText(baseline)}`,
  })
}
