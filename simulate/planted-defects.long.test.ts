// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { folderInMemory } from './batch.ts'
import { NO_DEFECT } from './world/planted-defect.ts'
import { DEFECTS } from './planted-defects.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(folderInMemory(), 'planted-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Virtual days of a history that reveals a defect. */
const DAYS = 2

/**
 * The invariant that finds each defect, and the first seed whose history reveals it. After a change of the simulation,
 * `npm run simulate -- --plant NAME` finds another seed.
 */
const FOUND_BY: readonly (readonly [defect: string, invariant: string, seed: number])[] = [
  ['wrong-clock-forgets', 'kept', 15],
  ['opens-unasked', 'opened', 3],
  ['changes-in-pieces', 'durable', 2],
  ['not-synced', 'durable', 1],
  ['refused-but-made', 'durable', 2],
  ['records-twice', 'recorded', 1],
  ['forgets-causes', 'recorded', 1],
  ['hears-badly', 'cached', 11],
  ['runs-again', 'once', 62],
  ['trusts-clocks', 'once', 95],
  ['shows-all', 'hidden', 1],
  ['remembers-keys', 'admitted', 3],
  ['tells-how-much', 'same', 5],
  ['seldom-copies', 'copied', 1],
  ['forgets-missed', 'once', 4],
  ['keeps-outbox', 'bounded', 1],
  ['loses-replies', 'answered', 1],
  ['leaves-timers', 'bounded', 1],
  ['keeps-answers', 'bounded', 1],
  ['fails-hearing', 'quiet', 1],
  ['refuses-undeclared', 'declared', 1],
  ['reads-nothing-new', 'current', 1],
  ['keeps-states', 'replaced', 2],
  ['keeps-readings', 'replaced', 4],
  ['keeps-settings', 'replaced', 2],
  ['explains-old-units', 'replaced', 2],
  ['keeps-counters', 'billed', 2],
  ['counts-gangs-twice', 'billed', 2],
]

describe('planted defects', () => {
  test('are all listed here', () => {
    expect([...DEFECTS.keys()]).toEqual(FOUND_BY.map(([defect]) => defect))
  })

  test.each(FOUND_BY)('are found: %s by the invariant "%s"', async (name, invariant, seed) => {
    const { violation } = await run({ seed, days: DAYS, folder, defect: DEFECTS.get(name) ?? NO_DEFECT })
    expect(violation?.invariant).toBe(invariant)
  })
})
