import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { FailingDisk } from '#support/faults/failing-disk.ts'
import { hm } from '#support/gateway/cli.ts'
import { EVERYTHING_ALLOWED, TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const HELD = 'The disk takes no writes now: this holds at once, and is stored as soon as it does.'
/** What waits for the disk is tried again by then. */
const TRIED_AGAIN_MS = 11_000

const stateOf = async (home: TestHome, { token }: TestIntegration): Promise<unknown> => {
  const { status, body } = await home.call({ method: 'GET', path: '/v1/house', token })
  return status === 200 ? 200 : (body as { error: { code: string } }).error.code
}

/** What happened to somebody's access, oldest first; those of an integration's own creation left out. */
async function access(home: TestHome): Promise<readonly string[]> {
  const { entries } = await home.running.admin.call<{ entries: { kind: string; what: string }[] }>('GET', '/activity')
  return entries
    .filter(({ kind }) => kind === 'access')
    .map(({ what }) => what)
    .filter((what) => !what.includes('created'))
}

describe('on a disk that fails to sync', () => {
  async function failing() {
    const [disk, clock, dataDir] = [new FailingDisk(), new PassingClock(), tempFolder()]
    const options = { clock, dataDir, settled: false, syncFile: disk.syncFile }
    const running = await TestGateway.open(options)
    const home = await TestHome.at('http', running)
    const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
    disk.fail(dataDir)
    expect((await home.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Plain' } })).status).toBe(409)
    const again = async (): Promise<TestGateway> => {
      await running.stop()
      return TestGateway.open(options)
    }
    return { disk, clock, running, home, other, again }
  }

  proves('storage.failing-disk', 'a key ends at once, and for good once the disk takes it', async () => {
    const { disk, clock, running, home, other } = await failing()
    await using _ = running
    const socket = await home.socket(other.token)
    expect((await hm(running.dataDir, 'key', 'revoke', other.link)).out).toContain(HELD)
    expect([await stateOf(home, other), await stateOf(home, home.main)]).toEqual(['unauthorized', 200])
    await socket.ended
    expect(readFileSync(join(running.dataDir, 'revoked'), 'utf8')).toContain(other.link)
    await clock.pass(TRIED_AGAIN_MS)
    expect(await access(home)).toEqual([])
    disk.heal()
    await clock.pass(TRIED_AGAIN_MS)
    expect(await access(home)).toEqual([`key ${other.link} revoked`])
    expect((await hm(running.dataDir, 'key', 'revoke', other.link)).out).not.toContain(HELD)
  })

  proves('storage.failing-disk', 'leave is taken at once; what gives leave waits for the disk', async () => {
    const { disk, clock, running, home, other, again } = await failing()
    const set = (...words: string[]) => hm(running.dataDir, 'integration', ...words)
    expect((await set('set', other.id, 'automations=off')).out).toContain(HELD)
    expect((await home.call({ method: 'GET', path: '/v1/automations', token: other.token })).status).toBe(403)
    expect((await set('disable', other.id)).out).toContain(HELD)
    expect((await set('enable', other.id)).err).toContain('disk')
    expect((await set('set', other.id, 'automations=on')).err).toContain('disk')
    expect(await stateOf(home, other)).toBe('record_disabled')
    disk.heal()
    await clock.pass(TRIED_AGAIN_MS)
    expect(await access(home)).toEqual(['disabled', 'automations set to off'])
    await using later = await again()
    const after = await TestHome.at('http', later, home.main)
    expect(await stateOf(after, other)).toBe('record_disabled')
    expect((await set('enable', other.id)).out).toContain('enabled')
    expect(await stateOf(after, other)).toBe(200)
  })

  proves('storage.failing-disk', 'the next change that is stored takes along what was held', async () => {
    const { disk, clock, running, home, other } = await failing()
    await using _ = running
    const set = (...words: string[]) => hm(running.dataDir, 'integration', ...words)
    await set('disable', other.id)
    await set('set', other.id, 'schedules=off')
    disk.heal()
    expect((await set('enable', other.id)).out).not.toContain(HELD)
    await clock.pass(TRIED_AGAIN_MS)
    expect(await stateOf(home, other)).toBe(200)
    expect((await home.call({ method: 'GET', path: '/v1/schedules', token: other.token })).status).toBe(403)
  })
})
