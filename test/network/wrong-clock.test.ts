import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type PeerCertificate } from 'node:tls'
import { describe, expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** The certificate of a verified handshake. */
async function shown({ gateway }: TestGateway): Promise<PeerCertificate> {
  const ca = readFileSync(gateway.caFile)
  const socket = connect({ host: '127.0.0.1', port: gateway.port, ca, servername: 'localhost' })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate()
  } finally {
    socket.destroy()
  }
}

describe('the certificate under a clock that is wrong for a while', () => {
  const AHEAD_MS = 730 * 86_400_000

  proves('tls.wrong-clock', 'stays the valid one that it was', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false })
    const before = await shown(running)
    clock.jumpWall(AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
  })

  proves(
    'tls.wrong-clock',
    'is valid a minute after the clock is right, where the gateway began with a wrong one',
    async () => {
      const clock = new ManualClock(Date.now())
      const dataDir = tempFolder()
      await (await TestGateway.open({ clock, dataDir, settled: false }))[Symbol.asyncDispose]()
      clock.jumpWall(AHEAD_MS)
      await using running = await TestGateway.open({ clock, dataDir, settled: false })
      await expect(shown(running)).rejects.toMatchObject({ code: 'CERT_NOT_YET_VALID' })
      await clock.advanceAsync(5 * 60_000)
      clock.jumpWall(-AHEAD_MS)
      await clock.advanceAsync(60_000)
      expect(Date.parse((await shown(running)).valid_from)).toBeLessThan(Date.now())
    },
  )
})
