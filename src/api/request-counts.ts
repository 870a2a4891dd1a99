import { CallbackMetric, Buckets, Histogram, type Labels, type Metric, type Sample } from '../lib/exposition.ts'
import type { CallHead } from './call.ts'
import type { EndpointName } from './contract/index.ts'
import { type ErrorCode, ERRORS } from '../wire/errors.ts'

const TRANSPORTS = ['https', 'stream', 'mcp', 'console', 'relay'] as const
/** Bucket limits in seconds: a read takes a millisecond, a unit tens of milliseconds, a silent unit some seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Upper bound of statuses, which have three digits. */
const STATUSES = 1_000

/** Parts of a request that show its transport. */
export type TransportInfo = Partial<Pick<CallHead, 'token' | 'via' | 'audience' | 'onStream' | 'naming'>>

class EndpointCounts {
  /** Counts by transport and status in one number, so that counting allocates no text. */
  readonly answers = new Map<number, number>()
  readonly seconds = new Buckets(SECONDS)
}

/** Counts of the pipeline's responses since the start (docs/operations.md#metrics). */
export class RequestCounts {
  readonly #endpoints = new Map<EndpointName | '', EndpointCounts>()
  readonly #refusals = new Map<string, number>(Object.keys(ERRORS).map((code) => [code, 0]))
  readonly metrics: readonly Metric[] = [
    new CallbackMetric(
      'counter',
      'hm_requests_total',
      'Answered requests; the endpoint is empty where none was reached.',
      () => this.#answers(),
    ),
    new Histogram('hm_request_seconds', 'Duration of admitted requests.', () => this.#seconds()),
    new CallbackMetric('counter', 'hm_refusals_total', 'Refusals.', () =>
      [...this.#refusals].map(([code, value]) => ({ labels: { code }, value })),
    ),
  ]

  /**
   * Counts a response of an endpoint, or `''` if the request reached none. `ms` is null for requests that were not
   * admitted.
   */
  answered(name: EndpointName | '', from: TransportInfo, status: number, ms: number | null): void {
    let counts = this.#endpoints.get(name)
    if (counts === undefined) this.#endpoints.set(name, (counts = new EndpointCounts()))
    const key = transportOf(from) * STATUSES + status
    counts.answers.set(key, (counts.answers.get(key) ?? 0) + 1)
    if (ms !== null) counts.seconds.observe(ms / 1_000)
  }

  /** Counts a refusal before the look-up of an endpoint. */
  turnedAway(code: ErrorCode, from: TransportInfo, status: number): void {
    this.refused(code)
    this.answered('', from, status, null)
  }

  refused(code: ErrorCode): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1)
  }

  #answers(): readonly Sample[] {
    return [...this.#endpoints].flatMap(([endpoint, { answers }]) =>
      [...answers].map(([key, value]) => ({
        labels: { endpoint, transport: TRANSPORTS[Math.floor(key / STATUSES)] ?? '', status: key % STATUSES },
        value,
      })),
    )
  }

  #seconds(): readonly (readonly [Labels, Buckets])[] {
    return [...this.#endpoints].flatMap(([endpoint, { seconds }]) =>
      endpoint === '' ? [] : [[{ endpoint }, seconds] as const],
    )
  }
}

function transportOf({ token, via, audience, onStream }: TransportInfo): number {
  if (onStream === true) return TRANSPORTS.indexOf('stream')
  if (audience !== undefined && audience !== 'api') return TRANSPORTS.indexOf('mcp')
  if (typeof token === 'object' && token !== null) return TRANSPORTS.indexOf('console')
  return TRANSPORTS.indexOf(via === 'cloud' ? 'relay' : 'https')
}
