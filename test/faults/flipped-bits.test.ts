// @module-tag repeated
import Database from 'better-sqlite3'
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { NewerDatabase } from '../../src/db/database.ts'
import { copiesOf } from '../../src/db/core/core-copies.ts'
import { CoreDamaged } from '../../src/db/core/open-core.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { accessRows, copyOfCore, setWriteTime, damageBytes, rowsOf, startedCore } from '#support/faults/core-at-rest.ts'
import { TestHome, type TestIntegration } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { EVERY_BIT, times } from '#support/long.ts'

/** `HM_TEST_SEED` repeats the same bits. */
const SEED = process.env['HM_TEST_SEED'] ?? String(Date.now())
const base = mkdtempSync(join(tmpdir(), 'hm-flipped-'))
/** A home with a stopped gateway, and the same home with a killed one. */
const [stopped, killed] = [join(base, 'stopped'), join(base, 'killed')]
let who: TestIntegration
let main: TestIntegration
let from: { backups: string; home: string; recorded: number }

beforeAll(async () => {
  console.log(`flipped bits: HM_TEST_SEED=${SEED}`)
  const first = await TestGateway.open({ settled: false })
  await first.stop()
  const running = await TestGateway.open({ dataDir: first.dataDir })
  const home = await TestHome.at('http', running)
  main = home.main
  who = await home.integrate({ settings: { automations: 'on' } })
  const { dataDir } = running
  while (copiesOf(join(dataDir, 'backups')).length === 0) await wait(2)
  await running.admin.call('POST', '/backup', {
    file: join(dataDir, 'backups/core-900000-2099-01-01T00-00-00.000Z.db'),
  })
  // The copy has more access than the home has now.
  await running.admin.call('PATCH', `/integrations/${who.id}`, { settings: { automations: 'off' } })
  await running.admin.call('PATCH', '/home', { latitude: 52, longitude: 13 })
  const copy = (to: string): void => {
    cpSync(dataDir, to, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    setWriteTime(to)
  }
  copy(killed)
  await running.stop()
  copy(stopped)
  const recorded = numberIn(join(stopped, 'core.db'))
  from = { backups: join(stopped, 'backups'), home: running.gateway.serial, recorded }
  await running[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
  return () => rmSync(base, { recursive: true, force: true })
})

function reading<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

const numberIn = (file: string): number =>
  reading(
    file,
    (db) => db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'activity_outbox'").pluck().get() as number,
  )

const copied = (): readonly string[] => reading(copiesOf(from.backups)[0] ?? '', (db) => rowsOf(db, { restored: true }))

/** Rows and access of the home with sound files. */
function soundHome(folder: string): { rows: readonly string[]; access: readonly string[] } {
  const { core } = startedCore(copyOfCore(folder), from)
  try {
    return { rows: rowsOf(core.db), access: accessRows(core.db) }
  } finally {
    core.close()
  }
}

/** This many bits of a file, or all of them on request. */
function bitsOf(file: string, count: number): readonly number[] {
  const bits = statSync(file).size * 8
  if (EVERY_BIT) return Array.from({ length: bits }, (_, bit) => bit)
  const random = new SeededRandom(SEED).fork(file.slice(base.length))
  return Array.from({ length: count }, () => Math.floor(random.float() * bits))
}

function flipIn(file: string, bit: number): void {
  damageBytes(file, (content) => content.writeUInt8(content.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3))
}

describe('one bit that flips while no gateway runs', () => {
  for (const [state, name, few, many] of [
    ['stopped', 'core.db', 4, 300],
    ['killed', 'core.db', 2, 200],
    ['killed', 'core.db-wal', 4, 300],
    ['killed', 'core.db-shm', 1, 50],
    ['stopped', 'core.db.seal', 2, 100],
    ['stopped', 'narrowed.json', 1, 50],
    ['stopped', 'revisions.json', 1, 50],
  ] as const) {
    proves('storage.flipped-bits', `in ${name} of a ${state} gateway widens no access, and a loss is reported`, () => {
      const folder = state === 'stopped' ? stopped : killed
      const [sound, copy] = [soundHome(folder), copied()]
      const outcomes = { sound: 0, restored: 0, older: 0 }
      for (const bit of bitsOf(join(folder, name), times(few, many))) {
        const flipped = copyOfCore(folder)
        flipIn(join(flipped, name), bit)
        const { core, log } = startedCore(flipped, from)
        const [isRestored, errors] = [core.isRestored, log.sentences('error')]
        outcomes[isRestored ? 'restored' : errors.length > 0 ? 'older' : 'sound'] += 1
        expect([bit, accessRows(core.db).filter((one) => !sound.access.includes(one))]).toEqual([bit, []])
        if (isRestored) expect([bit, rowsOf(core.db, { restored: true })]).toEqual([bit, copy])
        else if (errors.length === 0) expect([bit, rowsOf(core.db)]).toEqual([bit, sound.rows])
        core.close()
        rmSync(flipped, { recursive: true })
      }
      console.log(`${state} ${name}: ${JSON.stringify(outcomes)}`)
      if (name === 'core.db') expect(outcomes).toMatchObject({ sound: 0, older: 0 })
    })
  }

  proves('storage.flipped-bits', 'the newest copy is served, with no wider access than before', async () => {
    const dataDir = join(base, 'started')
    cpSync(stopped, dataDir, { recursive: true })
    chmodSync(join(dataDir, 'tls'), 0o700)
    const [bit = 0] = bitsOf(join(stopped, 'core.db'), 1)
    flipIn(join(dataDir, 'core.db'), bit)
    await using running = await TestGateway.open({ dataDir, settled: false })
    const statusFor = async (one: TestIntegration): Promise<number> =>
      (await (await TestHome.at('http', running, one)).call({ method: 'GET', path: '/v1/house' })).status
    expect([await statusFor(main), await statusFor(who)]).toEqual([200, 403])
    const { incidents } = await running.admin.call<{ incidents: { what: string }[] }>('GET', '/status')
    expect(incidents.map(({ what }) => what)).toEqual([
      expect.stringMatching(
        /^The configuration was not usable .+ restored the copy .+ 2 later changes are lost\. .+ stay disabled/,
      ),
    ])
    expect(readdirSync(dataDir).filter((file) => file.startsWith('core.db.unusable-'))).toHaveLength(1)
  })
})

proves('storage.flipped-bits', 'an integration switched off by hand in the file stays off', () => {
  const folder = copyOfCore(stopped)
  const file = join(folder, 'core.db')
  const before = readFileSync(file)
  const db = new Database(file)
  db.prepare('UPDATE integrations SET enabled = 0 WHERE id = ?').run(who.id)
  db.close()
  const changed = [...readFileSync(file)].filter((byte, at) => byte !== before[at])
  expect(changed).toHaveLength(1)
  const { core } = startedCore(folder, from)
  const isOn = core.db.prepare('SELECT enabled FROM integrations WHERE id = ?').pluck().get(who.id)
  core.close()
  expect(isOn).toBe(0)
})

proves(
  'storage.whole-copy',
  'without its seal a flipped bit is harmless, or the newest copy replaces the whole file',
  () => {
    const [{ rows: sound }, copy] = [soundHome(stopped), copied()]
    const outcomes = { sound: 0, restored: 0, unnoticed: 0, newer: 0 }
    for (const bit of [8 * 3, 8 * 100, ...bitsOf(join(stopped, 'core.db'), times(2, 1_000))]) {
      const folder = copyOfCore(stopped)
      rmSync(join(folder, 'core.db.seal'))
      flipIn(join(folder, 'core.db'), bit)
      try {
        const { core, log } = startedCore(folder, from)
        const isRestored = log.sentences('error').length > 0
        if (isRestored) expect([bit, rowsOf(core.db, { restored: true })]).toEqual([bit, copy])
        const isSame = JSON.stringify(rowsOf(core.db)) === JSON.stringify(sound)
        outcomes[isRestored ? 'restored' : isSame ? 'sound' : 'unnoticed'] += 1
        core.close()
      } catch (error) {
        // A flipped version number looks like a later version.
        if (!(error instanceof NewerDatabase)) throw error
        outcomes.newer += 1
      }
      rmSync(folder, { recursive: true })
    }
    console.log(`flipped bits without a seal: ${JSON.stringify(outcomes)}`)
    expect(outcomes.restored).toBeGreaterThan(0)
  },
)

proves('storage.whole-copy', 'the newest copy replaces a file whose triggers do not compile', () => {
  const folder = copyOfCore(stopped)
  rmSync(join(folder, 'core.db.seal'))
  // One bit between a dot and a slash: only a write would compile it.
  const db = new Database(join(folder, 'core.db')).unsafeMode()
  db.pragma('writable_schema = ON')
  const { changes } = db
    .prepare(
      "UPDATE sqlite_schema SET sql = replace(sql, 'old.link', 'old/link') WHERE type = 'trigger' AND tbl_name = 'credentials'",
    )
    .run()
  db.close()
  expect(changes).toBeGreaterThan(0)
  const { core, log } = startedCore(folder, from)
  core.close()
  expect(log.sentences('error')[0]).toBe('The configuration was not usable: the newest good copy took its place.')
})

proves(
  'storage.whole-copy',
  'without a sound copy the start is refused in one sentence, and the file stays unchanged',
  () => {
    const empty = join(base, 'no-copies')
    for (const bit of [8 * 3, 8 * 100, 8 * 5_000, ...bitsOf(join(stopped, 'core.db'), times(1, 200)).slice(0, 200)]) {
      const folder = copyOfCore(stopped)
      rmSync(join(folder, 'core.db.seal'))
      flipIn(join(folder, 'core.db'), bit)
      const before = readFileSync(join(folder, 'core.db'))
      try {
        startedCore(folder, { ...from, backups: empty }).core.close()
      } catch (error) {
        if (error instanceof NewerDatabase) continue
        expect(error).toBeInstanceOf(CoreDamaged)
        expect(String(error)).toMatch(/The configuration .+ is not usable \(.+\) and there is no good copy in .+\.$/)
        expect([bit, readFileSync(join(folder, 'core.db')).equals(before)]).toEqual([bit, true])
        expect(readdirSync(folder).filter((name) => /unusable|copy/.test(name))).toEqual([])
      }
      rmSync(folder, { recursive: true })
    }
  },
)
