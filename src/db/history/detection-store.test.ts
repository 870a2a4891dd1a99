// @module-tag repeated
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { times } from '#support/long.ts'
import type { DetectionPage, DetectionRecord } from '../../home/ports/history-store.ts'

const detections = fc.array(
  fc.record({
    unit: fc.constantFrom('hall', 'garage'),
    at: fc.integer({ min: 0, max: 20 }),
    kind: fc.constantFrom('motion' as const, 'door' as const),
    value: fc.boolean(),
  }),
  { maxLength: 80 },
)

test('paging returns every detection of a unit once, newest first, while new ones arrive', () => {
  fc.assert(
    fc.property(
      detections,
      fc.array(detections, { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (before, arriving, limit) => {
        const { detections: store, close } = history()
        for (const { unit, ...detection } of before) store.record(unit, detection)
        const got: DetectionRecord[] = []
        let cursor: string | null = null
        let later = 100
        do {
          const page: DetectionPage | null = store.page('hall', cursor, limit)
          got.push(...(page?.detections ?? []))
          cursor = page?.nextCursor ?? null
          for (const { unit, ...detection } of arriving.shift() ?? []) store.record(unit, { ...detection, at: later++ })
        } while (cursor !== null)
        const want = before
          .map(({ unit, ...detection }, n) => ({ unit, n, detection }))
          .filter((one) => one.unit === 'hall')
          .toSorted((a, b) => b.detection.at - a.detection.at || b.n - a.n)
        expect(got).toEqual(want.map((one) => one.detection))
        close()
      },
    ),
    { numRuns: times(20, 600) },
  )
})

test('a foreign cursor is recognized', () => {
  const { detections: store } = tempHistory()
  for (let at = 0; at < 5; at++) store.record('hall', { at, kind: 'motion', value: true })
  const cursor = store.page('hall', null, 2)?.nextCursor ?? ''
  expect(store.page('hall', cursor, 9)?.detections.map((one) => one.at)).toEqual([2, 1, 0])
  for (const bad of ['', 'x', `${cursor}x`, '!!!!!!!!!!!', cursor.replace(/.$/, '~'), `${cursor.slice(0, -1)}B`])
    expect(store.page('hall', bad, 2)).toBeNull()
})

test('a cursor contains nothing about other units', () => {
  const cursors = [0, 5].map((others) => {
    const { detections: store } = tempHistory()
    for (let n = 0; n < others; n++) store.record('garage', { at: 1, kind: 'motion', value: true })
    for (let n = 0; n < 3; n++) store.record('hall', { at: 1, kind: 'motion', value: true })
    return store.page('hall', null, 1)?.nextCursor
  })
  expect(cursors[1]).toBe(cursors[0])
})

test('the newest of several units inside a range', () => {
  const { detections: store } = tempHistory()
  for (let at = 0; at < 10; at++) store.record(at % 2 === 0 ? 'hall' : 'garage', { at, kind: 'motion', value: true })
  expect(store.between(['hall', 'garage', 'nowhere'], 3, 8, 3).map(({ unit, at }) => [unit, at])).toEqual([
    ['garage', 7],
    ['hall', 6],
    ['garage', 5],
  ])
  expect([...store.iterate(2, 6)].map(({ unit, at }) => [unit, at])).toEqual([
    ['garage', 3],
    ['garage', 5],
    ['hall', 2],
    ['hall', 4],
  ])
})

function history() {
  const db = tempHistory({ file: ':memory:' })
  return { detections: db.detections, close: () => db.close() }
}
