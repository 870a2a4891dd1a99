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

/** The check on a home that has only its activity. */
function checked(): { rows: object[]; switched: () => void; compare: () => void } {
  const rows: object[] = []
  let emit: (event: HomeEvent) => void = () => {}
  const world = {
    running: true,
    troubled: () => false,
    watch: ({ event }: { event: typeof emit }) => void (emit = event),
    life: { files: { stores: { history: { activity: { iterate: () => rows } } } } },
  } as unknown as World
  const check = recorded(world)
  return { rows, switched: () => emit(SWITCHED), compare: () => check.afterAct?.() }
}

const row = (id: string): object => ({
  id,
  kind: 'state',
  at: AT,
  subject: { kind: 'device', id: 'lamp' },
  cause: CAUSE,
})

test('two changes in the same millisecond, repeated by a corrected clock, have a row each', () => {
  const { rows, switched, compare } = checked()
  for (const id of ['first', 'again']) {
    rows.push(row(id))
    switched()
    compare()
  }
  switched()
  expect(compare).toThrow(Violation)
})

test('two rows for one change, and no row, are violations', () => {
  for (const ids of [['first', 'second'], []]) {
    const { rows, switched, compare } = checked()
    rows.push(...ids.map(row))
    switched()
    expect(compare).toThrow(Violation)
  }
})
