import { expect, onTestFinished, test } from 'vitest'
import { CoreDb } from './core-db.ts'
import { SqliteOperators } from './administrator-stores.ts'

function openStore() {
  const core = new CoreDb(':memory:')
  onTestFinished(() => core.close())
  const operators = new SqliteOperators(core)
  const insert = (id: string): void =>
    operators.insert({ id, name: id, scopes: [], secretSha256: Buffer.alloc(32), createdAt: 0, usedAt: null })
  core.change(() => {
    insert('stolen')
    insert('other')
  })
  const ids = (): readonly string[] => operators.list().map(({ id }) => id)
  return { core, operators, insert, ids }
}

test('a held row counts as deleted, even after a change that deleted it was not stored', () => {
  const { core, operators, ids } = openStore()
  operators.hold(['stolen'])
  expect([ids(), operators.get('stolen')]).toEqual([['other'], undefined])
  const refused = (): void =>
    core.change(() => {
      operators.remove('stolen')
      core.invalidate()
      expect(ids()).toEqual(['other'])
      throw new Error('no room')
    })
  expect(refused).toThrow('no room')
  core.invalidate()
  expect(ids()).toEqual(['other'])
})

test('a row is not held any longer once it is deleted', () => {
  const { core, operators, insert, ids } = openStore()
  operators.hold(['stolen'])
  core.change(() => operators.remove('stolen'))
  expect(ids()).toEqual(['other'])
  core.change(() => insert('stolen'))
  expect(ids()).toEqual(['other', 'stolen'])
})
