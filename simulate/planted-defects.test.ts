// @module-tag repeated
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { LONG } from '#support/long.ts'
import { folderInMemory } from './batch.ts'
import { type PlantedDefect, NO_DEFECT } from './world/planted-defect.ts'
import { DEFECTS } from './planted-defects.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(folderInMemory(), 'planted-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The shortest history that reveals a defect: one act of a home. */
interface Short {
  readonly seed: number
  readonly act: number
  readonly days: number
}

/** The invariant that finds each defect, and the history that `npm test` runs, or null. */
const FOUND_BY: readonly (readonly [defect: string, invariant: string, short: Short | null])[] = [
  ['wrong-clock-forgets', 'kept', { seed: 32, act: 81, days: 2 }],
  ['opens-unasked', 'opened', { seed: 3, act: 58, days: 1.55 }],
  ['changes-in-pieces', 'durable', { seed: 2, act: 37, days: 1.35 }],
  ['not-synced', 'durable', null],
  ['refused-but-made', 'durable', { seed: 2, act: 37, days: 1.35 }],
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
  ['refuses-undeclared', 'declared', { seed: 2, act: 6, days: 0.25 }],
  ['reads-nothing-new', 'current', { seed: 1, act: 5, days: 0.35 }],
  ['keeps-states', 'replaced', { seed: 2, act: 6, days: 0.25 }],
  ['keeps-readings', 'replaced', null],
  ['keeps-settings', 'replaced', { seed: 2, act: 6, days: 0.25 }],
  ['explains-old-units', 'replaced', { seed: 3, act: 10, days: 0.45 }],
  ['keeps-counters', 'billed', null],
  ['counts-gangs-twice', 'billed', null],
]

const SEEDS_MAX = 80

async function firstFound(defect: PlantedDefect) {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { violation } = await run({ seed, days: 2, folder, defect })
    if (violation !== null) return violation
  }
  return null
}

async function foundBy(defect: PlantedDefect, { seed, act, days }: Short) {
  return (await run({ seed, days, folder, defect, only: new Set([act]) })).violation
}

describe('planted defects', () => {
  test('are all listed here', () => {
    expect([...DEFECTS.keys()]).toEqual(FOUND_BY.map(([defect]) => defect))
  })

  const tried = FOUND_BY.filter(([, , short]) => LONG || short !== null)
  test.each(tried)('are found: %s by the invariant "%s"', async (name, invariant, short) => {
    const defect = DEFECTS.get(name) ?? NO_DEFECT
    const found = LONG || short === null ? await firstFound(defect) : await foundBy(defect, short)
    expect(found?.invariant).toBe(invariant)
  })
})
