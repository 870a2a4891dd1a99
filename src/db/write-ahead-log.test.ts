// @module-tag repeated
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { syncFile } from '../lib/files.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { CheckpointThread } from './checkpoint-thread.ts'
import { CoreDb } from './core/core-db.ts'
import { type Checkpoint, UNMEASURED_COMMITS_MAX, LOG_BYTES, WriteAheadLog } from './write-ahead-log.ts'

const BYTES = { step: 256 * 1024, max: 1024 * 1024 }
const BLOCK_BYTES = 4096

/** A database that commits like the gateway's, with a log of less than a MiB. */
class LoggedDatabase {
  readonly file = join(tempFolder(), 'kept.db')
  readonly db = new Database(this.file)
  readonly log: WriteAheadLog

  constructor(checkpoint: Checkpoint, sync = syncFile) {
    onTestFinished(() => void this.db.close())
    this.db.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (text TEXT)')
    this.log = new WriteAheadLog(this.db, { checkpoint, syncFile: sync, bytes: BYTES })
  }

  get bytes(): number {
    return statSync(`${this.file}-wal`).size
  }

  write(text: string, size?: { readonly small: boolean }): void {
    this.db.pragma(`synchronous = ${this.log.needsNoSync ? 'OFF' : 'NORMAL'}`)
    this.db.prepare('INSERT INTO rows (text) VALUES (?)').run(text)
    this.log.afterCommit(size)
  }

  grow(bytes = BYTES.step): void {
    this.write('x'.repeat(bytes))
  }

  async untilTruncated(): Promise<void> {
    while (!this.log.needsNoSync) await nextTurn()
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function inThread(): Checkpoint {
  const thread = new CheckpointThread()
  onTestFinished(() => thread.stop())
  return thread.checkpoint
}

describe('a write-ahead log', () => {
  test(
    'is checkpointed by a thread when it is long, and is truncated on the disk too',
    { tags: ['long'] },
    async () => {
      const database = new LoggedDatabase(inThread())
      database.grow()
      expect([database.bytes > BYTES.step, database.log.needsNoSync]).toEqual([true, false])
      await database.untilTruncated()
      expect(database.bytes).toBe(0)
      database.write('more')
      expect(database.log.needsNoSync).toBe(false)
      const alone = new Database(database.file, { readonly: true })
      expect(alone.prepare('SELECT count(*) FROM rows').pluck().get()).toBe(2)
      alone.close()
    },
  )

  it('stays after a commit during its checkpoint, and is checkpointed again', async () => {
    const thread = inThread()
    let rounds = 0
    const database: LoggedDatabase = new LoggedDatabase(async (file) => {
      rounds += 1
      if (rounds === 1) database.write('meanwhile')
      return await thread(file)
    })
    database.grow()
    await database.untilTruncated()
    expect(rounds).toBe(2)
  })

  it('is not reset before the disk has truncated it', async () => {
    const database: LoggedDatabase = new LoggedDatabase(inThread(), async (file) => {
      expect(database.bytes).toBe(0)
      database.write('meanwhile')
      await syncFile(file)
    })
    database.grow()
    while (database.db.prepare('SELECT count(*) FROM rows').pluck().get() === 1) await nextTurn()
    for (let turn = 0; turn < 100; turn += 1) await nextTurn()
    expect(database.log.needsNoSync).toBe(false)
  })

  it('is truncated at its bound even if writes never pause', () => {
    const database = new LoggedDatabase(() => new Promise(() => {}))
    for (let written = 0; written < BYTES.max; written += BYTES.step) {
      database.grow()
      expect(database.bytes).toBeLessThan(BYTES.max + BYTES.step)
    }
    expect(database.bytes).toBe(0)
  })

  it('is checkpointed again after more growth if a checkpoint failed', async () => {
    let checkpoints = 0
    const database = new LoggedDatabase(() => {
      checkpoints += 1
      return Promise.reject(new Error('disk I/O error'))
    })
    for (let tries = 1; tries <= 2; tries += 1) {
      database.grow()
      database.write('a little')
      await nextTurn()
      expect(checkpoints).toBe(tries)
    }
  })

  it('is measured after a number of small commits, and at once after any other', () => {
    let checkpoints = 0
    const database = new LoggedDatabase(() => new Promise(() => (checkpoints += 1)))
    database.db.exec(`INSERT INTO rows (text) VALUES ('${'x'.repeat(BYTES.step)}')`)
    for (let commit = 1; commit < UNMEASURED_COMMITS_MAX; commit += 1) database.write('a little', { small: true })
    expect(checkpoints).toBe(0)
    database.write('a little', { small: true })
    expect(checkpoints).toBe(1)
    const other = new LoggedDatabase(() => new Promise(() => (checkpoints += 1)))
    other.db.exec(`INSERT INTO rows (text) VALUES ('${'x'.repeat(BYTES.step)}')`)
    other.write('a little')
    expect(checkpoints).toBe(2)
  })

  it('is checkpointed by a new thread if its thread ended', async () => {
    const thread = new CheckpointThread()
    onTestFinished(() => thread.stop())
    const { file } = new LoggedDatabase(thread.checkpoint)
    const lost = thread.checkpoint(file)
    void thread.stop()
    await expect(lost).rejects.toThrow('ended')
    expect(await thread.checkpoint(file)).toMatchObject({ frames: 2, copied: 2 })
  })

  test('of the configuration is checkpointed too', { tags: ['long'] }, async () => {
    const core = new CoreDb(join(tempFolder(), 'core.db'), { checkpoint: inThread() })
    onTestFinished(() => core.close())
    core.commitDeferred(() =>
      core.db.prepare('INSERT INTO activity_outbox (draft) VALUES (?)').run('x'.repeat(LOG_BYTES.step)),
    )
    while (statSync(`${core.db.name}-wal`).size > 0) await nextTurn()
    await expect(core.onDisk()).resolves.toBeUndefined()
  })
})

describe('a power cut after a truncated log', () => {
  it('leaves a sound database with all checkpointed rows, even if the new log is lost', async () => {
    const database = new LoggedDatabase(inThread())
    database.grow()
    await database.untilTruncated()
    for (let row = 0; row < 20; row += 1) database.write(`row ${row} ${'x'.repeat(3_000)}`)
    const left = join(tempFolder(), 'left.db')
    const log = readFileSync(`${database.file}-wal`)
    const blocks = Math.floor(log.length / BLOCK_BYTES)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: blocks - 1 }), { maxLength: 5 }), (lost) => {
        copyFileSync(database.file, left)
        const torn = Buffer.from(log)
        for (const block of lost) torn.fill(0, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
        writeFileSync(`${left}-wal`, torn)
        const db = new Database(left)
        const [grown = '', ...rows] = db.prepare<[], string>('SELECT text FROM rows ORDER BY rowid').pluck().all()
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
        db.close()
        expect(grown).toHaveLength(BYTES.step)
        expect(rows.map((text) => text.split(' ')[1])).toEqual(rows.map((_, row) => String(row)))
      }),
      { numRuns: times(10, 300) },
    )
  })
})
