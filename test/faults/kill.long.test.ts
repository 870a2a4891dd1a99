// @module-tag long
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { callerOver } from '#support/gateway/caller-over.ts'
import type { Access } from '#support/gateway/callers.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'

const ROUNDS = 12
const ROOMS = ['hall', 'kitchen', 'study', 'bedroom']

/** A requested change; `acknowledged` after its response. */
interface Change {
  readonly kind: 'room' | 'integration' | 'scene'
  /** Id of the renamed room, or of the new thing once it is known. */
  id: string
  readonly name: string
  acknowledged: boolean
}

/** Sends one change after another until the gateway is killed. */
async function work(
  kind: Change['kind'],
  changes: Change[],
  send: (change: Change, turn: number) => Promise<string | null>,
  round: number,
  begun: () => void,
): Promise<void> {
  for (let turn = 0; ; turn++) {
    const change: Change = { kind, id: '', name: `${kind} ${round}-${turn}`, acknowledged: false }
    changes.push(change)
    const id = await send(change, turn).catch(() => null)
    if (id === null) return
    change.id = id
    change.acknowledged = true
    begun()
  }
}

/** Runs clients of all kinds at once; resolves when all have lost the gateway. */
async function atWork(
  gateway: GatewayProcess,
  door: Access,
  prefix: string,
  round: number,
  begun: () => void,
): Promise<Change[]> {
  const changes: Change[] = []
  await using http = callerOver('http', door)
  await using stream = callerOver('stream', door)
  const rename =
    (caller: typeof http, rooms: readonly string[]) =>
    async (change: Change, turn: number): Promise<string | null> => {
      change.id = rooms[turn % rooms.length]!
      const { status } = await caller.call({
        method: 'PATCH',
        path: `/v1/rooms/${prefix}:room:${change.id}`,
        body: { name: change.name },
      })
      return status === 200 ? change.id : null
    }
  await Promise.all([
    work('room', changes, rename(http, ROOMS.slice(0, 2)), round, begun),
    work('room', changes, rename(stream, ROOMS.slice(2)), round, begun),
    work(
      'integration',
      changes,
      async ({ name }) => {
        const { integration } = (await gateway.admin.call('POST', '/integrations', { name })) as {
          integration: { id: string }
        }
        return integration.id
      },
      round,
      begun,
    ),
    work(
      'scene',
      changes,
      async ({ name }) => {
        const { status, body } = await http.call({ method: 'POST', path: '/v1/scenes', body: { name } })
        return status === 201 ? (body as { scene: { id: string } }).scene.id : null
      },
      round,
      begun,
    ),
  ])
  return changes
}

/** The created things in the gateway by kind and id. */
async function present(gateway: GatewayProcess, door: Access): Promise<Record<Change['kind'], Map<string, string>>> {
  await using http = callerOver('http', door)
  const { rooms } = (await gateway.admin.call('GET', '/house')) as { rooms: { id: string; name: string }[] }
  const { integrations } = (await gateway.admin.call('GET', '/integrations')) as {
    integrations: { id: string; name: string }[]
  }
  const { scenes } = (await http.call({ method: 'GET', path: '/v1/scenes' })).body as {
    scenes: { id: string; name: string }[]
  }
  const byId = (things: readonly { id: string; name: string }[]): Map<string, string> =>
    new Map(things.map(({ id, name }) => [id, name]))
  return { room: byId(rooms), integration: byId(integrations), scene: byId(scenes) }
}

describe('kill -9 while changes are acknowledged', () => {
  test(
    `loses none of them in ${ROUNDS} kills, invents none, and each is in the activity once`,
    { timeout: ROUNDS * 60_000 },
    async () => {
      const dataDir = tempFolder()
      const changes: Change[] = []
      const readyMs: number[] = []
      let gateway = await GatewayProcess.start({ dataDir })
      const token = gateway.token!
      const prefix = token
        .replace(/^hm_key_/, '')
        .split('.')
        .slice(0, 2)
        .join(':')
      for (let round = 0; round < ROUNDS; round++) {
        const door = { url: gateway.url, ca: gateway.ca, token }
        const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
        const working = atWork(gateway, door, prefix, round, begin)
        // A different moment each time: after a few changes, or a few hundred.
        await begun
        await wait(Math.random() * 360)
        await gateway.kill()
        const made = await working
        changes.push(...made)

        const from = performance.now()
        gateway = await GatewayProcess.start({ dataDir })
        readyMs.push(Math.round(performance.now() - from))
        const now = await present(gateway, { url: gateway.url, ca: gateway.ca, token })
        expect(made.filter(({ acknowledged }) => acknowledged).length).toBeGreaterThan(0)
        // A kill causes no report of damage or of an older configuration.
        expect(await gateway.admin.call('GET', '/status')).toMatchObject({ incidents: [] })
        for (const { kind, id, name } of changes.filter((change) => change.acknowledged && change.kind !== 'room'))
          expect([id, now[kind].get(id)]).toEqual([id, name])
        // A room has its last acknowledged name, or the one in flight.
        for (const room of ROOMS) {
          const names = made.filter(({ kind, id }) => kind === 'room' && id === room)
          const last = names.findLastIndex(({ acknowledged }) => acknowledged)
          if (last >= 0) expect(names.slice(last).map(({ name }) => name)).toContain(now.room.get(room))
        }
        // Every existing thing was requested.
        const requested = new Set(changes.map(({ name }) => name))
        expect([...now.integration.values()].filter((name) => name !== 'Demo' && !requested.has(name))).toEqual([])
      }
      await gateway.kill('SIGTERM')
      await expectInActivityOnce(dataDir, changes)
      const acknowledged = changes.filter((change) => change.acknowledged).length
      console.info(
        `${acknowledged} changes acknowledged in ${ROUNDS} kills, all there; ready after ${readyMs.join(', ')} ms`,
      )
    },
  )
})

test('kill -9 while the simulated house gets its past leaves a home that starts, with the days until then', async () => {
  const dataDir = tempFolder()
  const args = ['--hmhc', 'sim:units=300']
  const first = await GatewayProcess.start({ dataDir, args })
  const token = first.token!
  await using http = callerOver('http', { url: first.url, ca: first.ca, token })
  while ((await activity(http, 'kind=state')).length === 0);
  await first.kill()
  await using second = await GatewayProcess.start({ dataDir, args })
  expect(await second.admin.call('GET', '/status')).toMatchObject({ incidents: [] })
  await using again = callerOver('http', { url: second.url, ca: second.ca, token })
  expect(await activity(again, 'kind=state')).not.toEqual([])
  // Its last entry was never written.
  const edits = await activity(again, 'kind=edited')
  expect(edits).toContain('home founded')
  expect(edits.filter((what) => what.includes('made-up history'))).toEqual([])
})

/** Sentences of the activity of the last hundred days. */
async function activity(http: ReturnType<typeof callerOver>, query: string): Promise<readonly string[]> {
  const from = Date.now() - 100 * 24 * 60 * 60 * 1_000
  const { body } = await http.call({ method: 'GET', path: `/v1/activity?limit=200&from=${from}&${query}` })
  return (body as { entries: { what: string }[] }).entries.map(({ what }) => what)
}

async function expectInActivityOnce(dataDir: string, changes: readonly Change[]): Promise<void> {
  await using running = await TestGateway.open({ dataDir, settled: false })
  const entries = new Map<string, number>()
  for (const { subject, what } of running.gateway.stores.history.activity.iterate(0, Number.MAX_SAFE_INTEGER)) {
    const key = `${'id' in subject ? subject.id : subject.kind} ${what}`
    entries.set(key, (entries.get(key) ?? 0) + 1)
  }
  const keyOf = ({ kind, id, name }: Change): string =>
    ({
      room: `${id} renamed to ${name}`,
      integration: `${id} integration ${name} created`,
      scene: `${id.split(':').at(-1)} created as ${name}`,
    })[kind]
  const acknowledged = changes.filter((change) => change.acknowledged)
  expect(acknowledged.map((change) => [keyOf(change), entries.get(keyOf(change))])).toEqual(
    acknowledged.map((change) => [keyOf(change), 1]),
  )
  // A pending change exists completely or not at all, never twice.
  const underWay = changes.filter((change) => !change.acknowledged && change.kind === 'room')
  expect(underWay.filter((change) => (entries.get(keyOf(change)) ?? 0) > 1)).toEqual([])
}
