// @module-tag long
import { expect, test } from 'vitest'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** Pairs of starts; `HM_TEST_PAIRS` sets another number. */
const PAIRS = Number(process.env['HM_TEST_PAIRS'] ?? 20)

test('two starts at the same moment on one new folder: one runs, the other is refused', async () => {
  for (let turn = 0; turn < PAIRS; turn++) {
    const dataDir = tempFolder()
    const both = await Promise.allSettled([GatewayProcess.start({ dataDir }), GatewayProcess.start({ dataDir })])
    const [first, ...others] = both.filter((start) => start.status === 'fulfilled').map((start) => start.value)
    await using _ = first!
    expect(others).toEqual([])
    expect(String(both.find((start) => start.status === 'rejected')!.reason)).toContain(
      `A gateway already runs on the data folder ${dataDir}`,
    )
    expect(await first!.admin.call('GET', '/status')).toMatchObject({ port: first!.port })
  }
})
