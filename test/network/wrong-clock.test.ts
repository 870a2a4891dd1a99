import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type PeerCertificate } from 'node:tls'
import { describe, expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** The certificate of a verified handshake. */
async function certificateOf({ gateway }: TestGateway, rejectUnauthorized = true): Promise<PeerCertificate> {
  const ca = readFileSync(gateway.caFile)
  const socket = connect({ host: '127.0.0.1', port: gateway.port, ca, servername: 'localhost', rejectUnauthorized })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate()
  } finally {
    socket.destroy()
  }
}

describe('the certificate while the clock is wrong', () => {
  const AHEAD_MS = 730 * 86_400_000

  proves('tls.wrong-clock', 'stays unchanged and valid', { tags: ['long'] }, async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
    const before = await certificateOf(running)
    clock.jumpWall(AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await certificateOf(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await certificateOf(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    // A jump of the clock does not change the uptime.
    expect(await running.admin.call('GET', '/status')).toMatchObject({ upSeconds: 3_600 })
  })

  /** Certificates before a start with the clock ahead, during it, and after the clock is set right. */
  async function startedAhead(aheadMs: number): Promise<Record<'before' | 'ahead' | 'right', PeerCertificate>> {
    const clock = new ManualClock(Date.now())
    const dataDir = tempFolder()
    const first = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    const before = await certificateOf(first)
    await first[Symbol.asyncDispose]()
    clock.jumpWall(aheadMs)
    await using running = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    await clock.advanceAsync(30 * 60_000)
    const ahead = await certificateOf(running)
    clock.jumpWall(-aheadMs)
    return { before, ahead, right: await certificateOf(running) }
  }

  proves('tls.wrong-clock', 'is valid by either clock after a start with a wrong one', { tags: ['long'] }, async () => {
    const { before, ahead, right } = await startedAhead(AHEAD_MS)
    expect(Date.parse(before.valid_to)).toBeLessThan(Date.now() + AHEAD_MS)
    expect(Date.parse(ahead.valid_to)).toBeGreaterThan(Date.now() + AHEAD_MS)
    expect(Date.parse(right.valid_to)).toBeGreaterThan(Date.now())
  })

  proves('tls.wrong-clock', 'stays unchanged over a start with a clock too far ahead', { tags: ['long'] }, async () => {
    const { before, ahead, right } = await startedAhead(1.5 * AHEAD_MS)
    expect([ahead.fingerprint256, right.fingerprint256]).toEqual([before.fingerprint256, before.fingerprint256])
  })

  proves(
    'tls.wrong-clock',
    'is valid once the clock is right, even if the very first start had a wrong clock',
    async () => {
      const clock = new ManualClock(Date.now() + AHEAD_MS)
      await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
      await expect(certificateOf(running)).rejects.toMatchObject({ code: 'CERT_NOT_YET_VALID' })
      await clock.advanceAsync(5 * 60_000)
      clock.jumpWall(-AHEAD_MS)
      expect(Date.parse((await certificateOf(running)).valid_from)).toBeLessThan(Date.now())
    },
  )

  proves('tls.wrong-clock', 'is valid from the first handshake after the machine slept for years', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
    const before = await certificateOf(running)
    clock.sleep(AHEAD_MS)
    expect(Date.parse(before.valid_to)).toBeLessThan(clock.now())
    // The test process has not slept, so the gateway's clock is the reference.
    expect(Date.parse((await certificateOf(running, false)).valid_to)).toBeGreaterThan(clock.now())
  })
})
