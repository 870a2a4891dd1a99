import { expect, test } from 'vitest'
import { countedStatus } from './metrics.ts'

test('unusual statuses are counted by their class, so that a hostile gateway cannot add many rows', () => {
  const all = Array.from({ length: 500 }, (_, offset) => countedStatus(100 + offset))
  expect(new Set(all).size).toBeLessThan(40)
  expect([0, 101, 200, 404, 503, 418, 299, 599].map(countedStatus)).toEqual([
    ...['0', '101', '200', '404', '503'],
    ...['4xx', '2xx', '5xx'],
  ])
})
