import { expect, test } from 'vitest'
import type { PhysicalUnit } from '../world/physical-units.ts'
import type { Tenure } from '../world/expected-state.ts'
import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import { replaced } from './replaced.ts'

const MINUTE = 60_000
const REPLACED_AT = 10 * MINUTE
const NOW = 20 * MINUTE

type Reported = readonly { readonly on: boolean; readonly at: number }[]

/** The check on a home whose u11 was replaced, with one run of an automation. */
function checked(reported: Reported, run: { readonly at: number; readonly trigger: object }): () => void {
  const physical = {
    statesSince: (_: number | null, since: number) => reported.filter(({ at }) => at >= since),
  } as unknown as PhysicalUnit
  const [from, fromWall] = [REPLACED_AT, REPLACED_AT]
  const tenure = { id: 'u11', fact: { address: 41 }, physical, from, fromWall, begunBy: 'edit', order: 2 } as Tenure
  const entry = { id: '1', kind: 'run', at: run.at, data: { trigger: { device: 'u11', state: 'on', ...run.trigger } } }
  const world = {
    running: true,
    now: NOW,
    clock: { now: () => NOW },
    troubles: new Map(),
    troubled: () => false,
    lookAtUnits: () => {},
    tenures: { current: () => tenure, of: () => [tenure] },
    answering: { watch: () => {} },
    watch: () => {},
    life: { files: { stores: { history: { activity: { iterate: () => [entry] } } } } },
  } as unknown as World
  const check = replaced(world)
  return () => check.afterAct?.()
}

test('a run by the previous unit is a violation, and a run by the new unit is none', () => {
  const run = { at: REPLACED_AT + MINUTE, trigger: { is: true } }
  expect(checked([{ on: true, at: REPLACED_AT - MINUTE }], run)).toThrow(Violation)
  expect(checked([{ on: false, at: REPLACED_AT + MINUTE }], run)).toThrow(Violation)
  expect(checked([{ on: true, at: REPLACED_AT + MINUTE }], run)).not.toThrow()
})

test('a trigger with a duration does not count the time of the previous unit', () => {
  const reported = [{ on: false, at: REPLACED_AT + 1 }]
  const trigger = { is: false, for: 90 }
  expect(checked(reported, { at: REPLACED_AT + MINUTE, trigger })).toThrow(Violation)
  expect(checked(reported, { at: REPLACED_AT + 2 * MINUTE, trigger })).not.toThrow()
})
