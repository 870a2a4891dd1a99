import { expect, test } from 'vitest'
import type { AdminActivityEntry } from '../../console/src/lib/admin-contract.ts'
import { groupEntries } from '../../console/src/pages/activity/folded-activity.ts'

const UNIT = { source: 'unit', name: 'unit' } as const

/** Entries from texts like `lamp on`, the newest first. An event that begins with `!` is a detection. */
const entries = (...texts: readonly string[]): readonly AdminActivityEntry[] =>
  texts.map((text, index) => {
    const [device = '', what = ''] = text.split(' ', 2)
    const kind = what.startsWith('!') ? 'detection' : 'state'
    return { id: `e${index}`, at: -index, kind, subject: 'device', subjectId: device, name: device, what, cause: UNIT }
  })

/** Text and number of entries of every row. */
const rows = (newestFirst: readonly AdminActivityEntry[]): readonly string[] =>
  groupEntries(newestFirst).map(([{ subjectId, what }, ...earlier]) => `${subjectId} ${what} ${earlier.length + 1}`)

test('equal entries of one subject form one row until something else happens', () => {
  expect(rows(entries('lamp on', 'lamp on', 'lamp off', 'lamp on'))).toEqual(['lamp on 2', 'lamp off 1', 'lamp on 1'])
  expect(rows(entries('lamp on', 'fan on', 'lamp on'))).toEqual(['lamp on 1', 'fan on 1', 'lamp on 1'])
})

test('detections of other sensors do not split a row, but other events do', () => {
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

test('no entry is lost, and entries with another cause stay separate', () => {
  const [one, two] = entries('lamp on', 'lamp on')
  const by = { ...two!, cause: { source: 'person', name: 'Anna' } } as const
  expect(groupEntries([one!, by])).toEqual([[one], [by]])
  expect(groupEntries([one!, two!])).toEqual([[one, two]])
  expect(groupEntries([])).toEqual([])
})
