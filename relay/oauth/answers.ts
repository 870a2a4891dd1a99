import { errors, Provider } from 'oidc-provider'
import type { HomeFailure } from '../homes.ts'
import { RelayUnavailable } from '../unavailable.ts'

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

function isHomeFailure(cause: unknown): cause is HomeFailure {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'kind' in cause &&
    (cause.kind === 'gateway_offline' || cause.kind === 'gateway_timeout')
  )
}
