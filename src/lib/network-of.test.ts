import { expect, test } from 'vitest'
import { addressKeys } from './network-of.ts'

test('an IPv4 address is one key, in every IPv6 notation', () => {
  const own = { network: '192.0.2.7', site: '192.0.2.7' }
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:c000:0207'])
    expect(addressKeys(address)).toEqual(own)
})

test('an IPv6 address counts by its /64 and its /48, in every notation', () => {
  const own = { network: '2001:db8:a:b::/64', site: '2001:db8:a::/48' }
  for (const address of ['2001:db8:a:b::1', '2001:0DB8:000a:000B:0:0:0:1', '2001:db8:a:b:c:d:192.0.2.1%eth0'])
    expect(addressKeys(address)).toEqual(own)
  expect(addressKeys('::1')).toEqual({ network: '0:0:0:0::/64', site: '0:0:0::/48' })
  expect(addressKeys('2001:db8::')).toEqual({ network: '2001:db8:0:0::/64', site: '2001:db8:0::/48' })
})

test('a text that is not an address is its own key', () => {
  for (const text of ['olga@example.org', '2001:db8:a:b::/64', ''])
    expect(addressKeys(text)).toEqual({ network: text, site: text })
})
