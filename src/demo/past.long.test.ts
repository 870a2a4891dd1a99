// @module-tag long
import { afterAll, expect, test } from 'vitest'
import { closePasts, type DemoPast, demoPast, pastOf } from '#support/homes/demo-past.ts'
import { generateHouse } from './generate-house.ts'

afterAll(closePasts)

test('the past of the demo house depends only on the seed', async () => {
  const [one, same, other] = await Promise.all(['demo', 'demo', 'another'].map((seed) => demoPast(seed)))
  const entriesOf = (past: DemoPast | undefined) => past?.entries.map((entry) => ({ ...entry, id: '' }))
  expect(entriesOf(same)).toEqual(entriesOf(one))
  expect(entriesOf(other)).not.toEqual(entriesOf(one))
})

test('the past of a house of 300 units stores every row', async () => {
  const { history } = await pastOf(JSON.stringify(generateHouse(300, 1).file), 'demo')
  const { written, shed, failed } = history.writer.counts
  expect(written).toBeGreaterThan(500_000)
  expect([shed, failed]).toEqual([0, 0])
})
