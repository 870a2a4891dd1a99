import { createHistogram } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { delays, LoopDelay, RESOLUTION_MS } from './metrics.ts'

/** Node's records: the milliseconds from one look to the next. */
const minuteOf = (...looks: readonly { readonly ms: number; readonly times: number }[]) => {
  const histogram = createHistogram()
  for (const { ms, times } of looks) for (let at = 0; at < times; at += 1) histogram.record(ms * 1e6)
  return delays(histogram).map(({ labels, value }) => [labels?.['share'], Number(value.toFixed(1))])
}

test('five stalls of two seconds are a sixth of a minute, despite few samples', () => {
  const quiet = { ms: RESOLUTION_MS, times: 500 }
  expect(minuteOf(quiet, { ms: 2_000, times: 5 })).toEqual([
    [0.5, 0],
    [0.99, 1.9],
    [1, 1.9],
  ])
  expect(minuteOf(quiet, { ms: 400, times: 1 })).toEqual([
    [0.5, 0],
    [0.99, 0],
    [1, 0.3],
  ])
  expect(minuteOf({ ms: 1_000, times: 60 })).toEqual([
    [0.5, 0.9],
    [0.99, 0.9],
    [1, 0.9],
  ])
})

test('before the first sample there is no delay', () => {
  expect(minuteOf()).toEqual([
    [0.5, 0],
    [0.99, 0],
    [1, 0],
  ])
})

test('the delay is measured while somebody reads the metrics, so that it never wakes a home without readers', () => {
  const clock = new ManualClock()
  using delay = new LoopDelay(clock)
  const read = (): string[] => delay.metrics.map((metric) => metric.text())
  expect(clock.waiting).toBe(0)
  expect(read()[0]).toContain('hm_event_loop_delay_seconds{share="0.99"} 0')
  for (let minutes = 0; minutes < 30; minutes += 10) {
    clock.advance(10 * 60_000)
    expect(clock.waiting).toBe(1)
    read()
  }
  clock.advance(11 * 60_000)
  expect(clock.waiting).toBe(0)
  read()
  expect(clock.waiting).toBe(1)
})
