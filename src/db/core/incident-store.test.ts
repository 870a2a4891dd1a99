import { expect, onTestFinished, test } from 'vitest'
import { CoreDb } from './core-db.ts'
import { INCIDENTS_MAX, SqliteIncidents } from './incident-store.ts'

test('beyond the bound the oldest incident is deleted, and its number is not used again', () => {
  const core = new CoreDb(':memory:')
  onTestFinished(() => core.close())
  const incidents = new SqliteIncidents(core)
  for (let at = 1; at <= INCIDENTS_MAX + 3; at++) incidents.add(at, `incident ${at}`)
  const stored = incidents.list()
  expect(stored).toHaveLength(INCIDENTS_MAX)
  expect([stored[0]?.at, stored.at(-1)?.at]).toEqual([4, INCIDENTS_MAX + 3])
  incidents.forget(stored.at(-1)?.id ?? 0)
  incidents.add(1, 'later')
  expect(incidents.list().map(({ id }) => id)).toEqual([INCIDENTS_MAX + 4])
})
