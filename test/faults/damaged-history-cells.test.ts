import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { livedHome } from '#support/faults/lived-home.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

test('damaged cells of the history are left out, and only those', async () => {
  const folder = join(tempFolder(), 'data')
  const lived = await livedHome(folder)
  const db = new Database(join(folder, 'history.db'))
  db.exec(`UPDATE causes SET cause = '{"source' || id; UPDATE activity SET data = '[' WHERE data IS NOT NULL`)
  const entries = db.prepare('SELECT count(*) FROM activity').pluck().get() as number
  db.exec(`INSERT OR REPLACE INTO unit_schedules SELECT id, '{"', 1 FROM subjects LIMIT 1`)
  db.close()
  const log = recordingLog()
  await using running = await TestGateway.open({ dataDir: folder, settled: false, log })
  const home = await TestHome.at('http', running, lived.main)
  const answer = await home.call({ method: 'GET', path: '/v1/activity', query: { limit: '200' } })
  expect(answer.status).toBe(200)
  expect((answer.body as { entries: object[] }).entries.length).toBeGreaterThan(0)
  expect([...running.gateway.stores.history.activity.iterate(0, Infinity)].length).toBeGreaterThanOrEqual(entries)
  expect(log.sentences('error')).toEqual([])
})
