import { expect, test } from 'vitest'
import { countedStatus } from './metrics.ts'

test('statuses that only a hostile gateway gives are counted by their class, so that rows stay few', () => {
  const all = Array.from({ length: 500 }, (_, at) => countedStatus(100 + at))
  expect(new Set(all).size).toBeLessThan(40)
  expect([0, 101, 200, 404, 503, 418, 299, 599].map(countedStatus)).toEqual([
    ...['0', '101', '200', '404', '503'],
    ...['4xx', '2xx', '5xx'],
  ])
})
