import { expect, test } from 'vitest'
import { CoreDb } from './core-db.ts'
import { SqliteKeyedWrites } from './keyed-write-store.ts'

test("a credential's newest answers are kept, by number and by bytes", () => {
  const core = new CoreDb(':memory:')
  core.db.pragma('foreign_keys = OFF')
  const keys = new SqliteKeyedWrites(core)
  const keysOf = (link: string): string[] => ['a', 'b', 'c', 'd'].filter((key) => keys.get(link, key) !== null)
  for (const link of ['one', 'other'])
    for (const [steadyAt, key] of ['a', 'b', 'c', 'd'].entries()) {
      keys.insert({ link, key, requestSha256: Buffer.from('x'), steadyAt, answer: null })
      keys.answer(link, key, { status: 200, headers: {}, body: 'é'.repeat(50) })
    }
  keys.trim('one', -1, { keys: 4, bytes: 300 })
  expect([keysOf('one'), keysOf('other')]).toEqual([
    ['b', 'c', 'd'],
    ['a', 'b', 'c', 'd'],
  ])
  keys.trim('one', -1, { keys: 2, bytes: 300 })
  expect(keysOf('one')).toEqual(['c', 'd'])
  keys.trim('one', 2, { keys: 2, bytes: 300 })
  expect(keysOf('one')).toEqual(['d'])
})
