import { describe, expect, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { readSettings, SettingsError } from './settings.ts'

describe('settings', () => {
  proves(
    '8.port',
    'are, unless told otherwise: port 8490, every address, the simulated house, the folder ./data',
    () => {
      expect(readSettings({}, [])).toEqual({
        dataDir: './data',
        host: '::',
        port: 8490,
        hmhc: { kind: 'sim', units: null, seed: 1, speed: 1 },
        rateLimit: { perSecond: 200, burst: 500 },
        logLevel: 'warn',
        console: 'on',
        setupCode: null,
        backupDir: null,
      })
    },
  )

  test('come from flags before the environment, and an empty variable is none', () => {
    expect(readSettings({ HM_PORT: '9000', HM_HOST: '' }, ['--port', '9001'])).toMatchObject({ port: 9001, host: '::' })
    expect(readSettings({ HM_HMHC: 'sim:units=300,seed=7,speed=10', HM_RATE_LIMIT: 'off' }, [])).toMatchObject({
      hmhc: { kind: 'sim', units: 300, seed: 7, speed: 10 },
      rateLimit: null,
    })
    expect(readSettings({ HM_HMHC: 'tcp://[::1]:7700', HM_RATE_LIMIT: '10/20' }, [])).toMatchObject({
      hmhc: { kind: 'tcp', host: '::1', port: 7700 },
      rateLimit: { perSecond: 10, burst: 20 },
    })
    expect(readSettings({ HM_HMHC: '/dev/serial/by-id/usb-x' }, [])).toMatchObject({
      hmhc: { kind: 'serial', path: '/dev/serial/by-id/usb-x' },
    })
  })

  proves('administration.adapter', 'take the address of an adapter in each common form', () => {
    const line = (text: string): unknown => readSettings({ HM_HMHC: text }, []).hmhc
    const at = (host: string): object => ({ kind: 'tcp', host, port: 7700 })
    for (const scheme of ['tcp', 'TCP', 'socket', 'Socket'])
      for (const end of ['', '/']) expect(line(`${scheme}://adapter.lan:7700${end}`)).toEqual(at('adapter.lan'))
    expect(line('tcp://[fe80::1ff:fe23:4567:890a%25eth0]:7700')).toEqual(at('fe80::1ff:fe23:4567:890a%eth0'))
    expect(line('tcp://[FE80::1%eth0.7]:7700/')).toEqual(at('FE80::1%eth0.7'))
    // A zone of digits: interface 25.
    expect(line('tcp://[fe80::1%2525]:7700')).toEqual(at('fe80::1%25'))
  })

  test.each([
    { HM_HMHC: 'tcp://[fe80::1%]:7700' },
    { HM_HMHC: 'tcp://host:7700/serial' },
    { HM_HMHC: 'tcp://a@host:7700' },
    { HM_HMHC: 'socket://a:b@host:7700' },
    { HM_HMHC: 'tcp://a@[fe80::1]:7700' },
    { HM_HMHC: 'tcp://host?:7700' },
    { HM_HMHC: 'tcp://host#:7700' },
    { HM_HMHC: 'udp://host:7700' },
    { HM_PORT: '-1' },
    { HM_PORT: '65536' },
    { HM_PORT: '84.9' },
    { HM_PORT: '0x10' },
    { HM_PORT: ' 80' },
    { HM_HMHC: 'sim:units=0' },
    { HM_HMHC: 'sim:units=many' },
    { HM_HMHC: 'sim:seed=-1' },
    { HM_HMHC: 'sim:speed=1001' },
    { HM_HMHC: 'sim:cats=3' },
    { HM_HMHC: 'tcp://host' },
    { HM_HMHC: 'tcp://host:0' },
    { HM_HMHC: 'tcp://host:70000' },
    { HM_HMHC: 'ttyUSB0' },
    { HM_RATE_LIMIT: '200' },
    { HM_RATE_LIMIT: '0/10' },
    { HM_RATE_LIMIT: 'fast' },
    { HM_LOG_LEVEL: 'loud' },
    { HM_FAST_PATH: 'false' },
  ])('%j is refused in a sentence that names it', (env) => {
    const [name, value] = Object.entries(env)[0]!
    expect(() => readSettings(env, [])).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*\\.$`))
    expect(() => readSettings(env, [])).toThrow(
      value
        .split(/[:=]|\/\//)
        .at(-1)!
        .trim(),
    )
  })

  test('that flags say wrong are refused in a sentence that says how to say them', () => {
    expect(() => readSettings({}, ['--hmhc', 'usb'])).toThrow(
      'HM_HMHC is "usb": it must be sim:, sim:units=300,seed=7,speed=10, a serial device such as /dev/ttyUSB0, or tcp://host:port.',
    )
    const unknown = (): unknown => readSettings({}, ['--prot', '1'])
    expect(unknown).toThrow("Unknown option '--prot'")
    expect(unknown).toThrow('--port PORT')
    expect(unknown).toThrow(SettingsError)
  })
})
