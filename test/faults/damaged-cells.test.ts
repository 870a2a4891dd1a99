import Database from 'better-sqlite3'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { CELLS } from '../../src/db/core/cells.ts'
import { openCore } from '../../src/db/core/core-files.ts'
import { SqliteHouse } from '../../src/db/core/house-store.ts'
import { damagedCells } from '../../src/db/core/mending.ts'
import { RevisionMark } from '../../src/db/core/revision-mark.ts'
import { Revocations } from '../../src/db/core/revocations.ts'
import { SqliteRules } from '../../src/db/core/rule-store.ts'
import { cellForms } from '../../src/gateway/cell-forms.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { configured, damageCells, type LivedHome, livedHome } from '#support/faults/lived-home.ts'
import { hm } from '#support/gateway/cli.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { LONG, times } from '#support/long.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'

let lived: LivedHome
const kept = mkdtempSync(join(tmpdir(), 'hm-lived-'))

beforeAll(async () => {
  lived = await livedHome(kept)
  return () => rmSync(kept, { recursive: true, force: true })
})

function copyOfHome(): string {
  const folder = join(tempFolder(), 'data')
  cpSync(kept, folder, { recursive: true })
  chmodSync(join(folder, 'tls'), 0o700)
  return folder
}

/** Ids and numbers that a row is found by become others: test/faults/damaged-anything.test.ts. */
const MENDED_IN_PLACE = CELLS.filter(({ column }) => !['id', 'gang', 'address', 'revision'].includes(column))
type Cells = readonly (typeof CELLS)[number][]
/** Each in turn takes long: else all at once, but for those that stand in the row of another. */
const GROUPS: readonly Cells[] = LONG
  ? MENDED_IN_PLACE.map((cell) => [cell])
  : [
      MENDED_IN_PLACE.filter(
        ({ column }, at) => MENDED_IN_PLACE.findIndex((each) => each.column === column) === at && column !== 'edits',
      ),
    ]
const cut = (text: string): string => `${text.slice(0, text.length / 2)}\u0001`

async function startedOn(folder: string) {
  const log = recordingLog()
  const running = await TestGateway.open({ dataDir: folder, settled: false, log })
  return { running, home: await TestHome.at('http', running, lived.other), log }
}

proves(
  'storage.damaged-cells',
  'with copies, a damaged cell costs nothing that a copy knows, and is told',
  async () => {
    for (const cells of GROUPS) {
      const folder = copyOfHome()
      const before = configured(join(folder, 'core.db'))
      damageCells(join(folder, 'core.db'), cells, cut)
      const { running, home, log } = await startedOn(folder)
      await using _ = running
      expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
      expect(log.sentences('error')).toHaveLength(cells.length)
      const { incidents } = await running.admin.call<{ incidents: { what: string }[] }>('GET', '/status')
      expect(incidents.map(({ what }) => what)).toEqual(log.sentences('error'))
      // Only the leave to open, and whom an edit concerned, may be another than before.
      const after = configured(join(folder, 'core.db'))
      const changed = [...before].filter(([key, row]) => after.get(key) !== row).map(([key]) => key.split(' ')[0])
      expect(changed.filter((table) => table !== 'integrations' && table !== 'scenes')).toEqual([])
      expect(after.size).toBe(before.size)
      expect(readdirSync(folder).filter((file) => /^core\.db\.damaged-.*Z$/.test(file))).toHaveLength(1)
    }
  },
)

proves('storage.damaged-cells', 'without copies, a damaged cell costs its row alone', async () => {
  for (const cells of GROUPS) {
    const folder = copyOfHome()
    rmSync(join(folder, 'backups'), { recursive: true })
    const before = configured(join(folder, 'core.db'))
    damageCells(join(folder, 'core.db'), cells, cut)
    const { running, home, log } = await startedOn(folder)
    await using _ = running
    expect((await home.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    expect(log.sentences('error')).toHaveLength(cells.length)
    const after = configured(join(folder, 'core.db'))
    const changed = [...before].filter(([key, row]) => after.get(key) !== row)
    // The gangs of a module that is taken out go with it.
    expect(changed.filter(([key]) => !key.startsWith('gangs')).length).toBeLessThanOrEqual(cells.length)
    const status = (await hm(folder, 'status')).out
    for (const each of log.sentences('error')) expect(status).toContain(each)
    expect((await hm(folder, 'acknowledge')).out).toContain(log.sentences('error')[0])
    expect((await running.admin.call('GET', '/status'))['incidents']).toEqual([])
    expect((await hm(folder, 'acknowledge')).out).toBe('There is nothing to acknowledge.\n')
  }
})

/** Content with some bytes of it changed, or other bytes altogether. */
function randomly(content: string): Buffer {
  const bytes = Buffer.from(content)
  if (bytes.length === 0 || Math.random() < 0.2)
    return Buffer.from(Array.from({ length: 9 }, () => Math.random() * 256))
  for (let turn = 0; turn < 1 + Math.random() * 4; turn++)
    bytes[Math.floor(Math.random() * bytes.length)] = Math.random() * 256
  return bytes
}

proves.long('storage.damaged-cells', 'random bytes in random cells leave what can be read and mended', () => {
  for (let turn = 0; turn < times(4, 1_000); turn++) {
    const folder = tempFolder()
    const file = join(folder, 'core.db')
    cpSync(join(kept, 'core.db'), file)
    const chosen = CELLS.filter(({ table }) => table !== 'home').filter(() => Math.random() < 0.3)
    // A row whose id is damaged is not found in a copy: what else it has is then lost.
    const cells = chosen.filter(
      ({ column, table }) => column !== 'id' || chosen.every((each) => each.column === 'id' || each.table !== table),
    )
    damageCells(file, cells, randomly)
    const files = { file, backups: join(kept, 'backups'), clock: systemClock, log: silentLog, forms: cellForms }
    const revocations = new Revocations(join(folder, 'revoked'), silentLog)
    const core = openCore({ ...files, home: null, revocations, revisions: new RevisionMark(null) })
    expect(damagedCells(core.db, cellForms)).toEqual([])
    new SqliteHouse(core).load()
    const rules = new SqliteRules(core)
    expect([rules.all('automation').length, rules.all('schedule').length]).toEqual([2, 2])
    rules.runs()
    core.peek(10)
    core.close()
  }
})

test('damaged cells of the history are left out, and nothing else is', async () => {
  const folder = copyOfHome()
  const db = new Database(join(folder, 'history.db'))
  db.exec(`UPDATE causes SET cause = '{"source' || id; UPDATE activity SET data = '[' WHERE data IS NOT NULL`)
  const entries = db.prepare('SELECT count(*) FROM activity').pluck().get() as number
  db.exec(`INSERT OR REPLACE INTO unit_schedules SELECT id, '{"', 1 FROM subjects LIMIT 1`)
  db.close()
  const { running, log } = await startedOn(folder)
  await using _ = running
  const home = await TestHome.at('http', running, lived.main)
  const answer = await home.call({ method: 'GET', path: '/v1/activity', query: { limit: '200' } })
  expect(answer.status).toBe(200)
  expect((answer.body as { entries: object[] }).entries.length).toBeGreaterThan(0)
  expect([...running.gateway.stores.history.activity.each(0, Infinity)].length).toBeGreaterThanOrEqual(entries)
  expect(log.sentences('error')).toEqual([])
})
