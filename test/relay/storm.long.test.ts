// @module-tag long
import { expect, onTestFinished, test } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import { freePort } from '#support/free-port.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { madeUpToken } from '../../bench/made-up-home.ts'
import { homesFrom, linkHomes, startRelay } from '../../bench/relayed-gateway.ts'

const HOMES = 2_000
const KILLS = 3
const BACK_WITHIN_MS = 60_000

interface Back {
  /** Number of linked homes at each look. */
  readonly looks: readonly { readonly ms: number; readonly count: number }[]
}

test('2,000 homes whose relay is killed reconnect within a minute at most, and it serves meanwhile', async () => {
  const [data, port] = [tempFolder(), await freePort()]
  await linkHomes(data, HOMES)
  const took: number[] = []
  let relay = await startRelay(port, data)
  const homes = await homesFrom(0, HOMES, relay.facts)
  onTestFinished(async () => {
    for (const home of homes) await home.stop()
    await relay.stop()
  })
  for (let kills = 0; kills < KILLS; kills += 1) {
    process.kill(relay.pid, 'SIGKILL')
    await processEnd(relay.pid)
    relay = await startRelay(port, data)
    const { looks } = await relay.ask<Back>({ holding: HOMES })
    const tookMs = (looks.at(-1)?.ms ?? 0) - (looks[0]?.ms ?? 0)
    const half = looks.find(({ count }) => count >= HOMES / 2)
    console.info(
      `${HOMES} homes are back ${(tookMs / 1_000).toFixed(1)} s after the relay, half of them after ${(((half?.ms ?? 0) - (looks[0]?.ms ?? 0)) / 1_000).toFixed(1)} s.`,
    )
    took.push(tookMs)
    for (const home of [0, HOMES / 2, HOMES - 1]) {
      const access = { url: `https://localhost:${port}`, ca: relay.facts.ca, token: madeUpToken(home) }
      await using through = new HttpCaller(access)
      expect(await through.send('GET', '/v1/house', { body: undefined })).toMatchObject({ status: 200 })
    }
  }
  expect(Math.max(...took)).toBeLessThanOrEqual(BACK_WITHIN_MS)
})

/** Resolves when the process has ended. */
async function processEnd(pid: number): Promise<void> {
  const isThere = (): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (isThere()) await new Promise(setImmediate)
}
