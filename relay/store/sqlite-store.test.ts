import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ManualClock } from '#support/clocks/manual-clock.ts'
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

storeContract('SQLite', async () => {
  const file = join(tempFolder(), 'relay.db')
  const clock = new ManualClock()
  const store = openStore(file, clock)
  return { store, other: openStore(file, clock), pass: async (table, part) => clock.advance(TABLES[table] * part) }
})

describe('the store of one process', () => {
  test('is a file for its own user alone, and there again after a restart', async () => {
    const file = join(tempFolder(), 'relay.db')
    const clock = new ManualClock()
    const first = new SqliteStore(file, clock)
    await first.create('accounts', 'one', { email: 'a@example.org' })
    await first.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await openStore(file, clock).get('accounts', 'one'))?.value).toEqual({ email: 'a@example.org' })
  })

  test('what is over leaves the file', async () => {
    const clock = new ManualClock()
    const store = openStore(':memory:', clock)
    for (let index = 0; index < 20; index += 1) await store.create('flows', `code-${index}`, index)
    clock.advance(TABLES.flows)
    await store.create('accounts', 'one', 1)
    await store.create('accounts', 'two', 1)
    expect(store.everything().map(({ id }) => id)).toEqual(['one', 'two'])
  })

  test('a closed or read-only store is unavailable, told apart from an entry that is not there', async () => {
    const clock = new ManualClock()
    const store = new SqliteStore(':memory:', clock)
    await store.close()
    await expect(store.get('accounts', 'one')).rejects.toBeInstanceOf(StoreUnavailable)
  })

  test('a file that is no database or of a later version is refused', () => {
    const file = join(tempFolder(), 'relay.db')
    writeFileSync(file, 'no database, but text that is long enough to be taken for one by nobody'.repeat(20))
    chmodSync(file, 0o600)
    expect(() => new SqliteStore(file, new ManualClock())).toThrow('not a database')
  })
})

describe('a table', () => {
  const Counted = z.object({ count: z.int() })

  test('changes by all who change at once are all there', async () => {
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

  test('what does not fit its type is as good as none', async () => {
    const store = openStore(':memory:', new ManualClock())
    await store.create('accounts', 'one', { count: 'many' })
    expect(await new Table(store, 'accounts', Counted).get('one')).toBeNull()
  })

  test('a hash is a key that every store takes', () => {
    expect(hashedId('someone@example.org')).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})
