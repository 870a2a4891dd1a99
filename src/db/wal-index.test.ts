// @module-tag repeated
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { CoreDb } from './core/core-db.ts'
import { WalIndex } from './wal-index.ts'

/** A database as in the gateway, a second connection to it, and the index of its log. */
function openWithIndex(): { file: string; own: Database.Database; other: Database.Database; index: WalIndex } {
  const file = join(tempFolder(), 'core.db')
  const [own, other] = [new Database(file), new Database(file)]
  own.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER)')
  const index = new WalIndex(file)
  onTestFinished(() => {
    for (const connection of [own, other]) connection.close()
    index.close()
  })
  return { file, own, other, index }
}

const INSERT = 'INSERT INTO numbers VALUES (1)'
/** Operations on a database; true if they commit. */
const HAPPENS = {
  'a commit': [INSERT, true],
  'a commit that reverts the one before': ['DELETE FROM numbers WHERE rowid = (SELECT max(rowid) FROM numbers)', true],
  'a transaction that is rolled back': [`BEGIN IMMEDIATE; ${INSERT}; ROLLBACK`, false],
  'a read': ['SELECT count(*) FROM numbers', false],
  'a checkpoint of the log': ['PRAGMA wal_checkpoint(PASSIVE)', false],
  'a truncated log': ['PRAGMA wal_checkpoint(TRUNCATE)', false],
} as const

test('it notices every commit of any connection, after any change of the log', () => {
  const { own, other, index } = openWithIndex()
  const happening = fc.tuple(fc.constantFrom('own', 'other'), fc.constantFrom(...Object.values(HAPPENS)))
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (all) => {
      for (const [where, [sql, commits]] of all) {
        index.isUnchanged()
        index.seen()
        expect(index.isUnchanged()).toBe(true)
        // The insert exists only to be deleted.
        ;(where === 'own' ? own : other).exec(sql.startsWith('DELETE') ? `BEGIN; ${INSERT}; ${sql}; COMMIT` : sql)
        if (commits) expect(index.isUnchanged()).toBe(false)
      }
    }),
    { numRuns: times(40, 400) },
  )
})

test('it notices a commit of another process until that is seen', () => {
  const { file, index } = openWithIndex()
  index.isUnchanged()
  index.seen()
  const program = `new (require('better-sqlite3'))(process.argv[1]).exec('${INSERT}')`
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, file], { cwd: import.meta.dirname })
  expect([status, String(stderr)]).toEqual([0, ''])
  expect([index.isUnchanged(), index.isUnchanged()]).toEqual([false, false])
  index.seen()
  expect(index.isUnchanged()).toBe(true)
})

test('a database without a log, or with an unknown index format, counts as changed', () => {
  const none = new WalIndex(join(tempFolder(), 'none.db'))
  const file = join(tempFolder(), 'later.db')
  writeFileSync(`${file}-shm`, Buffer.alloc(64, 7))
  const later = new WalIndex(file)
  for (const index of [none, later]) {
    expect(index.isUnchanged()).toBe(false)
    index.seen()
    expect(index.isUnchanged()).toBe(false)
    index.close()
  }
})

test('a failed check of SQLite is repeated at the next call', async () => {
  const file = join(tempFolder(), 'core.db')
  const [core, other] = [new CoreDb(file), new Database(file)]
  onTestFinished(() => {
    other.close()
    core.close()
  })
  const before = core.epoch()
  other.exec('CREATE TABLE more (number INTEGER)')
  const question = core.db.prepare('PRAGMA data_version').pluck()
  vi.spyOn(question, 'get').mockImplementationOnce(() => {
    throw new Error('database is locked')
  })
  await Promise.resolve()
  expect(() => core.epoch()).toThrow('database is locked')
  await Promise.resolve()
  expect(core.epoch()).toBe(before + 1)
  await Promise.resolve()
  expect(core.epoch()).toBe(before + 1)
})

test.runIf(process.platform === 'linux')('closing it releases no lock of another connection in the process', () => {
  const file = join(tempFolder(), 'core.db')
  const core = new CoreDb(file)
  const other = new Database(file)
  other.pragma('schema_version')
  core.epoch()
  const { ino } = statSync(`${file}-shm`)
  const isLocked = (): boolean => readFileSync('/proc/locks', 'utf8').includes(`:${ino} `)
  const handles = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.ino === ino)
      .length
  core.close()
  expect(isLocked()).toBe(true)
  const next = new CoreDb(file)
  next.epoch()
  other.close()
  expect(isLocked()).toBe(true)
  next.close()
  expect(handles()).toBe(0)
})
