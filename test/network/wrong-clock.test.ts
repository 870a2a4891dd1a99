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
async function shown({ gateway }: TestGateway, rejectUnauthorized = true): Promise<PeerCertificate> {
  const ca = readFileSync(gateway.caFile)
  const socket = connect({ host: '127.0.0.1', port: gateway.port, ca, servername: 'localhost', rejectUnauthorized })
  try {
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate()
  } finally {
    socket.destroy()
  }
}

describe('the certificate under a clock that is wrong for a while', () => {
  const AHEAD_MS = 730 * 86_400_000

  proves('tls.wrong-clock', 'stays the valid one that it was', { tags: ['long'] }, async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
    const before = await shown(running)
    clock.jumpWall(AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    // Setting the clock makes the gateway neither older nor younger.
    expect(await running.admin.call('GET', '/status')).toMatchObject({ upSeconds: 3_600 })
  })

  /** A start under a clock that is so far ahead, with what the start before it showed; then the clock is right. */
  async function startedAhead(aheadMs: number): Promise<Record<'before' | 'ahead' | 'right', PeerCertificate>> {
    const clock = new ManualClock(Date.now())
    const dataDir = tempFolder()
    const first = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    const before = await shown(first)
    await first[Symbol.asyncDispose]()
    clock.jumpWall(aheadMs)
    await using running = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    await clock.advanceAsync(30 * 60_000)
    const ahead = await shown(running)
    clock.jumpWall(-aheadMs)
    return { before, ahead, right: await shown(running) }
  }

  proves('tls.wrong-clock', 'holds by either clock after a start under that one', { tags: ['long'] }, async () => {
    const { before, ahead, right } = await startedAhead(AHEAD_MS)
    expect(Date.parse(before.valid_to)).toBeLessThan(Date.now() + AHEAD_MS)
    expect(Date.parse(ahead.valid_to)).toBeGreaterThan(Date.now() + AHEAD_MS)
    expect(Date.parse(right.valid_to)).toBeGreaterThan(Date.now())
  })

  proves(
    'tls.wrong-clock',
    'stays the valid one that it was, over a start under a clock too far ahead',
    { tags: ['long'] },
    async () => {
      const { before, ahead, right } = await startedAhead(1.5 * AHEAD_MS)
      expect([ahead.fingerprint256, right.fingerprint256]).toEqual([before.fingerprint256, before.fingerprint256])
    },
  )

  proves(
    'tls.wrong-clock',
    'is valid from the first handshake on after the clock is right, where the first start of all had a wrong one',
    async () => {
      const clock = new ManualClock(Date.now() + AHEAD_MS)
      await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
      await expect(shown(running)).rejects.toMatchObject({ code: 'CERT_NOT_YET_VALID' })
      await clock.advanceAsync(5 * 60_000)
      clock.jumpWall(-AHEAD_MS)
      expect(Date.parse((await shown(running)).valid_from)).toBeLessThan(Date.now())
    },
  )

  proves('tls.wrong-clock', 'is valid from the first handshake on after the machine slept for years', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
    const before = await shown(running)
    clock.sleep(AHEAD_MS)
    expect(Date.parse(before.valid_to)).toBeLessThan(clock.now())
    // This process has not slept, so it is the clock of the gateway that the dates are held against.
    expect(Date.parse((await shown(running, false)).valid_to)).toBeGreaterThan(clock.now())
  })
})
