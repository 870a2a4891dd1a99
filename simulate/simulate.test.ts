// @module-tag repeated
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { LONG, times } from '#support/long.ts'
import { folderInMemory } from './batch.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(folderInMemory(), 'simulate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every fifth home has a replica. */
const seeds = LONG ? Array.from({ length: 30 }, (_, index) => index + 1) : [5]
const DAYS = times(0.08, 2)

describe('simulated homes', () => {
  test.each(seeds)('satisfy all invariants: seed %i', async (seed) => {
    expect((await run({ seed, days: DAYS, folder })).violation).toBeNull()
  })

  test('run the same way each time, to the byte', async () => {
    const days = times(0.03, 0.4)
    const [first, second] = [await run({ seed: 7, days, folder }), await run({ seed: 7, days, folder })]
    expect(second.hash).toBe(first.hash)
    expect(first.hash).not.toBe((await run({ seed: 8, days, folder })).hash)
  })
})
