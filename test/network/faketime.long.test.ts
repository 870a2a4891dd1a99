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

async function shown({ port, dataDir }: GatewayProcess): Promise<PeerCertificate> {
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
  proves(
    'tls.wrong-clock',
    'shows a valid certificate from the start on, and when the clock is set right',
    async () => {
      const dataDir = tempFolder()
      const first = await GatewayProcess.start({ dataDir })
      const before = await shown(first)
      await first.kill('SIGTERM')
      const time = new FakeTime(420)
      await using ahead = await GatewayProcess.start({ dataDir, env: time.env })
      expect((await ahead.admin.call('GET', '/status'))['upSeconds']).toBeLessThan(3_600)
      // By the gateway's clock the one from before has expired, by ours it has not: this one holds by both.
      expect(Date.parse(before.valid_to)).toBeLessThan(Date.now() + 420 * DAY_MS)
      expect(Date.parse((await shown(ahead)).valid_to)).toBeGreaterThan(Date.now() + 420 * DAY_MS)
      time.set(0)
      expect(Date.parse((await shown(ahead)).valid_from)).toBeLessThan(Date.now())
    },
  )

  proves('tls.wrong-clock', 'mends the one of a first start under it before the next handshake', async () => {
    const time = new FakeTime(420)
    await using ahead = await GatewayProcess.start({ dataDir: tempFolder(), env: time.env })
    await expect(shown(ahead)).rejects.toMatchObject({ code: 'CERT_NOT_YET_VALID' })
    time.set(0)
    expect(Date.parse((await shown(ahead)).valid_from)).toBeLessThan(Date.now())
  })

  proves('tls.wrong-clock', 'is served under a clock that is behind', async () => {
    const dataDir = tempFolder()
    const first = await GatewayProcess.start({ dataDir })
    const before = await shown(first)
    await first.kill('SIGTERM')
    const time = new FakeTime(-20_000)
    await using behind = await GatewayProcess.start({ dataDir, env: time.env })
    expect((await shown(behind)).fingerprint256).toBe(before.fingerprint256)
    time.set(0)
    expect((await shown(behind)).fingerprint256).toBe(before.fingerprint256)
  })
})
