import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '#support/temp-folder.ts'
import { migrationsOf, openDatabase, SCHEMA, schemaOf } from '../database.ts'
import { SqliteAgentRequests } from './agent-request-store.ts'
import { CoreDb } from './core-db.ts'
import { SqliteCredentials } from './credential-store.ts'
import { SqliteHouse } from './house-store.ts'
import { SqliteRules } from './rule-store.ts'

const MIGRATIONS = join(import.meta.dirname, 'migrations')
const NAMES = migrationsOf(MIGRATIONS).map((file) => basename(file))
const ON = [{ device: 'gate', op: 'open' }]
const RULE = { when: [{ time: '07:00' }], if: [], then: ON, mode: 'single' }

/** A database of an older version that had only the first migrations, with rows. */
function madeBefore(migration: string, sql: readonly string[]): string {
  const folder = tempFolder()
  const known = join(folder, 'migrations')
  mkdirSync(known)
  for (const file of NAMES.filter((name) => name < migration)) cpSync(join(MIGRATIONS, file), join(known, file))
  const file = join(folder, 'core.db')
  const db = openDatabase(file, 'full', known)
  for (const statement of sql) db.exec(statement)
  db.close()
  return file
}

const text = (value: unknown): string => `'${JSON.stringify(value)}'`
const scene = (id: string, origin: string, position: number): string =>
  `INSERT INTO scenes VALUES ('${id}', '${id}', NULL, NULL, NULL, ${text(ON)}, 1, '[null]', ${origin}, ${position})`
const rule = (id: string, origin: string): string =>
  `INSERT INTO rules VALUES ('automation', '${id}', '${id}', 1, 1, ${origin}, ${text(RULE)}, 0, 5)`
const run = (id: string, kind: string, of: string): string =>
  `INSERT INTO rule_runs VALUES ('${id}', '${kind}', '${of}', ${text(ON)}, ${text({ source: 'person', name: 'Anna' })}, 'person', 5, 0, NULL)`

test('steps saved before authors were stored belong to the creator, and open with that authority alone', () => {
  const made = `'i', 'l'`
  const nobody = 'NULL, NULL'
  const core = new CoreDb(
    madeBefore('005', [
      `INSERT INTO home VALUES (1, 'serial', 'Home', 'UTC', NULL, NULL, 'EUR', 1)`,
      scene('theirs', made, 0),
      scene('ours', nobody, 1),
      rule('made', made),
      rule('kept', nobody),
      run('by-made', 'automation', 'made'),
      run('by-kept', 'automation', 'kept'),
      run('by-gone', 'automation', 'gone'),
      run('by-request', 'scene', 'theirs'),
    ]),
  )
  const creator = { integration: 'i', link: 'l' }
  const rules = new SqliteRules(core)
  expect(new SqliteHouse(core).load().scenes.map(({ id, origin, author }) => ({ id, origin, author }))).toEqual([
    { id: 'theirs', origin: creator, author: creator },
    { id: 'ours', origin: null, author: null },
  ])
  expect(rules.all('automation').map(({ id, origin, author }) => ({ id, origin, author }))).toEqual([
    { id: 'made', origin: creator, author: creator },
    { id: 'kept', origin: null, author: null },
  ])
  const nobodyKnown = [{ integration: '', link: '' }]
  expect(Object.fromEntries([...rules.runs()].map(({ id, principals }) => [id, principals]))).toEqual({
    'by-made': [creator],
    'by-kept': [],
    'by-gone': nobodyKnown,
    'by-request': nobodyKnown,
  })
  core.close()
})

test('the individually listed edits of a scene are counted', () => {
  const edits = [null, ['a', 'b'], ['c'], null, ['a', 'b']]
  const core = new CoreDb(
    madeBefore('009', [
      `INSERT INTO home VALUES (1, 'serial', 'Home', 'UTC', NULL, NULL, 'EUR', 1)`,
      `INSERT INTO scenes (id, name, steps, revision, edits, position) VALUES ('s', 's', '[]', 6, ${text(edits)}, 0)`,
    ]),
  )
  expect(new SqliteHouse(core).load().scenes[0]).toMatchObject({
    revision: 6,
    edits: [
      { devices: ['a', 'b'], count: 2 },
      { devices: ['c'], count: 1 },
      { devices: null, count: 1 },
    ],
  })
  core.close()
})

test('the migration for hosted agents keeps requests, credentials and their dependants', () => {
  const core = new CoreDb(
    madeBefore('012', [
      `INSERT INTO integrations VALUES ('i', 'I', 1, 'All', '{}', 1)`,
      `INSERT INTO credentials (link, integration, kind, name, platform, secret_sha256, created_at)
        VALUES ('l', 'i', 'key', '', '', x'01', 1)`,
      `INSERT INTO confirmations VALUES ('c', 'l', 'gate', x'00', 'open', 'open it', '123456', 0, 1, 1, 'pending', NULL, NULL)`,
      `INSERT INTO agent_requests (request, user_code, code_sha256, name, platform, hosted, via, peer, asked_at, steady_asked_at,
        interval_s, state) VALUES ('r', 'BCDFGHJK', x'02', 'Claude', 'Laptop', 0, 'home', '::1', 1, 1, 5, 'pending')`,
    ]),
  )
  expect(new SqliteCredentials(core).get('l')).toMatchObject({ secretSha256: Buffer.from([1]), hosted: null })
  expect(new SqliteAgentRequests(core).list()).toMatchObject([
    { request: 'r', codeSha256: Buffer.from([2]), challenge: null, hosted: null, state: 'pending' },
  ])
  expect(core.db.pragma('foreign_key_check')).toEqual([])
  core.db.exec(`DELETE FROM integrations`)
  expect(core.db.prepare('SELECT count(*) FROM confirmations').pluck().get()).toBe(0)
  core.close()
})

test('every migration upgrades a file of any earlier version', { tags: ['long'] }, () => {
  const newest = NAMES.length
  for (const migration of NAMES) {
    const core = new CoreDb(madeBefore(migration, []))
    expect(core.db.pragma('user_version', { simple: true })).toBe(newest)
    core.close()
  }
})

test(
  'a new file has the combined result of the migrations, of the configuration and of the history',
  { tags: ['long'] },
  () => {
    for (const migrations of [MIGRATIONS, join(import.meta.dirname, '../history/migrations')]) {
      expect(readFileSync(join(migrations, SCHEMA), 'utf8')).toBe(schemaOf(migrations))
      const [atOnce, oneByOne] = [migrations, withoutSchema(migrations)].map((folder) => {
        const db = openDatabase(':memory:', 'full', folder)
        const made = [
          db.pragma('user_version'),
          db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all(),
        ]
        db.close()
        return made
      })
      expect(atOnce).toEqual(oneByOne)
    }
  },
)

function withoutSchema(migrations: string): string {
  const folder = tempFolder()
  for (const file of migrationsOf(migrations)) cpSync(file, join(folder, basename(file)))
  return folder
}
