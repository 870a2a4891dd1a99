import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { describe, expect } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { verifies } from '#support/gateway/harness.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { DAY_MS } from '../../src/lib/durations.ts'

const FINGERPRINT = /^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/

const HOME_NETWORK = 'The CA is served only in the home network (Spec 4).'

interface Tls {
  house: string
  ca: string
  fingerprint: string
}

/**
 * The certificate of the gateway, after a verified handshake. Rejects with the error of a failed handshake.
 */
async function certificateOf(
  running: TestGateway,
  options: { ca?: string; maxVersion?: 'TLSv1.2'; minVersion?: 'TLSv1.2'; servername?: string } = {},
): Promise<PeerCertificate> {
  const socket = connect({
    host: '127.0.0.1',
    port: running.gateway.port,
    ca: caOf(running),
    servername: 'localhost',
    ...options,
  })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate()
  } finally {
    socket.destroy()
  }
}

const caOf = (running: TestGateway): string => readFileSync(running.gateway.caFile, 'utf8')

describe('TLS', () => {
  proves('4.rule10.tls13', '1.2 and older are refused: at start, after a renewal and with a new CA', async () => {
    await using running = await TestGateway.open({ settled: false })
    const steps = [
      () => Promise.resolve(),
      () => running.admin.call('POST', '/tls/renew'),
      () => running.admin.call('POST', '/tls/regenerate-ca'),
    ]
    const fingerprints = new Set<string>()
    for (const step of steps) {
      await step()
      await expect(certificateOf(running, { maxVersion: 'TLSv1.2' })).rejects.toMatchObject({
        code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      })
      const socket = connect({
        host: '127.0.0.1',
        port: running.gateway.port,
        ca: caOf(running),
        servername: 'localhost',
        minVersion: 'TLSv1.2',
      })
      await once(socket, 'secureConnect')
      expect(socket.getProtocol()).toBe('TLSv1.3')
      fingerprints.add(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    }
    expect(fingerprints.size).toBe(3)
  })

  proves('4.rule10.no-plain', 'is the only protocol on the port: plain HTTP gets no answer', async () => {
    await using running = await TestGateway.open({ settled: false })
    const { port } = running.gateway
    const sent = plainRequest({ host: '127.0.0.1', port, path: '/v1/about' })
    sent.end()
    await expect(once(sent, 'response')).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNRESET|HPE_/) as string,
    })
    const socket = connectPlain(port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk)).on('error', () => {})
    socket.write('GET /ca.pem HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'close')
    expect(Buffer.concat(received).toString('latin1')).not.toMatch(/HTTP|BEGIN|error/i)
  })
})

describe('the CA', () => {
  proves(
    ['4.rule10.ca', '4.rule10.ca-kept'],
    'is made once, for about 20 years, survives a restart, and its key is private and never served',
    async () => {
      await using running = await TestGateway.open({ settled: false })
      const ca = new X509Certificate(caOf(running))
      const years = (ca.validToDate.getTime() - ca.validFromDate.getTime()) / (365.25 * DAY_MS)
      expect(ca.ca).toBe(true)
      expect(years).toBeGreaterThan(19.5)
      expect(years).toBeLessThan(20.5)

      const folder = join(running.dataDir, 'tls')
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      const holders = readdirSync(running.dataDir, { recursive: true, encoding: 'utf8' })
        .map((name) => join(running.dataDir, name))
        .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes('PRIVATE KEY'))
      expect(holders.length).toBeGreaterThan(0)
      expect(holders.map((path) => statSync(path).mode & 0o777)).toEqual(holders.map(() => 0o600))
      const served = await Promise.all(
        ['/ca.pem', '/openapi.json', '/v1/about'].map((path) =>
          rawRequest({ url: running.url, ca: caOf(running) }, { path }),
        ),
      )
      expect(served.map(({ status, text }) => [status, text.includes('PRIVATE')])).toEqual([
        [200, false],
        [200, false],
        [200, false],
      ])

      await running.stop()
      await using again = await TestGateway.open({ dataDir: running.dataDir, settled: false })
      expect(again.gateway.fingerprint).toBe(running.gateway.fingerprint)
      expect(new X509Certificate(caOf(again)).raw).toEqual(ca.raw)
      expect((await certificateOf(again, { ca: ca.toString() })).fingerprint256).toMatch(FINGERPRINT)
    },
  )

  verifies(
    ['4.rule10.fingerprint', 'tls.fingerprint'],
    'is served with its fingerprint, in upper-case pairs joined by colons',
    { atHome: HOME_NETWORK },
    async (home) => {
      const tls = (await home.get('/v1/gateway/tls')) as unknown as Tls
      expect(tls.fingerprint).toMatch(FINGERPRINT)
      expect(new X509Certificate(tls.ca).fingerprint256).toBe(tls.fingerprint)
      expect(tls.ca).toMatch(/^-----BEGIN CERTIFICATE-----\n/)
      // Clients pin this CA: it alone verifies the gateway.
      expect((await certificateOf(home.running, { ca: tls.ca })).subjectaltname).toContain(
        `DNS:hm-${home.running.gateway.serial}.local`,
      )
    },
  )

  verifies(
    ['tls.credential', 'tls.ca-pem', 'api.about'],
    'needs a credential under /v1, and none at /ca.pem',
    { atHome: HOME_NETWORK },
    async (home) => {
      const door = home.access(null)
      expect((await rawRequest(door, { path: '/v1/gateway/tls' })).status).toBe(401)
      const file = await rawRequest(door, { path: '/ca.pem' })
      const tls = (await home.get('/v1/gateway/tls')) as unknown as Tls
      expect([file.status, file.text]).toEqual([200, tls.ca])
      expect((await rawRequest(door, { method: 'POST', path: '/ca.pem' })).status).toBe(405)
      const about = await rawRequest(door, { path: '/v1/about' })
      expect([about.status, about.headers?.['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(about.text).not.toContain('Sonnenwinkel')
      expect(about.text).not.toContain(home.running.gateway.serial)
      // The file is the same for all callers.
      expect(
        (await rawRequest(door, { path: '/v1/about', headers: { authorization: `Bearer ${home.main.token}` } })).text,
      ).toBe(about.text)
    },
  )

  proves('tls.fingerprint-key', 'has its fingerprint in the answer to every new key', async () => {
    await using running = await TestGateway.open({ settled: false })
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Pinned' })) as {
      integration: { id: string }
    }
    const made = await running.admin.call('POST', '/keys', { integration: integration.id })
    expect(made['fingerprint']).toBe(new X509Certificate(caOf(running)).fingerprint256)
    await running.admin.call('POST', '/tls/regenerate-ca')
    const later = await running.admin.call('POST', '/keys', { integration: integration.id })
    expect(later['fingerprint']).toBe(new X509Certificate(caOf(running)).fingerprint256)
    expect(later['fingerprint']).not.toBe(made['fingerprint'])
  })
})

describe('the certificate', () => {
  proves(
    ['4.rule10.leaf', '4.rule10.names', 'tls.leaf-life'],
    'is the CA’s, lasts about a year, and names the gateway and its addresses',
    async () => {
      await using running = await TestGateway.open({ settled: false })
      const { serial } = running.gateway
      const socket = connect({
        host: '127.0.0.1',
        port: running.gateway.port,
        ca: caOf(running),
        servername: 'localhost',
      })
      await once(socket, 'secureConnect')
      const leaf = socket.getPeerX509Certificate()!
      socket.destroy()
      expect(leaf.verify(new X509Certificate(caOf(running)).publicKey)).toBe(true)
      const days = (leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / DAY_MS
      expect(days).toBeLessThanOrEqual(397)
      expect(days).toBeGreaterThan(330)
      expect(leaf.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' })
      const lan = Object.values(networkInterfaces())
        .flatMap((infos = []) => infos)
        .filter((info) => !info.internal && info.family === 'IPv4')
        .map((info) => info.address)
      for (const name of [`hm-${serial}.local`, `hm-${serial}`, 'localhost'])
        expect([name, leaf.checkHost(name)]).toEqual([name, name])
      for (const address of ['127.0.0.1', '::1', ...lan])
        expect([address, leaf.checkIP(address)]).toEqual([address, address])
      expect(leaf.checkHost('evil.example')).toBeUndefined()
      expect(leaf.checkIP('192.0.2.7')).toBeUndefined()
    },
  )

  proves(
    ['4.rule10.renewal', 'tls.leaf-life'],
    'renews itself in the running gateway once a third of its life is left',
    async () => {
      const clock = new ManualClock(Date.now())
      await using running = await TestGateway.open({ clock, settled: false })
      const first = await certificateOf(running)
      const life = Date.parse(first.valid_to) - Date.parse(first.valid_from)
      const due = Date.parse(first.valid_from) + (life * 2) / 3
      // The machine sleeps until an hour before the time, then past it. The last handshake is not verified, because the
      // clock of the test process does not move.
      clock.sleep(due - clock.now() - 3_600_000)
      await clock.advanceAsync(60_000)
      expect((await certificateOf(running)).fingerprint256).toBe(first.fingerprint256)
      clock.sleep(2 * 3_600_000)
      await clock.advanceAsync(60_000)
      const { certificate } = (await running.admin.call('GET', '/tls')) as {
        certificate: { fingerprint: string; notAfter: number }
      }
      expect(certificate.fingerprint).not.toBe(first.fingerprint256)
      expect(certificate.notAfter).toBeGreaterThan(Date.parse(first.valid_to))
      const socket = connect({
        host: '127.0.0.1',
        port: running.gateway.port,
        rejectUnauthorized: false,
        servername: 'localhost',
      })
      await once(socket, 'secureConnect')
      expect([socket.getPeerCertificate().fingerprint256, socket.getProtocol()]).toEqual([
        certificate.fingerprint,
        'TLSv1.3',
      ])
      socket.destroy()
    },
  )
})

describe('a renewal', () => {
  proves(
    'tls.renewal-live',
    'gives new handshakes the new certificate; running requests, persistent connections and open sockets go on',
    async () => {
      await using running = await TestGateway.open()
      const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Kept' })) as {
        integration: { id: string }
      }
      const { token } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as {
        token: string
      }
      const door = { url: running.url, ca: caOf(running), token }
      const socket = await TestSocket.open(door)
      await socket.subscribe(['state'])
      await using caller = callerOver('http', door)
      await caller.call({ method: 'GET', path: '/v1/house' })
      const seen = new Set<string>([(await certificateOf(running)).fingerprint256])
      for (let turn = 0; turn < 5; turn++) {
        const [, answer] = await Promise.all([
          running.admin.call('POST', '/tls/renew'),
          caller.call({ method: 'GET', path: '/v1/house' }),
        ])
        expect(answer.status).toBe(200)
        seen.add((await certificateOf(running)).fingerprint256)
      }
      expect(seen.size).toBe(6)
      // The open socket still gets events.
      running.sim.touch(11, null, 'up')
      expect(await socket.event(({ event }) => event === 'state')).toMatchObject({
        event: 'state',
        class: 'light_switch',
      })
      expect(JSON.parse(await socket.ask('a', { id: 'a', method: 'GET', path: '/v1/house' }))).toMatchObject({
        status: 200,
      })
      socket.close()
    },
  )
})
