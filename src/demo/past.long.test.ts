// @module-tag long
import { afterAll, expect, test } from 'vitest'
import { closePasts, type DemoPast, demoPast } from '#support/homes/demo-past.ts'

afterAll(closePasts)

test('the past of the demo house depends only on the seed', async () => {
  const [one, same, other] = await Promise.all(['demo', 'demo', 'another'].map((seed) => demoPast(seed)))
  const entriesOf = (past: DemoPast | undefined) => past?.entries.map((entry) => ({ ...entry, id: '' }))
  expect(entriesOf(same)).toEqual(entriesOf(one))
  expect(entriesOf(other)).not.toEqual(entriesOf(one))
})
