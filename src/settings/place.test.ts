import { describe, expect, test } from 'vitest'
import { consoleAddresses } from '../gateway/console.ts'
import { addressesAt, namesHere, originAt } from './place.ts'

const MACHINE = { serial: 'ab12cd34ef56', addresses: ['192.168.1.20', '2001:db8::20'] }
const PORT = 8490

describe('where the gateway is to be found', () => {
  const origins = (host: string): readonly string[] =>
    namesHere({ ...MACHINE, host }).map((name) => originAt(name, PORT))
  const OWN = ['https://hm-ab12cd34ef56.local:8490', 'https://192.168.1.20:8490', 'https://[2001:db8::20]:8490']

  test.each([
    ['::', ['https://localhost:8490', ...OWN], MACHINE.addresses],
    ['0.0.0.0', ['https://localhost:8490', ...OWN], MACHINE.addresses],
    ['127.0.0.1', ['https://localhost:8490'], []],
    ['192.168.1.20', ['https://192.168.1.20:8490'], ['192.168.1.20']],
    ['2001:db8::20', ['https://[2001:db8::20]:8490'], ['2001:db8::20']],
    ['gateway.example', ['https://gateway.example:8490'], []],
  ])('that listens on %s is where it listens, and nowhere else', (host, expected, addresses) => {
    expect(origins(host)).toEqual(expected)
    expect(addressesAt(host, MACHINE.addresses)).toEqual(addresses)
    const console = (reach: 'on' | 'loopback' | 'off'): readonly string[] =>
      consoleAddresses({ host, console: reach }, { ...MACHINE, port: PORT })
    expect(console('on')).toEqual(expected.map((address) => `${address}/console/`))
    expect(console('loopback')).toEqual(
      expected.filter((address) => address.includes('localhost')).map((address) => `${address}/console/`),
    )
    expect(console('off')).toEqual([])
  })
})
