import { errors, Provider } from 'oidc-provider'
import type { HomeFailure } from '../model/homes.ts'
import { RelayUnavailable } from '../model/unavailable.ts'

/** Seconds after which a client tries again where nothing else is known. */
const RETRY_AFTER_SECONDS = 15

/** 503 `temporarily_unavailable`: clients keep their tokens and come back (docs/decisions/sign-in.md#offline). */
export class TemporarilyUnavailable extends errors.TemporarilyUnavailable {
  override status = 503
  override statusCode = 503
  override expose = true
}

/** Refusal for an engine's caller if a home did not answer. */
export function gatewayAway({ kind, retryAfter }: HomeFailure): TemporarilyUnavailable {
  const why = kind === 'gateway_offline' ? 'is not connected right now' : 'did not answer in time'
  return later(`The gateway of this home ${why}. Try again.`, retryAfter)
}

/** The same, for a client that asks too often. */
export function later(sentence: string, retryAfter: number): TemporarilyUnavailable {
  Provider.ctx?.set('Retry-After', String(retryAfter))
  return new TemporarilyUnavailable(sentence)
}

/** 429 for a client that registers too often, as clients of OAuth read it. */
export function tooMany(retryAfter: number): TemporarilyUnavailable {
  const error = later(tooManyWords(retryAfter), retryAfter)
  error.status = error.statusCode = 429
  return error
}

export const tooManyWords = (retryAfter: number): string =>
  `Too many requests from this address. Try again in ${retryAfter} seconds.`

/** A store that is away is `temporarily_unavailable`, in OAuth's form. */
export async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof RelayUnavailable)) throw error
    throw later('The relay cannot serve this right now. Try again.', RETRY_AFTER_SECONDS)
  }
}
