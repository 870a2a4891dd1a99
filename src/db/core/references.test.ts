import { expect, onTestFinished } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { CoreDb } from './core-db.ts'
import { hasItsReferences, mendReferences } from './references.ts'

proves('storage.damaged-cells', 'what names a row that there is not names none, or goes with it', () => {
  const core = new CoreDb(':memory:')
  onTestFinished(() => core.close())
  const { db } = core
  db.exec(`INSERT INTO rooms (id, name, position) VALUES ('hall', 'Hall', 0);
    INSERT INTO units (id, name, address, class, room, position) VALUES ('lamp', 'Lamp', 1, 'light_switch', 'hall', 0),
      ('panel', 'Panel', 2, 'gang_module', 'hall', 1);
    INSERT INTO gangs (unit, gang, name, class, room) VALUES ('panel', 0, 'Left', 'switch_gang', 'hall')`)
  expect([hasItsReferences(db), mendReferences(db)]).toEqual([true, []])
  db.exec(
    `PRAGMA foreign_keys = OFF; DELETE FROM rooms; DELETE FROM units WHERE id = 'panel'; PRAGMA foreign_keys = ON`,
  )
  expect(mendReferences(db)).toEqual([
    'Damage in the configuration: 1 of the gangs named a room that there is not, and were left without one.',
    'Damage in the configuration: 1 of the gangs named a unit that there is not, and were taken out.',
    'Damage in the configuration: 1 of the units named a room that there is not, and were left without one.',
  ])
  expect(hasItsReferences(db)).toBe(true)
  expect(db.prepare('SELECT id, room FROM units').all()).toEqual([{ id: 'lamp', room: null }])
})
