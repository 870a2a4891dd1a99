import { ERRORS } from '@hm-gateway/wire/errors.ts'
import { Asked, Buckets, Counter, exposed, Histogram, type Metric, type Sample } from '@hm-gateway/lib/exposition.ts'

/** Seconds. The middle ones are where an answer of a home is expected. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Statuses of answers that a gateway of ours or the relay itself gives; 0: the client left before. */
const STATUSES: ReadonlySet<number> = new Set([
  ...[0, 101, 200, 201, 202, 204, 302, 303, 304, 400, 408, 426, 431],
  ...Object.values(ERRORS).map(({ status }) => status),
])

/** How a status is counted: of those that only a hostile gateway gives the class alone, so that they stay few. */
export function countedStatus(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`
}

/** What one relay process counts (docs/relay.md#metrics). */
export class RelayMetrics {
  readonly #all: Metric[] = []
  readonly handshakes = this.#counter(
    'hm_relay_handshakes_total',
    'Connections that began as a tunnel, by what became of them: proved, refused, limited.',
  )
  readonly tunnelsEnded = this.#counter(
    'hm_relay_tunnels_ended_total',
    'Tunnels of gateways that had proved themselves, by why they ended: silent (pings were lost), closed.',
  )
  readonly requests = this.#counter(
    'hm_relay_requests_total',
    'Requests of clients, by route and status; status 0: the client left before its answer; 2xx and the like: any other of the class.',
  )
  readonly gatewaySeconds = this.#buckets(
    'hm_relay_gateway_seconds',
    'From a request until the answer of its gateway began.',
  )
  readonly offline = this.#counter('hm_relay_offline_total', 'Answers gateway_offline.')
  readonly timeouts = this.#counter('hm_relay_timeouts_total', 'Answers gateway_timeout.')
  readonly storeErrors = this.#counter('hm_relay_store_errors_total', 'What the store could not read or write.')
  readonly busErrors = this.#counter(
    'hm_relay_bus_errors_total',
    'Questions to other nodes that nobody could be asked.',
  )
  readonly oauth = this.#counter('hm_relay_oauth_total', 'Steps of hosted agents’ sign-in, by step and outcome.')

  /** Adds what is asked each time the metrics are read. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void {
    this.#all.push(new Asked('gauge', name, help, read))
  }

  /** All of them, in the text format of Prometheus. */
  text(): string {
    return exposed(this.#all)
  }

  #counter(name: string, help: string): Counter {
    const counter = new Counter(name, help)
    this.#all.push(counter)
    return counter
  }

  #buckets(name: string, help: string): Buckets {
    const buckets = new Buckets(SECONDS)
    this.#all.push(new Histogram(name, help, () => [[{}, buckets]]))
    return buckets
  }
}
