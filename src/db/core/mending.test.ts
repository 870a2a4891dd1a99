import { expect, onTestFinished } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import type { Db } from '../database.ts'
import type { CellForms } from './cell.ts'
import { CoreDb } from './core-db.ts'
import { damagedCells, mend } from './mending.ts'

const sound = (): boolean => true
const FORMS: CellForms = {
  sceneSteps: sound,
  runSteps: sound,
  definition: sound,
  tariff: sound,
  timeZone: sound,
  name: sound,
  localId: sound,
}
const REQUEST = `INSERT INTO agent_requests
  (request, user_code, code_sha256, name, platform, suggested, via, peer, asked_at, steady_asked_at, interval_s, state,
   decided_by) VALUES ('r', 'c', x'00', 'n', 'p', '{', 'v', 'p', 1, 1, 1, 'pending', '{')`

function database(...statements: readonly string[]): Db {
  const core = new CoreDb(':memory:')
  onTestFinished(() => core.close())
  for (const each of statements) core.db.exec(each)
  return core.db
}

const unit = (unitClass: string, model: string): string =>
  `INSERT INTO units (id, name, address, model, class, position) VALUES ('u', 'U', 1, ${model}, '${unitClass}', 1)`
const gang = (gangClass: string): string =>
  `INSERT INTO gangs (unit, gang, name, class) VALUES ('u', 1, 'G', '${gangClass}')`

/** What mending says, with `copy` as the only one. */
function told(db: Db, copy: Db): readonly string[] {
  return mend(db, damagedCells(db, FORMS), {
    copies: [{ name: 'core-1.db', look: (read) => read(copy) }],
    forms: FORMS,
  })
}

proves('storage.damaged-cells', 'of a row that is taken out, no cell is told to be as in a copy', () => {
  const db = database(unit('x', `'y'`))
  expect(told(db, database(unit('x', 'NULL')))).toEqual([
    'The unit u was damaged in the configuration (class): it was taken out.',
    'The unit u was damaged in the configuration (model): it was taken out because of other damage.',
  ])
  expect(db.prepare('SELECT count(*) FROM units').pluck().get()).toBe(0)
})

proves('storage.damaged-cells', 'a gang that goes with its unit is not told to be as in a copy', () => {
  const db = database(unit('x', 'NULL'), gang('x'))
  expect(told(db, database(unit('x', 'NULL'), gang('switch_gang')))).toEqual([
    'The unit u was damaged in the configuration (class): it was taken out.',
    'The gang u:1 was damaged in the configuration (class): it was taken out because of other damage.',
  ])
  expect(db.prepare('SELECT count(*) FROM gangs').pluck().get()).toBe(0)
})

proves('storage.damaged-cells', 'a cell before the one that costs the row is told to be gone too', () => {
  const db = database(REQUEST)
  expect(told(db, database())).toEqual([
    'The request of an agent r was damaged in the configuration (suggested): it was taken out because of other damage.',
    'The request of an agent r was damaged in the configuration (decided_by): the agent has to ask again.',
  ])
  expect(db.prepare('SELECT count(*) FROM agent_requests').pluck().get()).toBe(0)
})
