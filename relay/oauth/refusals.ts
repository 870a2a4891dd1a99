import { errors, Provider } from 'oidc-provider'
import type { HomeFailure } from '../model/homes.ts'
import { RelayUnavailable } from '../model/unavailable.ts'

/** Default of the `Retry-After` header. */
const RETRY_AFTER_SECONDS = 15

/** 503 `temporarily_unavailable`: clients keep their tokens and retry (docs/decisions/sign-in.md#offline). */
export class TemporarilyUnavailable extends errors.TemporarilyUnavailable {
  override status = 503
  override statusCode = 503
  override expose = true
}

/** The error for a gateway that is offline or did not respond. */
export function gatewayUnavailable({ kind, retryAfter }: HomeFailure): TemporarilyUnavailable {
  const reason = kind === 'gateway_offline' ? 'is not connected right now' : 'did not answer in time'
  return temporarilyUnavailable(`The gateway of this home ${reason}. Try again.`, retryAfter)
}

export function temporarilyUnavailable(sentence: string, retryAfter: number): TemporarilyUnavailable {
  Provider.ctx?.set('Retry-After', String(retryAfter))
  return new TemporarilyUnavailable(sentence)
}

/** 429 in the form of OAuth, for too many registrations. */
export function tooMany(retryAfter: number): TemporarilyUnavailable {
  const error = temporarilyUnavailable(tooManyWords(retryAfter), retryAfter)
  error.status = error.statusCode = 429
  return error
}

export const tooManyWords = (retryAfter: number): string =>
  `Too many requests from this address. Try again in ${retryAfter} seconds.`

/** Turns an unavailable store into `temporarily_unavailable`. */
export async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof RelayUnavailable)) throw error
    throw temporarilyUnavailable('The relay cannot serve this right now. Try again.', RETRY_AFTER_SECONDS)
  }
}
