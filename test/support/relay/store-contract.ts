import { describe, expect, test } from 'vitest'
import { type Store, type TableName, type TABLES, VALUE_BYTES_MAX } from '../../../relay/store/store.ts'

/** Tables whose entries end. */
export type LimitedTable = { [K in TableName]: (typeof TABLES)[K] extends null ? never : K }[TableName]

/** Two nodes at one store, and time that passes for it. */
export interface StoreWorld {
  readonly store: Store
  /** The same data, opened by another node. */
  readonly other: Store
  /** Lets this part of the time pass after which an entry of the table is gone. */
  pass(table: LimitedTable, part: number): Promise<void>
}

/**
 * What every store of the relay holds to; `open` gives an empty one, closed when the test is over. Where time is real,
 * flows and sessions may end within seconds, so only what is about that uses them; without patience what takes seconds
 * then is left out.
 */
export function storeContract(
  name: string,
  open: () => Promise<StoreWorld>,
  { isPatient = true }: { readonly isPatient?: boolean } = {},
): void {
  describe(`the store contract of ${name}`, () => {
    test('an entry is what was written, for every node', async () => {
      const { store, other } = await open()
      const value = { name: 'Ünïcode "quotes"', list: [1, null, true], deep: { empty: '' } }
      const revision = await store.create('accounts', 'one', value)
      expect(await store.get('accounts', 'one')).toEqual({ value, revision })
      expect(await other.get('accounts', 'one')).toEqual({ value, revision })
      expect(await store.get('accounts', 'two')).toBeNull()
      expect(await store.get('gateways', 'one')).toBeNull()
    })

    test('of all that create one entry at once one does', async () => {
      const { store, other } = await open()
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).create('links', 'code', { index })),
      )
      expect(made.filter((revision) => revision !== null)).toHaveLength(1)
      const winner = made.findIndex((revision) => revision !== null)
      expect((await store.get('links', 'code'))?.value).toEqual({ index: winner })
    })

    test('of all that replace one revision one does', async () => {
      const { store, other } = await open()
      const first = (await store.create('accounts', 'one', 0))!
      const done = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).replace('accounts', 'one', index, first)),
      )
      const winner = done.findIndex((revision) => revision !== null)
      expect(done.filter((revision) => revision !== null)).toHaveLength(1)
      expect(await store.get('accounts', 'one')).toEqual({ value: winner, revision: done[winner] })
      expect(await store.replace('accounts', 'one', 99, first)).toBeNull()
    })

    test('nothing that is not there is replaced or deleted', async () => {
      const { store } = await open()
      expect(await store.replace('accounts', 'one', 1, 1)).toBeNull()
      expect(await store.delete('accounts', 'one')).toBe(false)
      expect(await store.get('accounts', 'one')).toBeNull()
    })

    test('of all that delete one revision one does, and an older revision deletes nothing', async () => {
      const { store, other } = await open()
      const first = (await store.create('invites', 'one', 1))!
      const second = (await store.replace('invites', 'one', 2, first))!
      expect(await store.delete('invites', 'one', first)).toBe(false)
      const done = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? store : other).delete('invites', 'one', second)),
      )
      expect(done.filter(Boolean)).toHaveLength(1)
      expect(await other.get('invites', 'one')).toBeNull()
    })

    test('an entry made anew has another revision, so that what was read of the old one replaces nothing', async () => {
      const { store } = await open()
      const first = (await store.create('links', 'one', 1))!
      await store.delete('links', 'one')
      const second = await store.create('links', 'one', 2)
      expect(second).not.toBe(first)
      expect(await store.replace('links', 'one', 3, first)).toBeNull()
      expect(await store.delete('links', 'one', first)).toBe(false)
      expect((await store.get('links', 'one'))?.value).toBe(2)
    })

    test('an entry ends with the time of its table, and may be made anew then', async () => {
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

    test.runIf(isPatient)('each write begins the time of an entry anew', async () => {
      const { store, pass } = await open()
      const first = (await store.create('sessions', 'one', 1))!
      await pass('sessions', 0.6)
      expect(await store.replace('sessions', 'one', 2, first)).not.toBeNull()
      await pass('sessions', 0.6)
      expect((await store.get('sessions', 'one'))?.value).toBe(2)
    })

    test('what no caller may write is a defect, not an entry', async () => {
      const { store } = await open()
      await expect(store.create('accounts', 'a b', 1)).rejects.toThrow('letters')
      await expect(store.get('accounts', 'a.b')).rejects.toThrow('letters')
      await expect(store.create('accounts', 'big', 'x'.repeat(VALUE_BYTES_MAX))).rejects.toThrow('larger')
    })
  })
}
