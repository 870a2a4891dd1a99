import { describe, expect, test } from 'vitest'
import { readSettings } from './relay-settings.ts'

const URL_OF_ALL = { HM_RELAY_URL: 'https://relay.example' }
const NATS = 'nats://127.0.0.1:4222'

describe('the settings of a relay with several nodes', () => {
  test('are NATS, its credentials, the number of replicas and the address for other nodes', () => {
    expect(readSettings({})).toMatchObject({ nats: null, inner: null })
    expect(readSettings({ ...URL_OF_ALL, HM_RELAY_NATS: NATS })).toMatchObject({
      nats: { servers: [NATS], creds: null, replicas: 3 },
      inner: null,
    })
    const all = {
      HM_RELAY_NATS: `tls://one.example:4222, ${NATS}`,
      HM_RELAY_NATS_CREDS: '/etc/relay.creds',
      HM_RELAY_NATS_REPLICAS: '1',
      HM_RELAY_INNER_ADDRESS: '[fd00::5]:8543',
    }
    expect(readSettings({ ...URL_OF_ALL, ...all })).toMatchObject({
      nats: { servers: ['tls://one.example:4222', NATS], creds: '/etc/relay.creds', replicas: 1 },
      inner: { host: 'fd00::5', port: 8_543 },
    })
    expect(readSettings({ HM_RELAY_INNER_ADDRESS: '10.0.0.5' }).inner).toEqual({ host: '10.0.0.5', port: 0 })
  })

  test('are refused by name if they are invalid', () => {
    expect(() => readSettings({ HM_RELAY_NATS: NATS })).toThrow('set HM_RELAY_URL')
    for (const address of ['127.0.0.1:4222', 'http://127.0.0.1', 'nats://user:word@127.0.0.1', 'nats://', `${NATS},`])
      expect(() => readSettings({ ...URL_OF_ALL, HM_RELAY_NATS: address }), address).toThrow('HM_RELAY_NATS is')
    expect(() => readSettings({ ...URL_OF_ALL, HM_RELAY_NATS: NATS, HM_RELAY_NATS_REPLICAS: '2' })).toThrow(
      'HM_RELAY_NATS_REPLICAS is "2"',
    )
    for (const address of ['10.0.0.5:99999', 'a b', 'https://10.0.0.5', '10.0.0.5/path', 'user@10.0.0.5'])
      expect(() => readSettings({ HM_RELAY_INNER_ADDRESS: address }), address).toThrow('HM_RELAY_INNER_ADDRESS is')
  })
})
