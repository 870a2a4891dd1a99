import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { LONG } from '#support/long.ts'
import { folderInMemory } from './batch.ts'
import { PLANTS, SOUND } from './plants.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(folderInMemory(), 'planted-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Which invariant finds each defect, and the seed of `npm test`, where there is one. */
const FOUND_BY: readonly (readonly [plant: string, invariant: string, seed: number | null])[] = [
  ['wrong-clock-forgets', 'kept', null],
  ['opens-unasked', 'opened', null],
  ['changes-in-pieces', 'durable', 1],
  ['not-synced', 'durable', null],
  ['refused-but-made', 'durable', null],
  ['records-twice', 'recorded', null],
  ['forgets-causes', 'recorded', null],
  ['hears-badly', 'cached', null],
  ['runs-again', 'once', null],
  ['trusts-clocks', 'once', null],
  ['shows-all', 'hidden', null],
  ['remembers-keys', 'admitted', null],
  ['tells-how-much', 'same', null],
  ['seldom-copies', 'copied', null],
  ['forgets-missed', 'once', null],
  ['keeps-outbox', 'bounded', null],
  ['loses-replies', 'answered', null],
  ['leaves-timers', 'bounded', null],
  ['keeps-answers', 'bounded', null],
  ['fails-hearing', 'quiet', null],
  // Found while a cover is on its way, which then never arrives: the run ends all the same.
  ['refuses-undeclared', 'declared', 19],
]

const SEEDS_MAX = 80

async function firstFound(name: string, from: number, to: number) {
  for (let seed = from; seed <= to; seed++) {
    const { violation } = await run({ seed, days: 2, folder, plant: PLANTS.get(name) ?? SOUND })
    if (violation !== null) return violation
  }
  return null
}

describe('planted defects', () => {
  test('are all listed here', () => {
    expect([...PLANTS.keys()]).toEqual(FOUND_BY.map(([plant]) => plant))
  })

  const tried = FOUND_BY.filter(([, , seed]) => LONG || seed !== null)
  test.each(tried)('are found: %s by the invariant "%s"', async (plant, invariant, seed) => {
    const found = LONG ? await firstFound(plant, 1, SEEDS_MAX) : await firstFound(plant, seed ?? 1, seed ?? 1)
    expect(found?.invariant).toBe(invariant)
  })
})
