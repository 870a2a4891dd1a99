// @module-tag repeated
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { times } from '#support/long.ts'
import { clientsOf, registered } from '#support/relay/clients-of.ts'
import { HostileTunnel } from '#support/relay/hostile-home.ts'
import { freePort } from '#support/free-port.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { madeUpToken } from '../../bench/made-up-home.ts'
import { homesFrom, linkHomes, startRelay } from '../../bench/relayed-gateway.ts'

const SEED = Number(process.env['HM_TEST_SEED'] ?? Date.now() % 1e9)
const TUNNELS = times(5, 500)
const [GOOD, BAD] = [0, 1]
/** A home's missing responses end with its tunnel, so late effects are awaited this long. */
const LINGERS_MS = 500

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

describe(`a linked home that sends hostile bytes, seed ${SEED}`, () => {
  proves('relay.hostile-home', 'ends only its own tunnel', async () => {
    console.info(`HM_TEST_SEED=${SEED}`)
    const [port, data] = [await freePort(), tempFolder()]
    await linkHomes(data, 2)
    const relay = await startRelay(port, data)
    const [home] = await homesFrom(GOOD, GOOD + 1, relay.facts)
    onTestFinished(async () => {
      await home?.stop()
      await relay.stop()
    })
    const door = { url: `https://localhost:${port}`, ca: relay.facts.ca }
    const headers = { authorization: `Bearer ${madeUpToken(GOOD)}` }
    const other = async (): Promise<number> => (await rawRequest(door, { path: '/v1/house', headers })).status
    const client = await registered(door)
    expect(await other()).toBe(200)
    const before = descriptors(relay.pid)
    let [linked, answered] = [0, 0]
    for (let number = 0; number < TUNNELS; number += 1) {
      const tunnel = new HostileTunnel({ number: BAD, port, ca: door.ca, seed: SEED + number })
      if (await tunnel.linked) linked += 1
      const clients = clientsOf(door, BAD, client)
      const others = Promise.all([other(), other()])
      await Promise.race([clients, pause(LINGERS_MS)])
      tunnel.end()
      answered += await clients
      expect(await others).toEqual([200, 200])
    }
    console.info(`${linked} tunnels of ${TUNNELS} were linked; ${answered} clients of theirs had an answer.`)
    // A home may be linked again before the relay notices the end of its last tunnel.
    expect(linked).toBeGreaterThan(TUNNELS * 0.9)
    expect(answered).toBeGreaterThan(TUNNELS)
    while (descriptors(relay.pid) > before) await pause(100)
    expect(await other()).toBe(200)
  })
})
