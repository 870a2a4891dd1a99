import { expect, test } from 'vitest'
import { FairShares } from './fair-shares.ts'

function placesOf(addresses: readonly string[]): FairShares<number> {
  const places = new FairShares<number>()
  for (const [index, address] of addresses.entries()) places.add(index, address)
  return places
}

test('a newcomer evicts the oldest holder of the largest site', () => {
  const places = placesOf(['192.0.2.1', '2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:1::2', '192.0.2.2'])
  expect(places.victimFor('192.0.2.3')).toBe(1)
  places.delete(1)
  expect(places.victimFor('192.0.2.3')).toBe(2)
})

test('a newcomer is refused if its own site would hold as many as the largest', () => {
  const places = placesOf(['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2'])
  expect(['192.0.2.2', '192.0.2.1', '2001:db8::1'].map((address) => places.victimFor(address))).toEqual([null, null, 0])
})

test('networks within the largest site share fairly too', () => {
  const places = placesOf(['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1::3', '2001:db8:1:2::1'])
  expect(places.victimFor('2001:db8:1:3::1')).toBe(0)
  expect(places.victimFor('2001:db8:1:2::2')).toBe(0)
  expect(places.victimFor('2001:db8:1:1::4')).toBeNull()
})
