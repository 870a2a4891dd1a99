import { describe, expect, test } from 'vitest'
import { type Store, type TableName, type TABLES, VALUE_BYTES_MAX } from '../../../relay/store/store.ts'

/** Tables whose entries expire. */
export type LimitedTable = { [K in TableName]: (typeof TABLES)[K] extends null ? never : K }[TableName]

/** One store as two nodes see it. */
export interface StoreWorld {
  readonly store: Store
  /** View of another node on these data. */
  readonly other: Store
  /** Lets this part of the lifetime of an entry pass. */
  pass(table: LimitedTable, part: number): Promise<void>
}

/**
 * Tests that every store of the relay passes; `open` returns an empty one, which closes with the test. In a store with
 * real time, flows and sessions expire within seconds, so only tests of expiry use them.
 */
export function storeContract(name: string, open: () => Promise<StoreWorld>): void {
  describe(`the store contract of ${name}`, () => {
    test('every node reads the written value', async () => {
      const { store, other } = await open()
      const value = { name: 'Ünïcode "quotes"', list: [1, null, true], deep: { empty: '' } }
      const revision = await store.create('accounts', 'one', value)
      expect(await store.get('accounts', 'one')).toEqual({ value, revision })
      expect(await other.get('accounts', 'one')).toEqual({ value, revision })
      expect(await store.get('accounts', 'two')).toBeNull()
      expect(await store.get('gateways', 'one')).toBeNull()
    })

    test('one of several concurrent calls creates an entry', async () => {
      const { store, other } = await open()
      const revisions = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).create('links', 'code', { index })),
      )
      expect(revisions.filter((revision) => revision !== null)).toHaveLength(1)
      const winner = revisions.findIndex((revision) => revision !== null)
      expect((await store.get('links', 'code'))?.value).toEqual({ index: winner })
    })

    test('one of several concurrent calls replaces a revision', async () => {
      const { store, other } = await open()
      const first = (await store.create('accounts', 'one', 0))!
      const revisions = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).replace('accounts', 'one', index, first)),
      )
      const winner = revisions.findIndex((revision) => revision !== null)
      expect(revisions.filter((revision) => revision !== null)).toHaveLength(1)
      expect(await store.get('accounts', 'one')).toEqual({ value: winner, revision: revisions[winner] })
      expect(await store.replace('accounts', 'one', 99, first)).toBeNull()
    })

    test('a missing entry is neither replaced nor deleted', async () => {
      const { store } = await open()
      expect(await store.replace('accounts', 'one', 1, 1)).toBeNull()
      expect(await store.delete('accounts', 'one')).toBe(false)
      expect(await store.get('accounts', 'one')).toBeNull()
    })

    test('one of several concurrent calls deletes a revision, and an older revision deletes nothing', async () => {
      const { store, other } = await open()
      const first = (await store.create('invites', 'one', 1))!
      const second = (await store.replace('invites', 'one', 2, first))!
      expect(await store.delete('invites', 'one', first)).toBe(false)
      const deleted = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).delete('invites', 'one', second)),
      )
      expect(deleted.filter(Boolean)).toHaveLength(1)
      expect(await other.get('invites', 'one')).toBeNull()
    })

    test('an entry that is created again has a new revision, so that a stale revision changes nothing', async () => {
      const { store } = await open()
      const first = (await store.create('links', 'one', 1))!
      await store.delete('links', 'one')
      const second = await store.create('links', 'one', 2)
      expect(second).not.toBe(first)
      expect(await store.replace('links', 'one', 3, first)).toBeNull()
      expect(await store.delete('links', 'one', first)).toBe(false)
      expect((await store.get('links', 'one'))?.value).toBe(2)
    })

    test('an entry expires after the lifetime of its table, and may then be created again', async () => {
      const { store, other, pass } = await open()
      const code = (await store.create('flows', 'one', 1))!
      await store.create('accounts', 'one', 1)
      await pass('flows', 1)
      expect(await other.get('flows', 'one')).toBeNull()
      expect(await store.replace('flows', 'one', 2, code)).toBeNull()
      expect(await store.delete('flows', 'one')).toBe(false)
      expect(await store.create('flows', 'one', 3)).not.toBeNull()
      expect((await store.get('accounts', 'one'))?.value).toBe(1)
    })

    test('each write starts the lifetime of an entry again', async () => {
      const { store, pass } = await open()
      const first = (await store.create('sessions', 'one', 1))!
      await pass('sessions', 0.6)
      expect(await store.replace('sessions', 'one', 2, first)).not.toBeNull()
      await pass('sessions', 0.6)
      expect((await store.get('sessions', 'one'))?.value).toBe(2)
    })

    test('an invalid id and a value that is too large are refused', async () => {
      const { store } = await open()
      await expect(store.create('accounts', 'a b', 1)).rejects.toThrow('characters')
      await expect(store.get('accounts', 'a.b')).rejects.toThrow('characters')
      await expect(store.create('accounts', 'big', 'x'.repeat(VALUE_BYTES_MAX))).rejects.toThrow('too large')
    })
  })
}
