import { cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { type Cause, GATEWAY_CAUSE } from '../../home/model/events.ts'
import { migrationsOf, openDatabase } from '../database.ts'
import { readDatabase } from '../sound-file.ts'
import { CAUSES_ALIKE_MAX } from './causes.ts'
import type { HistoryDb } from './history-db.ts'
import { EVENTS_KEPT_MS } from './history-upkeep.ts'

const NOW = Date.UTC(2027, 0, 1)
const FOREVER = 2 ** 41
const MIGRATIONS = join(import.meta.dirname, 'migrations')
const ASKED: Cause = { source: 'integration', name: 'API: Panel', integration: 'panel', link: 'l1' }

const scene = (name: string, by: Cause = ASKED): Cause => ({ source: 'scene', name, ref: 'evening', by })

function record(history: HistoryDb, at: number, cause: Cause): void {
  history.activity.record({ at, kind: 'run', subject: { kind: 'scene', id: 'evening' }, what: 'ran', cause })
}

const causesIn = (file: string): number =>
  readDatabase(file, (db) => db.prepare<[], number>('SELECT count(*) FROM causes').pluck().get()) ?? 0

const causes = (history: HistoryDb): Cause[] => [...history.activity.iterate(0, FOREVER)].map(({ cause }) => cause)

test('a cause is deleted with its last entry, and returns with the next', () => {
  const file = join(tempFolder(), 'history.db')
  const history = tempHistory({ file })
  const old = NOW - EVENTS_KEPT_MS
  record(history, old - 2, scene('Kept'))
  // An identical object, as from one caller.
  const removed = scene('Gone')
  record(history, old - 2, removed)
  record(history, old - 1, removed)
  record(history, NOW, scene('Kept'))
  history.writer.flush()
  expect(causes(history)).toHaveLength(4)
  while (history.upkeep.step(NOW));
  expect([causesIn(file), causes(history)]).toEqual([1, [scene('Kept')]])
  record(history, NOW + 1, removed)
  expect([causes(history).at(-1), causesIn(file)]).toEqual([scene('Gone'), 2])
})

test(
  'a scene that is renamed again and again does not fill the history: recorded entries stay, and new ones follow',
  { tags: ['long'] },
  () => {
    const file = join(tempFolder(), 'history.db')
    const history = tempHistory({ file, bytesMax: 2.5 * 1024 ** 2 })
    const RUNS = 4_000
    const others: Cause[] = [
      { source: 'unit', name: 'touched', ref: 'hall-light' },
      scene('Theirs', { ...ASKED, link: 'l2' }),
      scene('Often'),
    ]
    for (const cause of others) record(history, NOW, cause)
    history.readings.record('hall', 'light', NOW, 1)
    for (let n = 1; n <= RUNS; n += 1) {
      record(history, NOW + n, n % 500 === 0 ? scene('Often') : scene(`${'name '.repeat(40)}${n}`))
      if (n % 500 === 0) history.writer.flush()
      if (n % 1_000 === 0) while (history.upkeep.step(NOW + n));
    }
    history.writer.flush()
    const all = causes(history)
    expect([all.length, history.writer.counts.failed]).toEqual([RUNS + others.length, 0])
    expect([...history.readings.iterate(0, FOREVER)]).toHaveLength(1)
    expect(causesIn(file)).toBeLessThanOrEqual(CAUSES_ALIKE_MAX + others.length + 1)
    // Each other or used cause is unchanged; the oldest names became the requesting caller.
    expect(all.slice(0, 3)).toEqual(others)
    expect(all[3]).toEqual({ source: 'scene', name: 'unknown', ref: '', by: ASKED })
    expect(all.at(-2)).toEqual(scene(`${'name '.repeat(40)}${RUNS - 1}`))
  },
)

test('the recently used causes are known after a restart', () => {
  const file = join(tempFolder(), 'history.db')
  const before = tempHistory({ file })
  record(before, NOW, scene('First'))
  for (let n = 1; n < CAUSES_ALIKE_MAX; n += 1) record(before, NOW + n, scene(`Scene ${n}`))
  record(before, NOW + CAUSES_ALIKE_MAX, scene('First'))
  before.close()
  const after = tempHistory({ file })
  record(after, NOW + CAUSES_ALIKE_MAX + 1, scene('New'))
  after.writer.flush()
  const [first, second, third] = causes(after)
  expect([first, second?.name, third]).toEqual([scene('First'), 'unknown', scene('Scene 2')])
})

test('an older file releases unused causes', () => {
  const folder = tempFolder()
  const known = join(folder, 'migrations')
  mkdirSync(known)
  for (const migration of migrationsOf(MIGRATIONS).filter((name) => basename(name) < '003'))
    cpSync(migration, join(known, basename(migration)))
  const file = join(folder, 'history.db')
  const db = openDatabase(file, 'normal', known)
  db.exec("INSERT INTO subjects VALUES (1, 'home')")
  for (const [id, cause] of [scene('Unused'), GATEWAY_CAUSE, scene('Used')].entries())
    db.prepare('INSERT INTO causes VALUES (?, ?)').run(id, JSON.stringify(cause))
  db.exec(`INSERT INTO activity VALUES (${NOW * 1_024}, x'00', 'run', 1, 'ran', 2, NULL)`)
  db.close()
  const history = tempHistory({ file })
  expect([causesIn(file), causes(history)]).toEqual([1, [scene('Used')]])
})
