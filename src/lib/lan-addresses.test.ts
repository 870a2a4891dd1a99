import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import { ADDRESSES_MAX, ADDRESS_CHECK_MS, lanAddresses, watchAddresses } from './lan-addresses.ts'

function v4(address: string, internal = false): NetworkInterfaceInfo {
  return { address, family: 'IPv4', netmask: '255.255.255.0', mac: '', internal, cidr: `${address}/24` }
}

function v6(address: string, internal = false): NetworkInterfaceInfo {
  return {
    address,
    family: 'IPv6',
    netmask: 'ffff:ffff:ffff:ffff::',
    mac: '',
    internal,
    cidr: `${address}/64`,
    scopeid: 0,
  }
}

const texts = (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] =>
  lanAddresses(interfaces).map((one) => one.address)

test('loopback and IPv6 link-local addresses are left out, private and public ones are not', () => {
  expect(
    texts({
      lo: [v4('127.0.0.1', true), v6('::1', true)],
      eth0: [v6('fe80::1'), v6('FEBF::1'), v6('2001:db8::5'), v6('fd00::5'), v4('192.168.1.20')],
    }),
  ).toEqual(['192.168.1.20', '2001:db8::5', 'fd00::5'])
})

test('an IPv4 link-local address counts only if the interface has no other', () => {
  expect(texts({ eth0: [v4('169.254.7.7'), v4('10.0.0.2')] })).toEqual(['10.0.0.2'])
  expect(texts({ eth0: [v4('169.254.7.7')] })).toEqual(['169.254.7.7'])
})

test("bridges of containers and tunnels are not the home's network, and come last", () => {
  const found = lanAddresses({
    docker0: [v4('172.17.0.1')],
    'br-1a2b': [v4('172.18.0.1')],
    wg0: [v4('10.8.0.1')],
    wlan0: [v4('192.168.1.3')],
    br0: [v4('192.168.1.4')],
  })
  expect(found.map((one) => [one.interface, one.home])).toEqual([
    ['br0', true],
    ['wlan0', true],
    ['br-1a2b', false],
    ['docker0', false],
    ['wg0', false],
  ])
})

test("the number of addresses is bounded, the home's first", () => {
  const many = Array.from({ length: 100 }, (_, index) => v4(`172.17.0.${index}`))
  const found = lanAddresses({ docker0: many, eth0: [v4('192.168.1.20')] })
  expect(found).toHaveLength(ADDRESSES_MAX)
  expect(found[0]?.address).toBe('192.168.1.20')
})

test('a change is reported once, to every listener in order; a reordering is not a change', () => {
  const clock = new ManualClock()
  let now: NodeJS.Dict<NetworkInterfaceInfo[]> = { eth0: [v4('192.168.1.20'), v6('fd00::5')] }
  const watcher = watchAddresses({ clock, log: recordingLog(), list: () => now })
  const calls: string[] = []
  watcher.onChange((addresses) => calls.push(`first ${addresses.map((one) => one.address).join()}`))
  watcher.onChange(() => calls.push('second'))
  expect(watcher.texts()).toEqual(['192.168.1.20', 'fd00::5'])
  now = { eth0: [v6('fd00::5'), v4('192.168.1.20')] }
  clock.advance(3 * ADDRESS_CHECK_MS)
  expect(calls).toEqual([])
  now = { eth0: [v4('192.168.1.21')] }
  clock.advance(3 * ADDRESS_CHECK_MS)
  expect(calls).toEqual(['first 192.168.1.21', 'second'])
  now = {}
  watcher.check()
  expect(watcher.current()).toEqual([])
  watcher.stop()
  expect(clock.waiting).toBe(0)
})

test('a failing system call keeps the last known addresses, and is logged once', () => {
  const clock = new ManualClock()
  const log = recordingLog()
  let broken = false
  const watcher = watchAddresses({
    clock,
    log,
    list: () => {
      if (broken) throw new Error('denied')
      return { eth0: [v4('192.168.1.20')] }
    },
  })
  broken = true
  clock.advance(10 * ADDRESS_CHECK_MS)
  expect(watcher.texts()).toEqual(['192.168.1.20'])
  expect(log.sentences('warn')).toHaveLength(1)
})
