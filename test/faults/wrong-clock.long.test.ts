// @module-tag long
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect } from 'vitest'
import { FakeTime, FAKETIME } from '#support/clocks/fake-time.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const YEARS_30 = 30 * 365
/** The upkeep runs every minute: twice by then. */
const UPKEPT_S = 125

describe.skipIf(FAKETIME === undefined)('a machine whose clock jumps by 30 years (needs faketime)', () => {
  proves(
    'storage.wrong-clock',
    'keeps the history of a running gateway, and of its next start',
    { timeout: 700_000 },
    async () => {
      const dataDir = tempFolder()
      const time = new FakeTime(0)
      const oldest = (): { readonly activity: number; readonly at: number } => {
        const db = new Database(join(dataDir, 'history.db'), { readonly: true })
        try {
          return db.prepare('SELECT count(*) AS activity, min(id) AS at FROM activity').get() as ReturnType<
            typeof oldest
          >
        } finally {
          db.close()
        }
      }
      const upkept = async (gateway: GatewayProcess): Promise<void> => {
        const up = async (): Promise<unknown> => (await gateway.admin.call('GET', '/status'))['upSeconds']
        await expect.poll(up, { timeout: 300_000, interval: 1_000 }).toBeGreaterThan(UPKEPT_S)
      }
      let before: ReturnType<typeof oldest>
      {
        await using gateway = await GatewayProcess.start({ dataDir, env: time.env })
        before = oldest()
        expect(before.activity).toBeGreaterThan(100)
        time.set(YEARS_30)
        await upkept(gateway)
        expect(oldest().at).toBe(before.at)
        await gateway.kill('SIGTERM')
      }
      await using again = await GatewayProcess.start({ dataDir, env: time.env })
      await upkept(again)
      time.set(0)
      expect(oldest().at).toBe(before.at)
      expect(oldest().activity).toBeGreaterThanOrEqual(before.activity)
    },
  )
})
