// @module-tag repeated
import { expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { EDIT_DEVICES_MAX, FIRST_EDIT, type SceneEdits, withEdit } from './house.ts'

const edited = (
  from: readonly SceneEdits[],
  ...devices: readonly (readonly string[] | null)[]
): readonly SceneEdits[] => devices.reduce(withEdit, from)

test('edits of the same devices are counted in any order of names; the latest edit comes last', () => {
  expect(edited([FIRST_EDIT], ['a', 'b'], ['c'], ['b', 'a'])).toEqual([
    FIRST_EDIT,
    { devices: ['c'], count: 1 },
    { devices: ['a', 'b'], count: 2 },
  ])
  expect(edited([FIRST_EDIT], ['a'], null)).toEqual([
    { devices: ['a'], count: 1 },
    { devices: null, count: 2 },
  ])
})

test("edits name at most a bounded number of devices, including the last edit's", () => {
  const device = (at: number): string => `device-${at}`
  let edits: readonly SceneEdits[] = [FIRST_EDIT]
  for (let at = 0; at < times(800, 2_000); at++) {
    edits = withEdit(edits, [device(at % 700), device((at * 7) % 700), device((at * 13) % 300)])
    expect(edits.flatMap(({ devices }) => devices ?? []).length).toBeLessThanOrEqual(EDIT_DEVICES_MAX)
    expect(edits.at(-1)?.devices).toContain(device(at % 700))
  }
  const many = Array.from({ length: EDIT_DEVICES_MAX + 1 }, (_, at) => device(at))
  expect(withEdit(edits, many).map(({ count }) => count)).toEqual([1])
})
