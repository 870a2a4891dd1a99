import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { accessActivity, failingHome, STORED_LATER, DISK_RETRY_MS } from '#support/faults/failing-home.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'

const stateOf = async (home: TestHome, { token }: TestIntegration): Promise<unknown> => {
  const { status, body } = await home.call({ method: 'GET', path: '/v1/house', token })
  return status === 200 ? 200 : (body as { error: { code: string } }).error.code
}

describe('on a disk that fails to sync', () => {
  async function failing() {
    const made = await failingHome()
    await made.fails()
    return made
  }

  proves(
    'storage.failing-disk',
    'a key ends at once, and permanently once the disk stores it',
    { tags: ['long'] },
    async () => {
      const { disk, clock, running, home, other } = await failing()
      await using _ = running
      const socket = await home.socket(other.token)
      expect((await hm(running.dataDir, 'key', 'revoke', other.link)).out).toContain(STORED_LATER)
      expect([await stateOf(home, other), await stateOf(home, home.main)]).toEqual(['unauthorized', 200])
      await socket.ended
      expect(readFileSync(join(running.dataDir, 'revoked'), 'utf8')).toContain(other.link)
      await clock.pass(DISK_RETRY_MS)
      expect(await accessActivity(running)).toEqual([])
      disk.heal()
      await clock.pass(DISK_RETRY_MS)
      expect(await accessActivity(running)).toEqual([`key ${other.link} revoked`])
      expect((await hm(running.dataDir, 'key', 'revoke', other.link)).out).not.toContain(STORED_LATER)
    },
  )

  proves(
    'storage.failing-disk',
    'permissions are removed at once; granting them waits for the disk',
    { tags: ['long'] },
    async () => {
      const { disk, clock, running, home, other, again } = await failing()
      const set = (...words: string[]) => hm(running.dataDir, 'integration', ...words)
      expect((await set('set', other.id, 'automations=off')).out).toContain(STORED_LATER)
      expect((await home.call({ method: 'GET', path: '/v1/automations', token: other.token })).status).toBe(403)
      expect((await set('disable', other.id)).out).toContain(STORED_LATER)
      expect((await set('enable', other.id)).err).toContain('disk')
      expect((await set('set', other.id, 'automations=on')).err).toContain('disk')
      expect(await stateOf(home, other)).toBe('record_disabled')
      disk.heal()
      await clock.pass(DISK_RETRY_MS)
      expect(await accessActivity(running)).toEqual(['disabled', 'automations set to off'])
      await using later = await again()
      const after = await TestHome.at('http', later, home.main)
      expect(await stateOf(after, other)).toBe('record_disabled')
      expect((await set('enable', other.id)).out).toContain('enabled')
      expect(await stateOf(after, other)).toBe(200)
    },
  )

  proves('storage.failing-disk', 'the next stored change includes the held ones', { tags: ['long'] }, async () => {
    const { disk, clock, running, home, other } = await failing()
    await using _ = running
    const set = (...words: string[]) => hm(running.dataDir, 'integration', ...words)
    await set('disable', other.id)
    await set('set', other.id, 'schedules=off')
    disk.heal()
    expect((await set('enable', other.id)).out).not.toContain(STORED_LATER)
    await clock.pass(DISK_RETRY_MS)
    expect(await stateOf(home, other)).toBe(200)
    expect((await home.call({ method: 'GET', path: '/v1/schedules', token: other.token })).status).toBe(403)
  })

  proves(
    'storage.ends-at-once',
    'an integration is deleted with its credentials at once, and permanently later',
    async () => {
      const { running, home, other, heals, again } = await failing()
      await using _ = running
      const socket = await home.socket(other.token)
      expect((await hm(running.dataDir, 'integration', 'delete', other.id)).out).toContain(STORED_LATER)
      expect([await stateOf(home, other), await stateOf(home, home.main)]).toEqual(['unauthorized', 200])
      await socket.ended
      expect(readFileSync(join(running.dataDir, 'revoked'), 'utf8')).toContain(other.link)
      expect((await hm(running.dataDir, 'integration', 'list')).out).not.toContain(other.id)
      expect((await hm(running.dataDir, 'integration', 'enable', other.id)).err).toContain('no integration')
      expect(await accessActivity(running)).toEqual([])
      await heals()
      expect(await accessActivity(running)).toEqual([expect.stringMatching(/^integration .* deleted$/)])
      expect((await hm(running.dataDir, 'key', 'list')).out).not.toContain(other.link)
      await using later = await again()
      expect(await stateOf(await TestHome.at('http', later, home.main), other)).toBe('unauthorized')
    },
  )
})
