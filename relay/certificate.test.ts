import { X509Certificate } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, createServer } from 'node:tls'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { systemClock } from '@hm-gateway/lib/clock.ts'
import { silentLog } from '@hm-gateway/lib/log.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { openTls } from '@hm-gateway/tls/tls.ts'
import { openCertificate } from './certificate.ts'
import { SettingsError } from './model/relay-settings.ts'

const RELOAD_INTERVAL_MS = 60_000
const YEAR_MS = 365 * 86_400_000
const NOT_RELOADED = 'The certificate could not be reloaded. The old one stays in use.'

/** Certificate and key of an operator. */
async function newCertificate() {
  const dir = join(tempFolder(), 'tls')
  const [clock, random, log] = [systemClock, systemRandom, silentLog]
  const tls = await openTls({ dir, serial: 'operator', addresses: () => [], clock, random, log })
  const { cert, key } = tls.secureContextOptions()
  await tls.stop()
  if (!Buffer.isBuffer(key) && typeof key !== 'string') throw new Error('The key is not text.')
  return { cert: String(cert), key: key.toString() }
}

async function operatorFiles() {
  const [first, second] = [await newCertificate(), await newCertificate()]
  const dir = tempFolder()
  const files = { certificate: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
  const write = ({ cert, key }: { readonly cert: string; readonly key: string }): void => {
    writeFileSync(files.certificate, cert)
    writeFileSync(files.key, key)
  }
  const [clock, log] = [new ManualClock(), recordingLog()]
  const open = (): ReturnType<typeof openCertificate> =>
    openCertificate({ settings: { tls: files, dataDir: dir }, clock, random: systemRandom, log })
  return { first, second, write, clock, log, open }
}

proves(
  'relay.certificate',
  'the operator’s certificate is served, and reloaded once its files have changed',
  async () => {
    const { first, second, write, clock, log, open } = await operatorFiles()
    write(first)
    await using certificate = await open()
    expect([certificate.names(), certificate.authority]).toEqual([null, null])
    const server = createServer(certificate.options()).on('tlsClientError', () => {})
    certificate.onChange(() => server.setSecureContext(certificate.options()))
    server.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as { readonly port: number }
    const servedCertificate = async (): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const { raw } = socket.getPeerCertificate()
      socket.destroy()
      return raw.toString('base64')
    }
    const bytes = ({ cert }: { readonly cert: string }): string =>
      (/-----BEGIN CERTIFICATE-----([^-]*)/.exec(cert)?.[1] ?? '').replaceAll(/\s/g, '')
    const connectWithTls12 = async (): Promise<void> => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.2' })
      await once(socket, 'secureConnect')
    }
    expect(await servedCertificate()).toBe(bytes(first))
    await expect(connectWithTls12()).rejects.toThrow('alert protocol version')
    write(second)
    expect(await servedCertificate()).toBe(bytes(first))
    clock.advance(RELOAD_INTERVAL_MS)
    expect(await servedCertificate()).toBe(bytes(second))
    await expect(connectWithTls12()).rejects.toThrow('alert protocol version')
    for (const broken of [
      { cert: 'garbage', key: second.key },
      { cert: '', key: '' },
      // Between two writes, the key belongs to another certificate.
      { cert: first.cert, key: second.key },
    ]) {
      log.lines.length = 0
      write(broken)
      clock.advance(RELOAD_INTERVAL_MS)
      expect(log.sentences('warn')).toEqual([NOT_RELOADED])
      expect(String(certificate.options().cert)).toBe(second.cert)
      expect(await servedCertificate()).toBe(bytes(second))
    }
    write(first)
    clock.advance(RELOAD_INTERVAL_MS)
    expect(await servedCertificate()).toBe(bytes(first))
  },
)

proves(
  'relay.certificate',
  'a relay does not start with invalid certificate files, and names the settings',
  async () => {
    const { first, second, write, open } = await operatorFiles()
    await expect(async () => open()).rejects.toThrow(SettingsError)
    for (const broken of [
      { cert: 'garbage', key: first.key },
      { cert: first.cert, key: second.key },
    ]) {
      write(broken)
      await expect(async () => open()).rejects.toThrow('check HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY')
    }
  },
)

proves(
  'relay.advice',
  'a relay whose clock went back tells its operator how to accept the time, and that works',
  async () => {
    const [dataDir, clock, log] = [tempFolder(), new ManualClock(Date.now()), recordingLog()]
    const [leaf, floor] = [join(dataDir, 'tls/leaf.pem'), join(dataDir, 'tls/clock.json')]
    const datedAt = async (): Promise<number> => {
      await using certificate = await openCertificate({
        settings: { tls: null, dataDir },
        clock,
        random: systemRandom,
        log,
      })
      return Date.parse(new X509Certificate(String(certificate.options().cert)).validFrom)
    }
    const now = clock.now()
    expect(await datedAt()).toBeLessThan(now)
    // Simulates days with a clock that was ahead.
    writeFileSync(floor, `${JSON.stringify({ lastSeen: now + 2 * YEAR_MS })}\n`)
    rmSync(leaf)
    expect(await datedAt()).toBeGreaterThan(now + YEAR_MS)
    const [sentence] = log.sentences('warn')
    expect(sentence).toContain(
      `If the clock is right, stop the relay, remove ${floor} and ${leaf}, and start it again.`,
    )
    rmSync(floor)
    rmSync(leaf)
    expect(await datedAt()).toBeLessThan(now)
    expect(log.sentences('warn').join()).not.toMatch(/\bhm |gateway/)
  },
)
