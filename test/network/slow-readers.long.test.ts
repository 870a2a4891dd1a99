// @module-tag long
import { expect, test } from 'vitest'
import { SLOW_READERS_MIB_MAX, slowReaders } from '../../bench/slow-readers.ts'

test('200 clients that do not read stay within their memory limit in a busy home of 100 units', async () => {
  expect(await slowReaders()).toBeLessThanOrEqual(SLOW_READERS_MIB_MAX)
}, 120_000)
