// @module-tag repeated
import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { buildCertificate } from '../../src/tls/certificate.ts'
import { parseAuthority } from '../../src/tls/authority.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { tlsGateway, handshake, HOST, refusedWith } from '#support/tls-gateway.ts'

const run = promisify(execFile)

test('a client that trusts the CA reaches every name with verification, and only over TLS 1.3', async () => {
  const { tls, port } = await tlsGateway()
  for (const servername of [HOST, 'hm-ab12', 'localhost']) {
    const socket = await handshake(port, { ca: tls.ca.pem, servername })
    expect(socket.authorized).toBe(true)
    expect(socket.getProtocol()).toBe('TLSv1.3')
    expect(socket.getPeerCertificate().fingerprint256).toBe(tls.leaf().fingerprint)
    socket.destroy()
  }
  expect(await refusedWith(port, { ca: tls.ca.pem, servername: 'hm-other.local' })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  expect(await refusedWith(port, {})).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})

test("the fingerprint is the SHA-256 of the CA's DER", async () => {
  const { tls } = await tlsGateway()
  expect(tls.ca.fingerprint).toBe(new X509Certificate(tls.ca.pem).fingerprint256)
})

test('a TLS 1.2 client is refused: at start, after a renewal, after an address change and with a new CA', async () => {
  const { tls, port, addresses } = await tlsGateway()
  const steps: (() => Promise<unknown>)[] = [
    async () => {},
    () => tls.renew('asked'),
    () => {
      addresses.push('10.0.0.1')
      return tls.checkAddresses()
    },
    () => tls.regenerateCa(),
  ]
  const fingerprints = new Set<string>()
  for (const step of steps) {
    await step()
    expect(await refusedWith(port, { ca: tls.ca.pem, maxVersion: 'TLSv1.2' })).toBe(
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    )
    const socket = await handshake(port, { ca: tls.ca.pem })
    expect(socket.getProtocol()).toBe('TLSv1.3')
    fingerprints.add(socket.getPeerCertificate().fingerprint256)
    socket.destroy()
  }
  expect(fingerprints.size).toBe(steps.length)
})

test('only X25519 and P-256 are offered as groups, also after a renewal', async () => {
  const { tls, port } = await tlsGateway()
  for (const again of [false, true]) {
    if (again) await tls.renew('asked')
    for (const group of ['X25519', 'P-256']) (await handshake(port, { ca: tls.ca.pem, ecdhCurve: group })).destroy()
    for (const group of ['P-384', 'P-521', 'X448']) {
      expect(await refusedWith(port, { ca: tls.ca.pem, ecdhCurve: group })).toBe(
        'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      )
    }
  }
})

const RENEWALS = times(3, 100)

test(`open connections outlive ${RENEWALS} renewals without an error, and new ones show the newest certificate`, async () => {
  const { tls, port } = await tlsGateway()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const get = (through: Agent | false): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, servername: HOST, ca: tls.ca.pem, agent: through },
        (response) => {
          const { socket } = response
          response
            .resume()
            .once('end', () =>
              resolve(`${response.statusCode} ${'getPeerCertificate' in socket ? String(socket.localPort) : ''}`),
            )
        },
      )
      sent.once('error', reject).end()
    })
  const first = await get(agent)
  expect(first).toMatch(/^200 \d+$/)
  for (let renewal = 0; renewal < RENEWALS; renewal++) {
    const [, same] = await Promise.all([tls.renew('asked'), get(agent), get(false)])
    expect(same).toBe(first)
  }
  const fresh = await handshake(port, { ca: tls.ca.pem })
  expect(fresh.getPeerCertificate().fingerprint256).toBe(tls.leaf().fingerprint)
  fresh.destroy()
})

test('a session of the old certificate is not resumed under the new one', async () => {
  const { tls, port } = await tlsGateway()
  const first = await handshake(port, { ca: tls.ca.pem })
  const session = await new Promise<Buffer>((resolve) => {
    first.once('session', resolve)
    first.resume()
  })
  first.destroy()
  const resumed = await handshake(port, { ca: tls.ca.pem, session })
  expect(resumed.isSessionReused()).toBe(true)
  resumed.destroy()
  await tls.renew('asked')
  const full = await handshake(port, { ca: tls.ca.pem, session })
  expect(full.isSessionReused()).toBe(false)
  full.destroy()
})

test('after an address change the new address verifies, and the old one no longer', async () => {
  const { tls, port, addresses } = await tlsGateway()
  const byAddress = (address: string): Promise<unknown> =>
    refusedWith(port, {
      ca: tls.ca.pem,
      host: '127.0.0.1',
      servername: '',
      checkServerIdentity: (_name, certificate) =>
        certificate.subjectaltname?.includes(`IP Address:${address}`) === true
          ? undefined
          : Object.assign(new Error(address), { code: 'WRONG' }),
    })
  expect(await byAddress('192.168.1.20')).toBeNull()
  addresses[0] = '192.168.7.7'
  await tls.checkAddresses()
  expect(await byAddress('192.168.7.7')).toBeNull()
  expect(await byAddress('192.168.1.20')).toBe('WRONG')
})

test("a leaf for another name is no use, even signed with the CA's own key", async () => {
  const { tls, dir } = await tlsGateway()
  const authority = parseAuthority(readFileSync(join(dir, 'ca-private.pem'), 'utf8'))
  if (authority === null) throw new Error('no CA')
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { notBefore, notAfter } = tls.leaf()
  const cert = buildCertificate({
    kind: 'leaf',
    commonName: 'bank.example',
    names: ['bank.example'],
    publicKey,
    notBefore,
    notAfter,
    serialNumber: randomBytes(16),
    issuer: authority.certificate,
    signingKey: authority.key,
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ key, cert }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  await expect(handshake(address.port, { ca: tls.ca.pem, servername: 'bank.example' })).rejects.toThrow(
    'permitted subtree violation',
  )
})

test('a start with a sound folder loads no certificate library', { tags: ['long'] }, async () => {
  const dir = join(tempFolder(), 'tls')
  const source = (name: string): string => JSON.stringify(new URL(`../../src/${name}.ts`, import.meta.url).href)
  const program = [
    `import { openTls } from ${source('tls/tls')}`,
    `import { systemClock as clock } from ${source('lib/clock')}`,
    `import { systemRandom as random } from ${source('lib/random')}`,
    `import { silentLog as log } from ${source('lib/log')}`,
    'import { createRequire } from "node:module"',
    `const tls = await openTls({ dir: ${JSON.stringify(dir)}, serial: "ab12", addresses: () => [], clock, random, log })`,
    'await tls.stop()',
    'console.log(Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("node-forge")))',
  ].join('\n')
  const start = async (): Promise<string> =>
    (await run(process.execPath, ['--input-type=module', '--eval', program])).stdout.trim()
  expect(await start()).toBe('true')
  expect(await start()).toBe('false')
})
