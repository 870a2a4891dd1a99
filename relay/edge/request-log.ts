import type { IncomingMessage } from 'node:http'
import { countedStatus } from '../metrics/metrics.ts'
import { routeNames } from './routes.ts'
import { addressOf } from './routing.ts'
import type { RelayParts } from '../store/parts.ts'

const REFERENCE_BYTES = 5

export interface RequestLogParts extends Pick<RelayParts, 'clock' | 'random' | 'log' | 'metrics'> {
  /** Of every path, without what it is about. */
  readonly routes: () => readonly string[]
}

/** One request, from its head until its answer has left. */
export interface LoggedRequest {
  /** By which the log and an answer name the same request. */
  readonly reference: string
  /** The gateway that it is for, once that is known. */
  gateway: string | null
  /** @param status 0: the client left before its answer. */
  ended(status: number): void
}

/** Writes a line for each request: route, serial, status, time, reference, and nothing of what was said. */
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
