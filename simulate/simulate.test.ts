import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { times } from '#support/long.ts'
import { folderInMemory } from './batch.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(folderInMemory(), 'simulate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const seeds = Array.from({ length: times(2, 40) }, (_, index) => index + 1)
const DAYS = times(0.4, 2)

describe('simulated homes', () => {
  test.each(seeds)('hold to what must always be so: seed %i', async (seed) => {
    expect((await run({ seed, days: DAYS, folder })).violation).toBeNull()
  })

  test('are the same run each time, to the byte', async () => {
    const [first, second] = [await run({ seed: 7, days: 0.4, folder }), await run({ seed: 7, days: 0.4, folder })]
    expect(second.hash).toBe(first.hash)
    expect(first.hash).not.toBe((await run({ seed: 8, days: 0.4, folder })).hash)
  })
})
