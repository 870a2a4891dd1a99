import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { type FailedAuthentications, FailureLog } from '../../src/auth/credentials/failed-authentications.ts'
import { TestSocket } from '#support/gateway/callers.ts'
import { hm } from '#support/gateway/cli.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { activityPage } from '#support/gateway/activity-calls.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { tokenText, partsOf } from '#support/gateway/token-parts.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'

let clock = new PassingClock()
const verifies = verifiesAlone(() => ({ clock: (clock = new PassingClock()), settled: false }), { over: 'http' })

/** A wrong token. For a relay it names the home, because the relay refuses all others itself. */
const guessed = (home: TestHome): string =>
  home.isRelayed ? tokenText({ ...partsOf(home.main.token), secret: 'A'.repeat(43) }) : 'hm_key_guessed'

/** Requests with a wrong token from an address. */
async function fail(home: TestHome, from: string, times: number): Promise<void> {
  const request = { path: '/v1/house', headers: { authorization: `Bearer ${guessed(home)}` }, from }
  const answers = await Promise.all(Array.from({ length: times }, () => rawRequest(home.access(null), request)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
}

const listed = async (home: TestHome): Promise<readonly FailedAuthentications[]> =>
  (await home.running.admin.call<{ failures: FailedAuthentications[] }>('GET', '/failed-authentications')).failures

describe('failed authentications', () => {
  verifies(
    ['activity.failed-authentications'],
    'reach administrators at once, and the activity after ten minutes',
    async (home) => {
      const before = clock.now()
      await fail(home, '127.0.7.1', 3)
      await expect(TestSocket.open(home.access(guessed(home)))).rejects.toMatchObject({
        answer: { status: 401 },
      })
      const headers: Record<string, string> = home.isRelayed ? { authorization: `Bearer ${guessed(home)}` } : {}
      const agent = { method: 'POST', path: '/mcp', headers, from: '127.0.7.2' }
      expect((await rawRequest(home.access(null), agent)).status).toBe(401)
      const found = await listed(home)
      expect(found.map(({ address, count }) => [address, count])).toEqual([
        ['127.0.7.2', 1],
        ['127.0.0.1', 1],
        ['127.0.7.1', 3],
      ])
      for (const { from, to } of found)
        expect([from >= before, to >= from, to <= clock.now()]).toEqual([true, true, true])
      await clock.pass(10 * 60_000)
      expect(await listed(home)).toEqual(found)
      await fail(home, '127.0.7.3', 2)
      expect((await listed(home)).map(({ address }) => address)).toEqual([
        '127.0.7.3',
        ...found.map(({ address }) => address),
      ])
      const by = home.isRelayed ? ' through the relay' : ''
      const file = join(home.running.dataDir, 'activity.csv')
      await home.running.admin.call('POST', '/history/export', { table: 'activity', file })
      expect(readFileSync(file, 'utf8').match(/integration:nobody,[^,]*,gateway/g)).toEqual([
        `integration:nobody,3 requests from 127.0.7.1${by} had no valid credential,gateway`,
        `integration:nobody,1 request from 127.0.0.1${by} had no valid credential,gateway`,
        `integration:nobody,1 request from 127.0.7.2${by} had no valid credential,gateway`,
      ])
    },
  )

  verifies(['activity.failed-authentications'], 'are invisible to integrations', async (home) => {
    await fail(home, '127.0.7.1', 3)
    await clock.pass(10 * 60_000)
    expect(await listed(home)).toHaveLength(1)
    expect(
      (await activityPage(home, { limit: 200 })).entries.filter(({ what }) => what.includes('credential')),
    ).toEqual([])
    expect((await activityPage(home, { kind: 'access' })).entries).toEqual([])
  })

  verifies(
    ['activity.failed-authentications'],
    'make at most nine entries in ten minutes, which the command line prints',
    { tags: ['long'] },
    async (home) => {
      const failures = new FailureLog({ clock, activity: home.running.gateway.stores.history.activity })
      for (let index = 0; index < 5; index++) failures.note('10.9.9.9', 'cloud')
      for (let index = 0; index < 3_000; index++) failures.note(`10.1.${index >> 8}.${index & 255}`, 'home')
      for (let index = 0; index < 2; index++) failures.note(`10.1.0.${index}`, 'home')
      await clock.pass(10 * 60_000)
      const found = await listed(home)
      expect(found).toHaveLength(9)
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(3_007)
      expect(found.at(-1)).toMatchObject({ address: null, count: 3_007 - 5 - 2 - 2 - 5 })
      const { out } = await hm(home.running.dataDir, 'key', 'failures')
      expect(out).toMatch(/^ADDRESS +REQUESTS +FROM +TO\n/)
      expect(out).toMatch(/\n10\.1\.0\.0 +2 +\d{4}-/)
      expect(out).toMatch(/\n10\.9\.9\.9 through the relay +5 +\d{4}-/)
      expect(out).toMatch(/\nmore addresses +2993 +\d{4}-/)
      expect((await hm(home.running.dataDir, 'status')).out).toContain(
        '3007 requests of the last 24 hours had no valid credential: `bin/hm key failures` lists the senders.',
      )
    },
  )
})
