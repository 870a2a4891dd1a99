import { expect, test } from 'vitest'
import type { AdminActivityEntry } from '../../console/src/lib/admin-contract.ts'
import { folded } from '../../console/src/pages/activity/folded-activity.ts'

const UNIT = { source: 'unit', name: 'unit' } as const

/** Entries, the newest first, each of a device and what befell it; what begins with `!` a sensor detected. */
const entries = (...told: readonly string[]): readonly AdminActivityEntry[] =>
  told.map((each, place) => {
    const [device = '', what = ''] = each.split(' ', 2)
    const kind = what.startsWith('!') ? 'detection' : 'state'
    return { id: `e${place}`, at: -place, kind, subject: 'device', subjectId: device, name: device, what, cause: UNIT }
  })

/** What each row tells, and how many entries it stands for. */
const rows = (told: readonly AdminActivityEntry[]): readonly string[] =>
  folded(told).map(([{ subjectId, what }, ...earlier]) => `${subjectId} ${what} ${earlier.length + 1}`)

test('the same of the same subject is one row until something else happens', () => {
  expect(rows(entries('lamp on', 'lamp on', 'lamp off', 'lamp on'))).toEqual(['lamp on 2', 'lamp off 1', 'lamp on 1'])
  expect(rows(entries('lamp on', 'fan on', 'lamp on'))).toEqual(['lamp on 1', 'fan on 1', 'lamp on 1'])
})

test('what other sensors detect meanwhile keeps nothing apart, and what else happens does', () => {
  expect(rows(entries('hall !motion', 'study !motion', 'hall !motion', 'study !motion', 'hall !motion'))).toEqual([
    'hall !motion 3',
    'study !motion 2',
  ])
  expect(rows(entries('hall !motion', 'lamp on', 'hall !motion', 'hall !motion'))).toEqual([
    'hall !motion 1',
    'lamp on 1',
    'hall !motion 2',
  ])
  expect(rows(entries('door !opened', 'hall !motion', 'door !closed', 'door !opened'))).toEqual([
    'door !opened 1',
    'hall !motion 1',
    'door !closed 1',
    'door !opened 1',
  ])
})

test('nothing is lost, and what somebody else is behind stands alone', () => {
  const [one, two] = entries('lamp on', 'lamp on')
  const by = { ...two!, cause: { source: 'person', name: 'Anna' } } as const
  expect(folded([one!, by])).toEqual([[one], [by]])
  expect(folded([one!, two!])).toEqual([[one, two]])
  expect(folded([])).toEqual([])
})
