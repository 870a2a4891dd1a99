// @module-tag long
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { describe, expect } from 'vitest'
import { FakeTime, FAKETIME } from '#support/clocks/fake-time.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const DAY_MS = 86_400_000

async function certificateOf({ port, dataDir }: GatewayProcess): Promise<PeerCertificate> {
  const ca = readFileSync(join(dataDir, 'tls/ca.pem'))
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate()
  } finally {
    socket.destroy()
  }
}

describe.skipIf(FAKETIME === undefined)('a gateway on a machine whose clock is wrong (needs faketime)', () => {
  proves('tls.wrong-clock', 'has a valid certificate from the start, and after the clock is set right', async () => {
    const dataDir = tempFolder()
    const first = await GatewayProcess.start({ dataDir })
    const before = await certificateOf(first)
    await first.kill('SIGTERM')
    const time = new FakeTime(420)
    await using ahead = await GatewayProcess.start({ dataDir, env: time.env })
    expect((await ahead.admin.call('GET', '/status'))['upSeconds']).toBeLessThan(3_600)
    // The earlier certificate has expired by the gateway's clock, but not by ours. The new one is valid by both.
    expect(Date.parse(before.valid_to)).toBeLessThan(Date.now() + 420 * DAY_MS)
    expect(Date.parse((await certificateOf(ahead)).valid_to)).toBeGreaterThan(Date.now() + 420 * DAY_MS)
    time.set(0)
    expect(Date.parse((await certificateOf(ahead)).valid_from)).toBeLessThan(Date.now())
  })

  proves(
    'tls.wrong-clock',
    'replaces the certificate of a first start with a wrong clock before the next handshake',
    async () => {
      const time = new FakeTime(420)
      await using ahead = await GatewayProcess.start({ dataDir: tempFolder(), env: time.env })
      await expect(certificateOf(ahead)).rejects.toMatchObject({ code: 'CERT_NOT_YET_VALID' })
      time.set(0)
      expect(Date.parse((await certificateOf(ahead)).valid_from)).toBeLessThan(Date.now())
    },
  )

  proves('tls.wrong-clock', 'keeps its certificate while the clock is behind', async () => {
    const dataDir = tempFolder()
    const first = await GatewayProcess.start({ dataDir })
    const before = await certificateOf(first)
    await first.kill('SIGTERM')
    const time = new FakeTime(-20_000)
    await using behind = await GatewayProcess.start({ dataDir, env: time.env })
    expect((await certificateOf(behind)).fingerprint256).toBe(before.fingerprint256)
    time.set(0)
    expect((await certificateOf(behind)).fingerprint256).toBe(before.fingerprint256)
  })
})
