// @module-tag long
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { HttpCaller } from '#support/gateway/callers.ts'
import type { TestHome } from '#support/gateway/harness.ts'
import { proves, type TestRequest } from '#support/gateway/verifies.ts'
import { Follower, Reader, Writer } from '#support/relay/load.ts'
import { natsServer } from '#support/relay/nats-links.ts'
import { HAS_NATS } from '#support/relay/nats-server.ts'
import type { RelayAnswer } from '#support/relay/test-relay.ts'
import { onTwoNodes, type ThreeNodes, threeNodes } from '#support/relay/three-nodes.ts'

const KILLS = 20
/** Slow enough for the rate limit of one address, even if all requests reach one node. */
const READ_EACH_MS = 80
const DIMMERS = ['living-ceiling', 'living-lamp', 'bedroom-light']
const MINUTES_15 = 900_000
/** Most kills are over for clients within this time; longer waits are printed. */
const AGAIN_MS = 1_500
/** Load between a kill and the look at its readers. */
const LOAD_MS = 750
const SCENES = 240
const SCENE_EACH_MS = 600

/** All activity of the home since, by subject and outcome. */
async function activity(
  home: TestHome,
  from: number,
): Promise<readonly { device: string | null; what: string; to: number | null }[]> {
  const found: { device: string | null; what: string; to: number | null }[] = []
  for (let to: number | null = Date.now() + 86_400_000; to !== null;) {
    const page = await home.get(`/v1/activity?from=${from}&to=${to}&limit=200`)
    const entries = page['entries'] as { device: string | null; what: string; data?: { to?: { bri?: number } } }[]
    found.push(...entries.map(({ device, what, data }) => ({ device, what, to: data?.to?.bri ?? null })))
    to = (page['nextTo'] as number | null) ?? null
  }
  return found
}

/** Scenes with unique names; an integration makes a limited number and then reads them. */
function scenesBy({ access }: ThreeNodes): Writer {
  let number = 0
  const next = (): [string, TestRequest] => {
    number += 1
    const name = `Scene ${number}`
    return number < SCENES
      ? [name, { method: 'POST', path: '/v1/scenes', body: { name, steps: [] } }]
      : [`read ${number}`, { method: 'GET', path: '/v1/scenes' }]
  }
  return new Writer(access, next, SCENE_EACH_MS)
}

function controlsBy({ access, home }: ThreeNodes): Writer {
  let number = 0
  return new Writer(access, () => {
    const device = DIMMERS[number % DIMMERS.length] ?? ''
    // Dimmers set below 5 % stay at 5 %.
    const bri = 10 + (Math.floor(number / DIMMERS.length) % 90)
    number += 1
    const body = { op: 'set_brightness', args: { bri } }
    return [`${number} ${home.id(device)} ${bri}`, { method: 'POST', path: home.at(device, '/control'), body }]
  })
}

const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? Number.NaN

describe.skipIf(!HAS_NATS)('three nodes of a relay under load (needs nats-server)', () => {
  proves(
    'relay.node-killed',
    'nodes and NATS are killed repeatedly: no acknowledged change is lost or doubled, and streams resume',
    { timeout: MINUTES_15 },
    async () => {
      const nats = await natsServer()
      const world = await threeNodes({ HM_RELAY_NATS: nats.url, HM_RELAY_NATS_REPLICAS: '1' })
      const { nodes, start, home, access } = world
      await onTwoNodes(world)
      const begunAt = Date.now()
      const reference = new Follower({ ...home.access(home.main.token), token: home.main.token })
      while (reference.lastSeq === 0) await wait(20)
      const followers = Array.from({ length: 3 }, () => new Follower(access))
      const readers = Array.from({ length: 4 }, () => new Reader(access, READ_EACH_MS))
      const writers = [scenesBy(world), controlsBy(world)]
      const again: number[] = []
      const stoppedNodes = new Set<string>()

      const killOne = async (index: number): Promise<void> => {
        const node = nodes[index % nodes.length]!
        const before = await onTwoNodes(world, stoppedNodes)
        const killedAt = performance.now()
        await node.process.kill()
        await wait(LOAD_MS)
        const longest = (): number =>
          Math.max(...readers.map((reader) => reader.answeredAgain(killedAt, performance.now())))
        while (longest() === Infinity) await wait(20)
        again.push(longest())
        const { tunnels } = await home.running.admin.call<RelayAnswer>('GET', '/relay')
        for (const name of before) if (!tunnels.some((worker) => worker.node === name)) stoppedNodes.add(name)
        node.process = await start(node.port)
      }
      for (let kills = 0; kills < KILLS; kills += 1) await killOne(kills)

      // Without NATS, the node with the tunnel serves the home, and reports others as unreachable.
      await onTwoNodes(world, stoppedNodes)
      const pinned = nodes.map(({ port }) => new Reader({ ...access, url: `https://127.0.0.1:${port}` }, READ_EACH_MS))
      await nats.kill()
      const withoutNats = performance.now()
      await wait(8_000)
      const unknown = access.token.replace(/_[a-z0-9]{12}\./, '_zzzzzzzzzzzz.')
      const stranger = new HttpCaller({ ...access, token: unknown })
      expect(await stranger.call({ method: 'GET', path: '/v1/house' })).toMatchObject({
        status: 503,
        body: { error: { code: 'relay_unavailable', retryAfter: 5 } },
      })
      await stranger[Symbol.asyncDispose]()
      const steady = pinned.filter(({ tries }) =>
        tries.filter(({ begunAt: at }) => at > withoutNats).every(({ status }) => status === 200),
      )
      expect(steady.length).toBeGreaterThanOrEqual(2)
      await nats.start()
      await wait(2_000)
      await killOne(KILLS)
      for (const worker of pinned) await worker.stop()

      for (const worker of writers) await worker.stop()
      for (const worker of readers) await worker.stop()
      await home.call({
        method: 'POST',
        path: home.at('hall-light', '/control'),
        body: { op: 'set_power', args: { on: true } },
      })
      await wait(500)
      const last = reference.lastSeq
      for (const worker of followers) await worker.reached(last)
      for (const worker of [...followers, reference]) await worker.stop()

      const rows = await activity(home, begunAt)
      const [scenes, controls] = writers.map(({ changes }) => [...changes]) as [[string, number][], [string, number][]]
      const made = Map.groupBy(rows, ({ what }) => what)
      for (const [name, status] of scenes) {
        if (!name.startsWith('Scene')) continue
        const count = made.get(`created as ${name}`)?.length ?? 0
        expect(count, `${name}: ${status}`).toBe(status === 201 ? 1 : Math.min(count, 1))
      }
      const set = Map.groupBy(rows, ({ device, to }) => `${device} ${to}`)
      const triesByDevice = Map.groupBy(controls, ([name]) => name.split(' ').slice(1).join(' '))
      for (const [name, tries] of triesByDevice) {
        const count = set.get(name)?.length ?? 0
        expect(count, name).toBeGreaterThanOrEqual(tries.filter(([, status]) => status === 200).length)
        expect(count, name).toBeLessThanOrEqual(tries.length)
      }
      const known = [
        ...readers.flatMap(({ tries }) => tries.map(({ status }) => status)),
        ...[...scenes, ...controls].map(([, status]) => status),
      ]
      expect(new Set(known)).toEqual(
        new Set([...known].filter((status) => [0, 200, 201, 204, 503, 504].includes(status))),
      )

      const whole = reference.stretches.flat()
      for (const { stretches } of followers)
        for (const stretch of stretches.filter(({ length }) => length > 0)) {
          const from = whole.indexOf(stretch[0]!)
          expect(stretch).toEqual(whole.slice(from, from + stretch.length))
        }
      expect(Math.max(...followers.map(({ resumed }) => resumed))).toBeGreaterThan(3)

      const sorted = again.toSorted((a, b) => a - b)
      const failed = known.filter((status) => status === 0 || status >= 500).length
      console.log(
        `${again.length} kills: answered again after ${median(sorted).toFixed(0)} ms (median), ${sorted.at(-1)!.toFixed(0)} ms (worst); ` +
          `${known.length} requests, ${failed} of them failed, ${scenes.length + controls.length} of them changes; ` +
          `${whole.length} events, resumed ${followers.map(({ resumed, stretches }) => `${resumed} times in ${stretches.length - 1} stretches`).join(', ')}.`,
      )
      expect(median(sorted)).toBeLessThan(AGAIN_MS)
    },
  )
})
