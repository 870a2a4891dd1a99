// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { type Access, HttpCaller } from '#support/gateway/callers.ts'
import { proves, type TestRequest } from '#support/gateway/verifies.ts'
import { Reader, Writer } from '#support/relay/load.ts'
import { natsCluster } from '#support/relay/nats-cluster.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import { onTwoNodes, type ThreeNodes, threeNodes } from '#support/relay/three-nodes.ts'

/** Kills of each server. */
const ROUNDS = 3
const READ_EACH_MS = 80
const WRITE_EACH_MS = 300
/** Recovery after a kill: one of the other two leads, and nodes are connected to them. */
const BACK_MS = 30_000
const MINUTES_15 = 900_000

const client = { redirect_uris: ['https://agents.example/callback'], token_endpoint_auth_method: 'none' }

let strangers = 0

/** A new client address each time, because one address may register ten clients an hour. */
function bySomebodyElse({ nodes, access }: Pick<ThreeNodes, 'nodes' | 'access'>): Access {
  strangers += 1
  const { port } = nodes[strangers % nodes.length]!
  const from = `127.1.${strangers >> 8}.${strangers & 255}`
  return { ...access, url: `https://127.0.0.1:${port}`, token: null, from }
}

/** Registers an OAuth client until NATS stores it; returns its id and the time taken. */
async function storeClient(world: ThreeNodes): Promise<{ readonly id: string; readonly tookMs: number }> {
  const since = performance.now()
  for (;;) {
    await using caller = new HttpCaller(bySomebodyElse(world))
    const made = await caller.send('POST', '/register', { body: client }).catch(() => null)
    if (made?.status === 201)
      return { id: (made.body as { client_id: string }).client_id, tookMs: performance.now() - since }
    await wait(20)
  }
}

/** True if a node knows an OAuth client; the response to an unknown one says so. */
async function isKnown(url: string, access: ThreeNodes['access'], id: string): Promise<boolean> {
  await using caller = new HttpCaller({ ...access, url, token: null })
  const { text } = await caller.send('GET', `/authorize?client_id=${id}`, { body: undefined })
  return !text.includes('invalid_client') && !text.includes('client is invalid')
}

function scenes(access: ThreeNodes['access']): Writer {
  let number = 0
  return new Writer(
    access,
    (): [string, TestRequest] => {
      number += 1
      const name = `Scene ${number}`
      return [name, { method: 'POST', path: '/v1/scenes', body: { name, steps: [] } }]
    },
    WRITE_EACH_MS,
  )
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

describe.skipIf(!HAS_NATS)('three nodes over three NATS servers under load (needs nats-server)', () => {
  proves(
    ['relay.nats-example', 'relay.without-nats'],
    'servers are killed repeatedly: no data and no change is lost or doubled, and homes are served',
    { timeout: MINUTES_15 },
    async () => {
      const { servers, creds } = await natsCluster()
      const world = await threeNodes({
        HM_RELAY_NATS: servers.map(({ url }) => url).join(','),
        HM_RELAY_NATS_CREDS: creds,
        HM_RELAY_NATS_REPLICAS: '3',
      })
      const { home, nodes, access } = world
      await onTwoNodes(world)
      const readers = Array.from({ length: 4 }, () => new Reader(access, READ_EACH_MS))
      const writer = scenes(access)
      const clients: string[] = []
      const keptMs: number[] = []
      const againMs: number[] = []
      for (let kills = 0; kills < ROUNDS * servers.length; kills += 1) {
        const server = servers[kills % servers.length]!
        await wait(1_000)
        const since = performance.now()
        await server.kill()
        const { id, tookMs } = await storeClient(world)
        clients.push(id)
        keptMs.push(tookMs)
        await wait(2_000)
        againMs.push(Math.max(...readers.map((reader) => reader.answeredAgain(since, performance.now()))))
        server.start()
        // The server catches up before the next kill, because two of three must have all data.
        await wait(3_000)
        await storeClient(world)
      }
      for (const worker of [writer, ...readers]) await worker.stop()
      for (const { port } of nodes)
        for (const id of clients)
          expect(await isKnown(`https://127.0.0.1:${port}`, access, id), `${id} at ${port}`).toBe(true)
      const { scenes: there } = await home.get('/v1/scenes')
      const names = (there as { name: string }[]).map(({ name }) => name)
      for (const [name, status] of writer.changes) {
        const count = names.filter((worker) => worker === name).length
        expect(count, `${name}: ${status}`).toBe(status === 201 ? 1 : Math.min(count, 1))
      }
      const tries = readers.flatMap((reader) => reader.tries)
      const failed = tries.filter(({ status }) => status !== 200)
      expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(failed.length > 0 ? [503] : []))
      console.log(
        `${keptMs.length} kills: stored again after ${median(keptMs).toFixed(0)} ms (median), ${Math.max(...keptMs).toFixed(0)} ms (worst); ` +
          `answered again after ${median(againMs).toFixed(0)} ms (median), ${Math.max(...againMs).toFixed(0)} ms (worst); ` +
          `${tries.length} reads, ${failed.length} of them 503; ${writer.changes.size} changes, ` +
          `${[...writer.changes.values()].filter((status) => status !== 201).length} of them refused.`,
      )
      expect(Math.max(...keptMs, ...againMs)).toBeLessThan(BACK_MS)
    },
  )
})
