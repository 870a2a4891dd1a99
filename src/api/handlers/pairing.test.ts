import { expect } from 'vitest'
import type { Pairing } from '../../auth/agents/pairing.ts'
import { SITE_SHARE } from '../../lib/address-limits.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { pairingHandlers } from './pairing.ts'

const BURST = 60

proves('relay.address-limits', 'worthless polls of a /48 are counted together for all its networks', () => {
  const pairing: Partial<Pairing> = { poll: () => ({ kind: 'expired' }) }
  const handlers = pairingHandlers({
    gateway: 'abcdefghjkmn',
    pairing: pairing as Pairing,
    clock: new ManualClock(),
  })
  const poll = handlers['pair.token'] as unknown as (call: object) => unknown
  const statusFrom = (peer: string): number => {
    const refuse = (): unknown => ({ status: 429 })
    return (poll({ body: { code: 'invented' }, via: 'cloud', peer, refuse }) as { readonly status: number }).status
  }
  const ofSite = Array.from({ length: SITE_SHARE * BURST + 1 }, (_, network) => statusFrom(`2001:db8:1:${network}::1`))
  expect(ofSite.filter((status) => status === 429)).toHaveLength(1)
  expect([statusFrom('2001:db8:2:1::1'), statusFrom('::ffff:192.0.2.1')]).toEqual([400, 400])
})
