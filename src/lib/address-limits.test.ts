import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ADDRESSES_MAX, AddressLimits, NEWCOMER, SITE_SHARE } from './address-limits.ts'

const LIMIT = { perSecond: 1 / 60, burst: 5 }

/** Number of `count` takes that succeed. */
function takeMany(limits: AddressLimits, count: number, addressOf: (index: number) => string, scope?: string): number {
  return Array.from({ length: count }, (_, index) => limits.take(addressOf(index), scope)).filter((wait) => wait === 0)
    .length
}

const inSite = (site: string) => (index: number) => `2001:db8:${site}:${index.toString(16)}::1`

proves('relay.address-limits', 'a /48 has four times the limit of one address, from any number of its networks', () => {
  const limits = new AddressLimits(new ManualClock(), LIMIT)
  expect(takeMany(limits, 10, () => '2001:db8:1:1::1')).toBe(LIMIT.burst)
  expect(takeMany(limits, 1_000, inSite('1'))).toBe((SITE_SHARE - 1) * LIMIT.burst)
  expect(takeMany(limits, 10, inSite('2'))).toBe(10)
  expect(takeMany(limits, 10, () => '::ffff:192.0.2.1')).toBe(LIMIT.burst)
  expect(takeMany(limits, 10, () => '192.0.2.1')).toBe(0)
})

proves('relay.address-limits', 'a site without tokens displaces no other address', () => {
  const limits = new AddressLimits(new ManualClock(), LIMIT)
  expect(takeMany(limits, 10, () => '192.0.2.1')).toBe(LIMIT.burst)
  takeMany(limits, ADDRESSES_MAX + 1_000, inSite('1'))
  expect(limits.take('192.0.2.1')).toBeGreaterThan(0)
})

proves(
  'relay.address-limits',
  'half of the shared limit is reserved for addresses that took little in the last day',
  () => {
    const clock = new ManualClock()
    const limits = new AddressLimits(clock, { ...LIMIT, all: { perSecond: 160 / 86_400, burst: 160 } })
    const attackers = Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`)
    const attack = (): number => attackers.reduce((sum, address) => sum + takeMany(limits, 5, () => address), 0)
    // 16 addresses use up the common half. The other four have three each of the reserved half.
    expect(attack()).toBe(80 + 4 * NEWCOMER.burst)
    expect(limits.take('203.0.113.1')).toBe(0)
    clock.advance(3_600_000)
    attack()
    expect([limits.take(attackers[0]!) > 0, limits.take('203.0.113.2')]).toEqual([true, 0])
  },
)

proves('relay.address-limits', 'each scope counts separately', () => {
  const limits = new AddressLimits(new ManualClock(), { ...LIMIT, all: { perSecond: 1, burst: 4 } })
  expect(takeMany(limits, 5, () => '192.0.2.1', 'one')).toBe(4)
  expect(takeMany(limits, 5, () => '192.0.2.1', 'two')).toBe(4)
})
