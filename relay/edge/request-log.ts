import type { IncomingMessage } from 'node:http'
import { countedStatus } from '../metrics/metrics.ts'
import { routeNames } from './routes.ts'
import { addressOf } from './routing.ts'
import type { RelayParts } from '../store/relay-parts.ts'

const REFERENCE_BYTES = 5

export interface RequestLogParts extends Pick<RelayParts, 'clock' | 'random' | 'log' | 'metrics'> {
  /** Path patterns, such as `/v1/devices/{id}`. */
  readonly routes: () => readonly string[]
}

export interface LoggedRequest {
  /** Names the request in the log and in an error response. */
  readonly reference: string
  /** Serial of the gateway, once it is known. */
  gateway: string | null
  /** @param status 0: the client disconnected before the response. */
  ended(status: number): void
}

/** Logs each request with route, serial, status, time and reference, but without any content. */
export function requestLog({ routes, ...parts }: RequestLogParts): (request: IncomingMessage) => LoggedRequest {
  const { metrics, clock, random, log } = parts
  const routeOf = routeNames(routes)
  return (request) => {
    const since = clock.monotonic()
    const { method = '' } = request
    const { path } = addressOf(request)
    const reference = random.bytes(REFERENCE_BYTES).toString('hex')
    const logged: LoggedRequest = {
      reference,
      gateway: null,
      ended: (status) => {
        const route = routeOf(path) ?? 'other'
        metrics.requests.add({ route, status: countedStatus(status) })
        const ms = Math.round(clock.monotonic() - since)
        log.info({ method, route, serial: logged.gateway, status, ms, reference }, 'A request was answered.')
      },
    }
    return logged
  }
}
