import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { storeContract } from '#support/relay/store-contract.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { SqliteStore } from './sqlite-store.ts'
import { StoreUnavailable, TABLES } from './store.ts'
import { hashedId, Table } from './table.ts'

function openStore(file: string, clock: ManualClock): SqliteStore {
  const store = new SqliteStore(file, clock)
  onTestFinished(() => store.close())
  return store
}

const filled = (index: number): object => ({ email: `erased@example.org ${index} `, rest: 'x'.repeat(1_500) })

/** All bytes of a database with its WAL. */
const bytesOf = (file: string): string =>
  [file, `${file}-wal`].map((path) => (existsSync(path) ? readFileSync(path, 'latin1') : '')).join('')

storeContract('SQLite', async () => {
  const file = join(tempFolder(), 'relay.db')
  const clock = new ManualClock()
  const store = openStore(file, clock)
  return { store, other: openStore(file, clock), pass: async (table, part) => clock.advance(TABLES[table] * part) }
})

describe('the store of one process', () => {
  test('is a file that only its own user may read, and survives a restart', async () => {
    const file = join(tempFolder(), 'relay.db')
    const clock = new ManualClock()
    const first = new SqliteStore(file, clock)
    await first.create('accounts', 'one', { email: 'a@example.org' })
    await first.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await openStore(file, clock).get('accounts', 'one'))?.value).toEqual({ email: 'a@example.org' })
  })

  proves('relay.erased', 'overwrites deleted values in its file and in the WAL', async () => {
    const file = join(tempFolder(), 'relay.db')
    const store = openStore(file, new ManualClock())
    for (let index = 0; index < 40; index += 1) await store.create('accounts', `a${index}`, filled(index))
    expect(bytesOf(file)).toContain('erased@example.org 7')
    for (let index = 0; index < 40; index += 2) await store.delete('accounts', `a${index}`)
    await store.replace('accounts', 'a7', 1, (await store.get('accounts', 'a7'))!.revision)
    const reader = new Database(file, { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM entries').get()
    await store.erase()
    reader.close()
    await store.create('accounts', 'next', 1)
    const bytes = bytesOf(file)
    for (const index of [0, 7, 38]) expect(bytes).not.toContain(`erased@example.org ${index} `)
    expect(bytes).toContain('erased@example.org 39 ')
  })

  proves('relay.erased', 'a file of an earlier version loses its free pages at the first start', async () => {
    const file = join(tempFolder(), 'relay.db')
    const clock = new ManualClock()
    const first = new SqliteStore(file, clock)
    for (let index = 0; index < 40; index += 1) await first.create('accounts', `a${index}`, filled(index))
    await first.close()
    const earlier = new Database(file)
    earlier.pragma('secure_delete = OFF')
    earlier.pragma('user_version = 1')
    earlier.exec("DELETE FROM entries WHERE id <> 'a7'")
    earlier.close()
    expect(bytesOf(file)).toContain('erased@example.org 8 ')
    const store = openStore(file, clock)
    expect((await store.get('accounts', 'a7'))?.value).toEqual(filled(7))
    expect(bytesOf(file)).not.toContain('erased@example.org 8 ')
  })

  test('expired entries leave the file', async () => {
    const clock = new ManualClock()
    const store = openStore(':memory:', clock)
    for (let index = 0; index < 20; index += 1) await store.create('flows', `code-${index}`, index)
    clock.advance(TABLES.flows)
    await store.create('accounts', 'one', 1)
    await store.create('accounts', 'two', 1)
    expect(store.everything().map(({ id }) => id)).toEqual(['one', 'two'])
  })

  test('a closed store is unavailable, which differs from a missing entry', async () => {
    const clock = new ManualClock()
    const store = new SqliteStore(':memory:', clock)
    await store.close()
    await expect(store.get('accounts', 'one')).rejects.toBeInstanceOf(StoreUnavailable)
  })

  test('a file that is no database or of a later version is refused', () => {
    const file = join(tempFolder(), 'relay.db')
    writeFileSync(file, 'This is text and not a database, but it is longer than a header of SQLite. '.repeat(20))
    chmodSync(file, 0o600)
    expect(() => new SqliteStore(file, new ManualClock())).toThrow('not a database')
  })
})

describe('a table', () => {
  const Counted = z.object({ count: z.int() })

  test('concurrent changes are all stored', async () => {
    const store = openStore(':memory:', new ManualClock())
    const table = new Table(store, 'accounts', Counted)
    expect(await table.change('one', ({ count }) => ({ count: count + 1 }))).toBeNull()
    await table.put('one', { count: 0 })
    await Promise.all(Array.from({ length: 12 }, () => table.change('one', ({ count }) => ({ count: count + 1 }))))
    expect(await table.get('one')).toEqual({ count: 12 })
    expect(await table.change('one', () => null)).toBeNull()
    await table.put('one', { count: 7 })
    expect(await table.get('one')).toEqual({ count: 7 })
  })

  test('an entry is taken once', async () => {
    const store = openStore(':memory:', new ManualClock())
    const table = new Table(store, 'invites', Counted)
    await table.create('one', { count: 1 })
    const taken = await Promise.all(Array.from({ length: 10 }, () => table.take('one')))
    expect(taken.filter((value) => value !== null)).toEqual([{ count: 1 }])
  })

  test('an entry that does not fit the type counts as missing', async () => {
    const store = openStore(':memory:', new ManualClock())
    await store.create('accounts', 'one', { count: 'many' })
    expect(await new Table(store, 'accounts', Counted).get('one')).toBeNull()
  })

  test('a hash is a valid key of every store', () => {
    expect(hashedId('someone@example.org')).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})
