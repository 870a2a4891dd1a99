// @module-tag long
import { expect, test } from 'vitest'
import { SLOW_READERS_MIB_MAX, slowReaders } from '../../bench/slow-readers.ts'

test('200 listeners that do not read cost no more than their bound, while everything in a home of 100 units changes', async () => {
  expect(await slowReaders()).toBeLessThanOrEqual(SLOW_READERS_MIB_MAX)
}, 120_000)
