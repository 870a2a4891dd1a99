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

  proves('tls.wrong-clock', 'stays the valid one that it was', async () => {
    const clock = new ManualClock(Date.now())
    await using running = await TestGateway.open({ clock, settled: false, ...ONE_UNIT })
    const before = await shown(running)
    clock.jumpWall(AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
  })

  proves('tls.wrong-clock', 'stays the valid one that it was, over a start under that clock', async () => {
    const clock = new ManualClock(Date.now())
    const dataDir = tempFolder()
    const first = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    const before = await shown(first)
    await first[Symbol.asyncDispose]()
    clock.jumpWall(AHEAD_MS)
    await using running = await TestGateway.open({ clock, dataDir, settled: false, ...ONE_UNIT })
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    await clock.advanceAsync(30 * 60_000)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
    clock.jumpWall(-AHEAD_MS)
    expect((await shown(running)).fingerprint256).toBe(before.fingerprint256)
  })

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
