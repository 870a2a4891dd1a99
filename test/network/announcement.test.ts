import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'
import { connect } from 'node:tls'
import { describe, expect } from 'vitest'
import { TestSocket } from '#support/gateway/callers.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { MdnsPacket, OpenSocket, PacketSender } from '../../src/mdns/socket.ts'
import type { MdnsRecord } from '#support/gateway/announcer-bench.ts'

/** A simulated home network. Packets are stored and returned to their sender. */
const lan: {
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>
  readonly sent: MdnsPacket[]
  /** True if packets do not return to their sender. */
  deaf: boolean
  hear: (packet: MdnsPacket, from: PacketSender) => void
} = { interfaces: {}, sent: [], deaf: false, hear: () => {} }
const keepPackets: OpenSocket = (place, { onPacket }) => {
  lan.hear = onPacket
  return {
    send: (packet) => {
      lan.sent.push(packet)
      if (!lan.deaf) onPacket(packet, place)
      return Promise.resolve(true)
    },
    close: () => Promise.resolve(),
  }
}

const ipv4 = (address: string): NetworkInterfaceInfo => ({
  address,
  netmask: '255.255.255.0',
  family: 'IPv4',
  mac: '00:00:00:00:00:01',
  internal: false,
  cidr: `${address}/24`,
})

/** Records of all responses since the last call, newest last. */
function announced(): MdnsRecord[] {
  return lan.sent
    .splice(0)
    .filter((packet) => packet.type === 'response')
    .flatMap((packet) => packet.answers ?? [])
}

/** True if records announce the gateway, false for a goodbye, null for neither. */
function presence(records: readonly MdnsRecord[]): boolean | null {
  const pointer = records.findLast((record) => record.type === 'PTR' && record.name === '_hm-api._tcp.local')
  return pointer === undefined ? null : (pointer as { ttl?: number }).ttl !== 0
}

async function open(clock: ManualClock): Promise<TestGateway> {
  lan.interfaces = { eth0: [ipv4('192.168.7.20')] }
  lan.sent.length = 0
  lan.deaf = false
  return TestGateway.open({
    clock,
    settled: false,
    announce: { interfaces: () => lan.interfaces, announcementSockets: () => Promise.resolve(keepPackets) },
  })
}

async function integration(running: TestGateway, settings: Record<string, string> = {}): Promise<string> {
  const made = (await running.admin.call('POST', '/integrations', { name: 'Announced', settings })) as {
    integration: { id: string }
  }
  return made.integration.id
}

/** Names in the present certificate of the gateway. */
async function names(running: TestGateway): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port: running.gateway.port,
    ca: readFileSync(running.gateway.caFile, 'utf8'),
    servername: 'localhost',
  })
  await once(socket, 'secureConnect')
  const { subjectaltname } = socket.getPeerCertificate()
  socket.destroy()
  return subjectaltname ?? ''
}

describe('the announcement', () => {
  proves('discovery.mdns', 'has the instance, host, port, addresses and the text record for clients', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await open(clock)
    await integration(running)
    await clock.advanceAsync(5_000)
    const { serial, port, fingerprint } = running.gateway
    const [host, instance] = [`hm-${serial}.local`, `hm-${serial}._hm-api._tcp.local`]
    const records = announced()
    expect(records).toContainEqual(expect.objectContaining({ name: '_hm-api._tcp.local', type: 'PTR', data: instance }))
    expect(records).toContainEqual(
      expect.objectContaining({
        name: instance,
        type: 'SRV',
        data: expect.objectContaining({ port, target: host }) as object,
      }),
    )
    expect(records).toContainEqual(expect.objectContaining({ name: host, type: 'A', data: '192.168.7.20' }))
    const text = records.find((record) => record.type === 'TXT' && record.name === instance) as
      | { data: Buffer[] }
      | undefined
    expect(text?.data.map(String)).toEqual(['v=1.1.0', `gw=${serial}`, 'path=/v1', `fp=${fingerprint}`])
  })

  proves(
    ['discovery.mdns-when', '2.1.mdns'],
    'is there while an enabled integration has mdns on, and is withdrawn with the last one',
    async () => {
      const clock = new ManualClock(Date.now())
      await using running = await open(clock)
      const after = async (change: () => Promise<unknown>): Promise<boolean | null> => {
        await change()
        await clock.advanceAsync(5_000)
        return presence(announced())
      }
      const change = (id: string, what: object) => () => running.admin.call('PATCH', `/integrations/${id}`, what)
      expect(await after(() => Promise.resolve())).toBeNull()
      const silent = await integration(running, { mdns: 'off' })
      expect(await after(() => Promise.resolve())).toBeNull()
      let first = ''
      expect(
        await after(async () => {
          first = await integration(running)
        }),
      ).toBe(true)
      expect(await after(change(first, { settings: { mdns: 'off' } }))).toBe(false)
      expect(await after(change(silent, { settings: { mdns: 'on' } }))).toBe(true)
      expect(await after(change(silent, { enabled: false }))).toBe(false)
      expect(await after(change(silent, { enabled: true }))).toBe(true)
      expect(await after(change(first, { settings: { mdns: 'on' } }))).toBeNull()
      expect(await after(() => running.admin.call('DELETE', `/integrations/${first}`))).toBeNull()
      expect(await after(() => running.admin.call('DELETE', `/integrations/${silent}`))).toBe(false)
    },
  )

  proves('discovery.goodbye', 'is withdrawn when the gateway stops', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await open(clock)
    await integration(running)
    await clock.advanceAsync(5_000)
    expect(presence(announced())).toBe(true)
    await running.stop()
    const last = announced()
    expect(presence(last)).toBe(false)
    expect(last.filter((record) => record.type === 'SRV').map((record) => (record as { ttl?: number }).ttl)).toEqual([
      0,
    ])
  })

  proves(
    ['discovery.mdns', '4.rule10.fingerprint'],
    'has the new fingerprint as soon as there is a new CA',
    { tags: ['long'] },
    async () => {
      const clock = new ManualClock(Date.now())
      await using running = await open(clock)
      await integration(running)
      await clock.advanceAsync(5_000)
      announced()
      const { ca } = (await running.admin.call('POST', '/tls/regenerate-ca')) as { ca: { fingerprint: string } }
      await clock.advanceAsync(5_000)
      const text = announced().findLast((record) => record.type === 'TXT') as { data: Buffer[] } | undefined
      expect(text?.data.map(String)).toContain(`fp=${ca.fingerprint}`)
      expect(ca.fingerprint).not.toBe(running.gateway.fingerprint)
    },
  )
})

/** The attention items about the announcement. */
async function attention(running: TestGateway): Promise<readonly { what: string }[]> {
  const { attention: items } = (await running.admin.call('GET', '/status')) as {
    attention: { kind: string; what: string }[]
  }
  return items.filter(({ kind }) => kind === 'announcement')
}

describe('the status of the announcement', () => {
  proves('discovery.echo', 'a network that blocks it needs attention until it recovers', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await open(clock)
    await integration(running)
    await clock.advanceAsync(5_000)
    expect(await attention(running)).toEqual([])
    lan.deaf = true
    await clock.advanceAsync(70_000)
    expect((await attention(running)).map(({ what }) => what)).toEqual([
      expect.stringContaining('on eth0 (192.168.7.20)'),
    ])
    lan.deaf = false
    await clock.advanceAsync(70_000)
    expect(await attention(running)).toEqual([])
  })

  proves('discovery.replugged', 'an interface that returns with its address is announced again', async () => {
    const clock = new ManualClock(Date.now())
    const numbered = (scopeid: number): NetworkInterfaceInfo => ({
      ...{ address: 'fe80::1', netmask: 'ffff:ffff:ffff:ffff::', cidr: 'fe80::1/64', mac: '00:00:00:00:00:01' },
      ...{ family: 'IPv6', internal: false, scopeid },
    })
    await using running = await open(clock)
    lan.interfaces = { eth0: [ipv4('192.168.7.20'), numbered(4)] }
    await integration(running)
    await clock.advanceAsync(20_000)
    announced()
    lan.interfaces = { eth0: [ipv4('192.168.7.20'), numbered(5)] }
    await clock.advanceAsync(5_000)
    await running.admin.call('GET', '/tls')
    await clock.advanceAsync(5_000)
    expect(presence(announced())).toBe(true)
  })

  proves('discovery.conflict', 'another machine with the name needs attention, and its address is shown', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await open(clock)
    await integration(running)
    await clock.advanceAsync(5_000)
    const name = `hm-${running.gateway.serial}.local`
    const record: MdnsRecord = { name, type: 'A', ttl: 120, class: 'IN', data: '192.168.7.66' }
    lan.hear({ type: 'response', answers: [record] }, { address: '192.168.7.66', port: 5353 })
    expect(await attention(running)).toEqual([
      expect.objectContaining({ level: 'attention', what: expect.stringContaining('192.168.7.66') }),
    ])
    await clock.advanceAsync(6 * 60_000)
    expect(await attention(running)).toEqual([])
  })
})

describe('an address change', () => {
  proves(
    ['4.rule10.address', '4.rule10.names', '4.rule10.tls13'],
    'reaches the certificate, the accepted hosts and the announcement within seconds, and drops no connection',
    async () => {
      const clock = new ManualClock(Date.now())
      await using running = await open(clock)
      const made = (await running.admin.call('POST', '/keys', { integration: await integration(running) })) as {
        token: string
      }
      await clock.advanceAsync(5_000)
      announced()
      const door = { url: running.url, ca: readFileSync(running.gateway.caFile, 'utf8'), token: made.token }
      const status = async (host: string): Promise<number> =>
        (await rawRequest(door, { path: '/v1/about', headers: { host } })).status
      const socket = await TestSocket.open(door)
      expect(await names(running)).toContain('IP Address:192.168.7.20')
      expect([await status('192.168.7.20'), await status('192.168.7.99')]).toEqual([200, 421])

      lan.interfaces = { eth0: [ipv4('192.168.7.99')], docker0: [ipv4('172.17.0.1')] }
      await clock.advanceAsync(10_000)
      await running.admin.call('GET', '/tls')
      const now = await names(running)
      expect(now).toContain('IP Address:192.168.7.99')
      expect(now).not.toContain('192.168.7.20')
      expect(now).toContain(`DNS:hm-${running.gateway.serial}.local`)
      expect([await status('192.168.7.20'), await status('192.168.7.99')]).toEqual([421, 200])
      // The certificate changes before the announcement, so clients can verify the new address.
      const addresses: string[] = []
      while (addresses.length === 0) {
        await clock.advanceAsync(1_000)
        addresses.push(...announced().flatMap((record) => (record.type === 'A' ? [record.data] : [])))
      }
      expect(new Set(addresses)).toEqual(new Set(['192.168.7.99']))
      expect(JSON.parse(await socket.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
        status: 200,
      })
      socket.close()
      const old = connect({
        host: '127.0.0.1',
        port: running.gateway.port,
        ca: door.ca,
        servername: 'localhost',
        maxVersion: 'TLSv1.2',
      })
      await expect(once(old, 'secureConnect')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
    },
  )
})
