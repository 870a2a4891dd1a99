import type { AuthFailure, WrongAudience } from '../auth/authenticator.ts'

/** WebSocket close codes of the gateway (docs/stream.md): standard ones of RFC 6455, and our own from 4000. */
export const CLOSE = {
  /** The gateway stops: connect again. */
  goingAway: 1001,
  /** Too many sockets: wait, then connect again. */
  tryAgainLater: 1013,
  /** The credential ended: a new one is needed. */
  unauthorized: 4401,
  /** The credential is good, but an administrator has switched it or its integration off. */
  forbidden: 4403,
} as const

export function closeCodeOf(failure: AuthFailure): number {
  if (typeof failure === 'object') return CLOSE.forbidden
  switch (failure) {
    case 'unauthorized':
    case 'token_expired':
    case 'session_expired':
      return CLOSE.unauthorized
    case 'record_disabled':
    case 'agent_access_disabled':
    case 'cloud_access_disabled':
      return CLOSE.forbidden
    default:
      // A token with another audience.
      failure satisfies WrongAudience
      return CLOSE.unauthorized
  }
}
