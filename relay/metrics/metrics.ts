import { ERRORS } from '@hm-gateway/wire/errors.ts'
import {
  CallbackMetric,
  Buckets,
  Counter,
  formatMetrics,
  Histogram,
  type Metric,
  type Sample,
} from '@hm-gateway/lib/exposition.ts'

/** Histogram buckets in seconds. Responses of homes usually fall into the middle ones. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Statuses of the relay and of honest gateways; 0: the client disconnected before its response. */
const STATUSES: ReadonlySet<number> = new Set([
  ...[0, 101, 200, 201, 202, 204, 302, 303, 304, 400, 408, 426, 431],
  ...Object.values(ERRORS).map(({ status }) => status),
])

/** Label of a status. Unusual ones become their class, such as `4xx`, so that the number of labels stays small. */
export function countedStatus(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`
}

/** Metrics of one relay process (docs/relay.md#metrics). */
export class RelayMetrics {
  readonly #all: Metric[] = []
  readonly handshakes = this.#counter(
    'hm_relay_handshakes_total',
    'Connection attempts of gateways by outcome: proved, refused, limited.',
  )
  readonly tunnelsEnded = this.#counter(
    'hm_relay_tunnels_ended_total',
    'Ended tunnels of authenticated gateways by reason: silent (pings were lost), closed.',
  )
  readonly requests = this.#counter(
    'hm_relay_requests_total',
    'Requests of clients by route and status. Status 0: the client disconnected first; 2xx and the like: other statuses of the class.',
  )
  readonly gatewaySeconds = this.#buckets(
    'hm_relay_gateway_seconds',
    'Time from a request to the first byte of the gateway’s response.',
  )
  readonly offline = this.#counter('hm_relay_offline_total', 'Responses with the error gateway_offline.')
  readonly timeouts = this.#counter('hm_relay_timeouts_total', 'Responses with the error gateway_timeout.')
  readonly storeErrors = this.#counter('hm_relay_store_errors_total', 'Failed reads and writes of the store.')
  readonly busErrors = this.#counter('hm_relay_bus_errors_total', 'Failed requests to other nodes.')
  readonly oauth = this.#counter('hm_relay_oauth_total', 'Steps of hosted agents’ sign-in, by step and outcome.')

  /** Adds a gauge whose value is read with each scrape. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void {
    this.#all.push(new CallbackMetric('gauge', name, help, read))
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    return formatMetrics(this.#all)
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
