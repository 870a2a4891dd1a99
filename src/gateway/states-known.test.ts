import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { type HomeEvent, GATEWAY_CAUSE } from '../home/model/events.ts'
import { Emitter } from '../lib/emitter.ts'
import { runWhenStatesKnown, SETTLE_MS } from './home.ts'

const LAMP: HomeEvent = {
  kind: 'state',
  device: 'lamp',
  state: { on: true, mode: 'manual' },
  previous: null,
  changed: true,
  trigger: 'sync',
  cause: GATEWAY_CAUSE,
  asOf: 0,
}
const SENSOR: HomeEvent = {
  kind: 'readings',
  device: 'sensor',
  readings: { temperature: 21 },
  previous: null,
  changed: true,
  asOf: 0,
}

/** A home whose units report on command; `runs` counts the calls of the waiting function. */
function waiting() {
  const clock = new ManualClock()
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const live = { settled: false }
  const home = { clock, events, live, runs: 0, stop: () => {} }
  home.stop = runWhenStatesKnown(live, events, clock, () => {
    home.runs += 1
  })
  return home
}

test.each([
  ['a state', LAMP],
  ['readings, which are all that a sensor or meter has', SENSOR],
])('runs as soon as the last unit has reported %s, and only once', (_, last) => {
  const home = waiting()
  home.events.emit(LAMP)
  home.events.emit(SENSOR)
  expect(home.runs).toBe(0)
  home.live.settled = true
  home.events.emit(last)
  expect(home.runs).toBe(1)
  home.events.emit(last)
  home.clock.advance(2 * SETTLE_MS)
  expect(home.runs).toBe(1)
})

test('events without a report of a unit change nothing', () => {
  const home = waiting()
  home.live.settled = true
  home.events.emit({ kind: 'link', down: null, at: 0 })
  home.events.emit({ kind: 'structure', cause: GATEWAY_CAUSE, at: 0 })
  expect(home.runs).toBe(0)
})

test('silent units delay it by five seconds, and no longer', () => {
  const home = waiting()
  home.clock.advance(SETTLE_MS - 1)
  expect(home.runs).toBe(0)
  home.clock.advance(1)
  expect(home.runs).toBe(1)
  home.live.settled = true
  home.events.emit(LAMP)
  expect(home.runs).toBe(1)
})

test('it does not run after it was cancelled', () => {
  const home = waiting()
  home.stop()
  home.live.settled = true
  home.events.emit(SENSOR)
  home.clock.advance(2 * SETTLE_MS)
  expect([home.runs, home.clock.waiting]).toEqual([0, 0])
})
