import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Limits, REQUESTS_OF_HOME, STRANGERS_OF_HOME, STRANGERS_OF_HOME_ALL } from './limits.ts'

const HOME = 'abcdefghjkmn'

/** Number of requests to the home that pass, of `count`. */
function passed(limits: Limits, count: number, token: string | null, peerOf: (index: number) => string): number {
  return Array.from({ length: count }, (_, index) => limits.home({ gateway: HOME, token, peer: peerOf(index) })).filter(
    (wait) => wait === 0,
  ).length
}

const everywhere = (index: number): string => `198.51.${index >> 8}.${index & 255}`

proves('relay.owners-share', 'strangers use up only their own share of a home', () => {
  const limits = new Limits(new ManualClock())
  limits.noteStatus('owner', 200)
  const { burst } = STRANGERS_OF_HOME_ALL
  expect(passed(limits, 2 * burst, 'wrong', everywhere)).toBe(burst)
  expect(passed(limits, 10, null, everywhere)).toBe(0)
  expect(passed(limits, 2 * REQUESTS_OF_HOME.burst, 'owner', () => '192.0.2.1')).toBe(REQUESTS_OF_HOME.burst)
})

proves(
  'relay.owners-share',
  'twenty addresses and a /48 leave a stranger’s share to a new person',
  { tags: ['long'] },
  () => {
    const clock = new ManualClock()
    const limits = new Limits(clock)
    const attackers = (index: number): string =>
      index % 2 === 0 ? `198.51.100.${(index >> 1) % 20}` : `2001:db8:1:${(index % 60_000).toString(16)}::1`
    for (let second = 0; second < 120; second += 1) {
      passed(limits, 1_000, 'wrong', attackers)
      clock.advance(1_000)
    }
    expect(passed(limits, 20, null, () => '192.0.2.1')).toBe(20)
  },
)

proves('relay.owners-share', 'a credential that the home refuses counts as a stranger’s again', () => {
  const limits = new Limits(new ManualClock())
  for (const status of [200, 401]) limits.noteStatus('revoked', status)
  expect(passed(limits, 200, 'revoked', () => '192.0.2.1')).toBe(STRANGERS_OF_HOME.burst)
})
