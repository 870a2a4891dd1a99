import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { commandsOf, awaitState } from '#support/gateway/await-home.ts'

const verifies = verifiesOver('stream')

const DINNER = [
  { device: 'kitchen-panel:1', op: 'set_power', args: { on: true } },
  { device: 'kitchen-panel:0', op: 'set_power', args: { on: false } },
  { device: 'living-lamp', op: 'set_brightness', args: { bri: 30 } },
] as const

interface Scene {
  readonly id: string
  readonly name: string
  readonly members: readonly string[]
  readonly hiddenMembers: number
  readonly running: boolean
}

async function scenesOf(home: TestHome, integration: TestIntegration = home.main): Promise<Scene[]> {
  return (await home.get('/v1/scenes', integration.token))['scenes'] as Scene[]
}

const pathOf = (home: TestHome, local: string, integration: TestIntegration = home.main): string =>
  `/v1/scenes/${encodeURIComponent(home.id(`scene:${local}`, integration))}`

/** Resolves once the scene has begun, or has ended. */
function running(home: TestHome, scene: string, wanted: boolean): Promise<void> {
  const { rules, events } = home.running.gateway.home
  const changed = new Promise<void>((resolve) => {
    if (rules.scenes.running(scene) === wanted) return resolve()
    const stop = events.on((event) => {
      if (event.kind !== 'scene' || event.scene !== scene || event.running !== wanted) return
      stop()
      resolve()
    })
  })
  return home.running.hasten(changed)
}

describe('GET /v1/scenes', () => {
  verifies(
    ['4.scenes', '2.5.scene-list', 'automations.scene', '1.5.house'],
    'lists the exposed scenes with their members and run state',
    async (home) => {
      const answer = await home.get('/v1/scenes')
      expect(Object.keys(answer).toSorted()).toEqual(['house', 'scenes'])
      const scenes = await scenesOf(home)
      expect(scenes.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['Good morning', 'Dinner', 'Movie night', 'Leaving home', 'Good night']),
      )
      expect(scenes.find(({ name }) => name === 'Dinner')).toEqual({
        id: home.id('scene:dinner'),
        name: 'Dinner',
        room: home.id('room:dining-room'),
        floor: home.id('floor:ground-floor'),
        icon: 'dining',
        revision: 1,
        origin: null,
        members: DINNER.map(({ device }) => home.id(device)),
        hiddenMembers: 0,
        running: false,
      })
    },
  )

  verifies(
    ['2.5.hidden-members', 'exposure.scene-members', '2.5.scene-list'],
    'names only exposed members, and counts hidden ones',
    async (home) => {
      const narrow = await home.integrate({
        expose: ['scene:dinner', 'scene:good-night', 'gang:kitchen-panel:1', 'unit:bedroom-light'],
      })
      const scenes = await scenesOf(home, narrow)
      expect(scenes.map(({ id, members, hiddenMembers }) => ({ id, members, hiddenMembers }))).toEqual([
        { id: home.id('scene:dinner', narrow), members: [home.id('kitchen-panel:1', narrow)], hiddenMembers: 2 },
        { id: home.id('scene:good-night', narrow), members: [home.id('bedroom-light', narrow)], hiddenMembers: 7 },
      ])
      expect(JSON.stringify(scenes)).not.toMatch(/living-lamp|front-door|entrance/)
    },
  )

  verifies(['2.5.scene-list', 'automations.scene'], 'shows a scene as running while it runs', async (home) => {
    await home.call({ method: 'POST', path: `${pathOf(home, 'good-morning')}/run` })
    await running(home, 'good-morning', true)
    expect((await scenesOf(home)).filter((scene) => scene.running).map(({ name }) => name)).toEqual(['Good morning'])
    expect(await home.get(pathOf(home, 'good-morning'))).toMatchObject({ scene: { running: true } })
    expect(await home.get(home.at('scene:good-morning'))).toMatchObject({ device: { state: { running: true } } })
    await running(home, 'good-morning', false)
    expect((await scenesOf(home)).some((scene) => scene.running)).toBe(false)
    expect(await home.get(home.at('scene:good-morning'))).toMatchObject({ device: { state: { running: false } } })
  })
})

describe('GET /v1/scenes/{id}', () => {
  verifies(['4.scene', 'automations.scene', '1.5.house'], 'answers one scene, with its steps', async (home) => {
    expect(await home.get(pathOf(home, 'dinner'))).toEqual({
      house: 'Sonnenwinkel',
      scene: {
        id: home.id('scene:dinner'),
        name: 'Dinner',
        room: home.id('room:dining-room'),
        floor: home.id('floor:ground-floor'),
        icon: 'dining',
        revision: 1,
        origin: null,
        members: DINNER.map(({ device }) => home.id(device)),
        hiddenMembers: 0,
        running: false,
        steps: DINNER.map(({ device, ...step }) => ({ device: home.id(device), ...step })),
      },
    })
  })

  verifies(
    ['exposure.scene-members', 'automations.scene', '4.scene'],
    'shows only the steps of exposed devices, and the waits between them',
    async (home) => {
      const narrow = await home.integrate({
        expose: ['scene:good-morning', 'unit:bedroom-light', 'gang:kitchen-panel:2'],
      })
      const { scene } = (await home.get(pathOf(home, 'good-morning', narrow), narrow.token)) as { scene: object }
      expect(scene).toMatchObject({
        members: [home.id('kitchen-panel:2', narrow), home.id('bedroom-light', narrow)],
        hiddenMembers: 4,
        steps: [
          { device: home.id('kitchen-panel:2', narrow), op: 'open' },
          { delay: 2 },
          { device: home.id('bedroom-light', narrow), op: 'set_brightness', args: { bri: 35 } },
        ],
      })
    },
  )

  verifies(
    ['4.scene', '7.not-found'],
    'answers 404 for hidden and missing scenes, and for ids of other things',
    async (home) => {
      const narrow = await home.integrate({ expose: ['scene:dinner', 'unit:hall-light'] })
      for (const id of ['scene:good-night', 'scene:invented', 'hall-light', 'dinner', 'scene:']) {
        expect(
          await home.call({
            method: 'GET',
            path: `/v1/scenes/${encodeURIComponent(home.id(id, narrow))}`,
            token: narrow.token,
          }),
        ).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      }
    },
  )
})

describe('running a scene', () => {
  verifies(
    ['4.scene-run', '2.4.run', '2.4.run-answer', '1.5.house'],
    'is the same over its own path and as an operation, and moves its devices',
    async (home) => {
      const ways: (() => Promise<RawAnswer>)[] = [
        () => home.call({ method: 'POST', path: `${pathOf(home, 'dinner')}/run` }),
        () => home.call({ method: 'POST', path: home.at('scene:dinner', '/control'), body: { op: 'run' } }),
        () => home.call({ method: 'POST', path: `${pathOf(home, 'dinner')}/run`, body: {} }),
        () => home.call({ method: 'POST', path: home.at('scene:dinner', '/control'), body: { op: 'run', args: {} } }),
      ]
      const runIds = new Set<string>()
      for (const run of ways) {
        await home.call({
          method: 'POST',
          path: home.at('kitchen-panel:1', '/control'),
          body: { op: 'set_power', args: { on: false } },
        })
        const before = commandsOf(home, 31)
        const answer = await run()
        expect(answer).toMatchObject({
          status: 200,
          body: {
            house: 'Sonnenwinkel',
            device: home.id('scene:dinner'),
            run: { runId: expect.any(String) as string },
          },
        })
        runIds.add((answer.body as { run: { runId: string } }).run.runId)
        await running(home, 'dinner', false)
        expect(commandsOf(home, 31)).toBe(before + 2)
        await awaitState(home, 'kitchen-panel:1', ({ on }) => on === true)
        await awaitState(home, 'living-lamp', ({ bri }) => bri === 30)
      }
      expect(runIds.size).toBe(4)
    },
  )

  verifies(['2.4.run', '7.validation'], 'takes no arguments', async (home) => {
    expect(
      await home.call({ method: 'POST', path: `${pathOf(home, 'dinner')}/run`, body: { slowly: true } }),
    ).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    expect(
      await home.call({
        method: 'POST',
        path: home.at('scene:dinner', '/control'),
        body: { op: 'run', args: { slowly: true } },
      }),
    ).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
  })

  verifies(
    ['4.scene-run', 'exposure.scene-members'],
    'also moves devices that the integration does not see',
    async (home) => {
      const narrow = await home.integrate({ expose: ['scene:dinner'] })
      await home.call({
        method: 'POST',
        path: home.at('kitchen-panel:1', '/control'),
        body: { op: 'set_power', args: { on: false } },
      })
      const answer = await home.call({
        method: 'POST',
        path: `${pathOf(home, 'dinner', narrow)}/run`,
        token: narrow.token,
      })
      expect(answer).toMatchObject({ status: 200 })
      await awaitState(home, 'kitchen-panel:1', ({ on }) => on === true)
      await running(home, 'dinner', false)
    },
  )
})

describe('deleting a scene', () => {
  verifies(['4.rule5.delete'], 'is 403 not_offered, and 404 for a hidden scene', async (home) => {
    const narrow = await home.integrate({ expose: ['scene:dinner'] })
    expect(await home.call({ method: 'DELETE', path: pathOf(home, 'dinner') })).toMatchObject({
      status: 403,
      body: { error: { code: 'not_offered', message: 'Deleting a scene is done in the app.' } },
    })
    expect(
      await home.call({ method: 'DELETE', path: pathOf(home, 'good-night', narrow), token: narrow.token }),
    ).toMatchObject({ status: 404 })
    expect(await home.get(pathOf(home, 'dinner'))).toMatchObject({ scene: { name: 'Dinner' } })
  })
})
