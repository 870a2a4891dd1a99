import { errors, Provider } from 'oidc-provider'
import type { HomeFailure } from '../model/homes.ts'
import { RelayUnavailable } from '../model/unavailable.ts'

/** Seconds after which a client tries again where nothing else is known. */
export const RETRY_AFTER_SECONDS = 15

/** 503 `temporarily_unavailable`: clients keep their tokens and come back (docs/decisions/sign-in.md#offline). */
export class TemporarilyUnavailable extends errors.TemporarilyUnavailable {
  override status = 503
  override statusCode = 503
  override expose = true
}

/** What an engine's caller is told where a home or the store did not answer; anything else is a defect and stays so. */
export function unavailable(cause: unknown): unknown {
  if (cause instanceof RelayUnavailable)
    return later('The relay cannot serve this right now. Try again.', RETRY_AFTER_SECONDS)
  if (!isHomeFailure(cause)) return cause
  const sentence =
    cause.kind === 'gateway_offline'
      ? 'The gateway of this home is not connected right now. Try again.'
      : 'The gateway of this home did not answer in time. Try again.'
  return later(sentence, cause.retryAfter)
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
    throw unavailable(error)
  }
}

function isHomeFailure(cause: unknown): cause is HomeFailure {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'kind' in cause &&
    (cause.kind === 'gateway_offline' || cause.kind === 'gateway_timeout')
  )
}
