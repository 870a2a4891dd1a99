import { expect, test } from 'vitest'
import { CoreDb } from './core/core-db.ts'

test('a SQL text is compiled once, and read in every requested form', () => {
  const { db } = new CoreDb(':memory:')
  const sql = 'SELECT 1 AS one, ? AS other'
  const statement = db.prepare(sql).pluck()
  expect(db.prepare(sql)).toBe(db.prepare(sql))
  for (let turn = 0; turn < 2; turn++) {
    expect(db.prepare(sql).get(2)).toEqual({ one: 1, other: 2 })
    expect(db.prepare(sql).pluck().get(2)).toBe(1)
    expect(db.prepare(sql).raw().get(2)).toEqual([1, 2])
  }
  expect(statement.get(2)).toBe(1)
  db.close()
})

test('an SQL text that changes each time does not fill the memory', () => {
  const { db } = new CoreDb(':memory:')
  const first = db.prepare('SELECT 0')
  for (let turn = 1; turn <= 1_000; turn++) db.prepare(`SELECT ${turn}`)
  expect(db.prepare('SELECT 0')).not.toBe(first)
  expect(first.pluck().get()).toBe(0)
  db.close()
})
