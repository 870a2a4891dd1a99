import { cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { DAY_MS } from '../../lib/durations.ts'
import { migrationsOf, openDatabase } from '../database.ts'
import { HOURS_KEPT_MS } from './reading-store.ts'

const NOW = Date.UTC(2027, 0, 15, 12)
const MIGRATIONS = join(import.meta.dirname, 'migrations')

test('the last value of every reading survives a restart, at any clock', () => {
  const file = join(tempFolder(), 'history.db')
  const before = tempHistory({ file })
  before.lastReadings.set('hall', 'smoke', NOW + 700 * DAY_MS, 1)
  before.lastReadings.set('hall', 'smoke', NOW, 0)
  before.lastReadings.set('bath', 'humidity', NOW, 60)
  before.close()
  expect(tempHistory({ file }).lastReadings.all()).toEqual([
    { device: 'hall', kind: 'smoke', at: NOW, value: 0 },
    { device: 'bath', kind: 'humidity', at: NOW, value: 60 },
  ])
})

test('an alarm that has lasted for years stays when the history is thinned', () => {
  const { lastReadings, readings } = tempHistory()
  readings.record('hall', 'smoke', NOW, 1)
  lastReadings.set('hall', 'smoke', NOW, 1)
  while (readings.thin(NOW + 2 * HOURS_KEPT_MS).moved > 0);
  expect([...readings.iterate(0, 2 * NOW)]).toEqual([])
  expect(lastReadings.all()).toEqual([{ device: 'hall', kind: 'smoke', at: NOW, value: 1 }])
})

test('an older history provides its newest readings, and alarms from detections', () => {
  const folder = tempFolder()
  const known = join(folder, 'migrations')
  mkdirSync(known)
  for (const migration of migrationsOf(MIGRATIONS).filter((name) => basename(name) < '004'))
    cpSync(migration, join(known, basename(migration)))
  const file = join(folder, 'history.db')
  const db = openDatabase(file, 'normal', known)
  db.exec(`
    INSERT INTO subjects VALUES (1, 'device:hall'), (2, 'device:bath');
    INSERT INTO series VALUES (1, 1, 'light'), (2, 1, 'door');
    INSERT INTO readings_raw VALUES (1, ${NOW}, 5), (1, ${NOW + 1}, 6), (2, ${NOW}, 1);
    INSERT INTO detections VALUES (1, ${NOW}, 0, 'smoke', 0), (1, ${NOW + 2}, 0, 'smoke', 1),
      (2, ${NOW}, 0, 'water', 1), (2, ${NOW + 2}, 0, 'water', 0), (2, ${NOW}, 1, 'motion', 1)`)
  db.close()
  expect(
    tempHistory({ file })
      .lastReadings.all()
      .map(({ device, kind, value }) => [device, kind, value]),
  ).toEqual([
    ['hall', 'door', 1],
    ['hall', 'light', 6],
    ['hall', 'smoke', 1],
    ['bath', 'water', 0],
  ])
})
