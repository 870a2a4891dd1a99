import type { Pairing } from '../../auth/agents/pairing.ts'
import { AddressLimits } from '../../lib/address-limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { pairing } from '../contract/pairing.ts'
import type { HandlersOf } from '../handler.ts'

/**
 * Rate limit per address for polls with expired or invented codes. It bounds guessing; polls with a valid code do not
 * count.
 */
const INVALID_POLLS = { perSecond: 1, burst: 60 }

/** Handlers of the device flow (Spec 5 point 7). */
export function pairingHandlers(parts: {
  gateway: string
  pairing: Pick<Pairing, 'startDeviceFlow' | 'poll'>
  clock: Clock
}): HandlersOf<typeof pairing> {
  const invalidPolls = new AddressLimits(parts.clock, INVALID_POLLS)
  return {
    'pair.ask': ({ body, via, peer, refuse }) => {
      if (body.gateway !== parts.gateway)
        return refuse('not_found', {
          message: 'This is another gateway: its id is part of the name hm-<id>.local that it announces.',
        })
      const { name, platform, record = null, suggested = null } = body
      const pending = parts.pairing.startDeviceFlow({ name, platform, record, hosted: null, suggested, via, peer })
      if (pending.ok) return pending.value
      switch (pending.error.kind) {
        case 'rate_limited':
          return refuse('rate_limited', {
            message: 'Too many requests for access. Wait and try again.',
            retryAfter: pending.error.retryAfter,
          })
        case 'agent_access_disabled':
        case 'cloud_access_disabled':
          return refuse(pending.error.kind)
      }
    },
    'pair.token': ({ body, via, peer, refuse }) => {
      const polled = parts.pairing.poll(body.code)
      switch (polled.kind) {
        case 'token':
          return { access_token: polled.token, token_type: 'Bearer', kind: polled.credentialKind }
        case 'pending':
          return { status: 400, literal: { error: 'authorization_pending' } }
        case 'slow_down':
          return { status: 429, literal: { error: 'slow_down' } }
        case 'denied':
          return { status: 400, literal: { error: 'access_denied' } }
        case 'suspended':
          return refuse('agent_access_disabled')
        case 'expired': {
          const wait = invalidPolls.take(peer, via)
          if (wait > 0) return refuse('rate_limited', { retryAfter: wait })
          return { status: 400, literal: { error: 'expired_token' } }
        }
      }
    },
  }
}
