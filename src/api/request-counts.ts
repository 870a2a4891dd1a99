import { Asked, Buckets, Histogram, type Labels, type Metric, type Sample } from '../lib/exposition.ts'
import type { CallHead } from './call.ts'
import type { EndpointName } from './contract/index.ts'
import { type ErrorCode, ERRORS } from '../wire/errors.ts'

const TRANSPORTS = ['https', 'stream', 'mcp', 'console', 'relay'] as const
/** Seconds: a read takes a millisecond, a unit tens of them, one that is silent some seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Statuses have three digits. */
const STATUSES = 1_000

/** What of a request says over what it came. */
export type Came = Partial<Pick<CallHead, 'token' | 'via' | 'door' | 'onStream' | 'naming'>>

class EndpointCounts {
  /** By transport and status in one number, so that counting makes no text. */
  readonly answers = new Map<number, number>()
  readonly seconds = new Buckets(SECONDS)
}

/** What the pipeline answered since the start (docs/operations.md#metrics). */
export class RequestCounts {
  readonly #endpoints = new Map<EndpointName | '', EndpointCounts>()
  readonly #refusals = new Map<string, number>(Object.keys(ERRORS).map((code) => [code, 0]))
  readonly metrics: readonly Metric[] = [
    new Asked('counter', 'hm_requests_total', 'Answered requests; the endpoint is empty where none was reached.', () =>
      this.#answers(),
    ),
    new Histogram('hm_request_seconds', 'Duration of admitted requests.', () => this.#seconds()),
    new Asked('counter', 'hm_refusals_total', 'Refusals.', () =>
      [...this.#refusals].map(([code, value]) => ({ labels: { code }, value })),
    ),
  ]

  /** One answer of an endpoint, or `''` where a request reached none; `ms` of those that were admitted. */
  answered(name: EndpointName | '', from: Came, status: number, ms: number | null): void {
    let counts = this.#endpoints.get(name)
    if (counts === undefined) this.#endpoints.set(name, (counts = new EndpointCounts()))
    const key = transportOf(from) * STATUSES + status
    counts.answers.set(key, (counts.answers.get(key) ?? 0) + 1)
    if (ms !== null) counts.seconds.observe(ms / 1_000)
  }

  /** What was refused before anybody asked which endpoint it is for. */
  turnedAway(code: ErrorCode, from: Came, status: number): void {
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

function transportOf({ token, via, door, onStream }: Came): number {
  if (onStream === true) return TRANSPORTS.indexOf('stream')
  if (door !== undefined && door !== 'api') return TRANSPORTS.indexOf('mcp')
  if (typeof token === 'object' && token !== null) return TRANSPORTS.indexOf('console')
  return TRANSPORTS.indexOf(via === 'cloud' ? 'relay' : 'https')
}
