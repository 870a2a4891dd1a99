import { expect, test } from 'vitest'
import type { HomeEvent } from '../../src/home/model/events.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import { recorded } from './recorded.ts'

const AT = 1_000
const CAUSE = { source: 'schedule', name: 'Evening', ref: 'evening' } as const
const SWITCHED = {
  kind: 'state',
  device: 'lamp',
  asOf: AT,
  at: AT,
  changed: true,
  previous: { on: false },
  state: { on: true },
  trigger: 'command',
  cause: CAUSE,
} as unknown as HomeEvent

/** The check over a home of which only the activity is there. */
function checked(): { rows: object[]; switched: () => void; compare: () => void } {
  const rows: object[] = []
  let hear: (event: HomeEvent) => void = () => {}
  const world = {
    running: true,
    troubled: () => false,
    watch: ({ event }: { event: typeof hear }) => void (hear = event),
    life: { files: { stores: { history: { activity: { each: () => rows } } } } },
  } as unknown as World
  const check = recorded(world)
  return { rows, switched: () => hear(SWITCHED), compare: () => check.afterAct?.() }
}

const row = (id: string): object => ({
  id,
  kind: 'state',
  at: AT,
  subject: { kind: 'device', id: 'lamp' },
  cause: CAUSE,
})

test('a change that comes again in the same millisecond, since the clock was ahead, has a row of its own', () => {
  const { rows, switched, compare } = checked()
  for (const id of ['first', 'again']) {
    rows.push(row(id))
    switched()
    compare()
  }
  switched()
  expect(compare).toThrow(Violation)
})

test('two rows for one change, and none, are found', () => {
  for (const ids of [['first', 'second'], []]) {
    const { rows, switched, compare } = checked()
    rows.push(...ids.map(row))
    switched()
    expect(compare).toThrow(Violation)
  }
})
