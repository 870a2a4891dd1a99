import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { commandsOf, awaitScenesEnd } from '#support/gateway/await-home.ts'

const NOT_ALLOWED = {
  status: 403,
  body: {
    error: {
      code: 'unlock_not_allowed',
      appAction: 'integrations.record',
      message:
        'This integration may not unlock or open locks and gates. An administrator can allow it with allow_unlock.',
    },
  },
}
const FRONT_DOOR = 13
const GATE = 91

function control(
  home: TestHome,
  local: string,
  op: string,
  integration: TestIntegration = home.main,
): Promise<RawAnswer> {
  return home.call({
    method: 'POST',
    path: home.at(local, '/control', integration),
    body: { op },
    token: integration.token,
  })
}

/** An integration with all permissions except opening. */
function withoutUnlocking(home: TestHome): Promise<TestIntegration> {
  return home.integrate({ settings: { ...EVERYTHING_ALLOWED, allow_unlock: 'off' } })
}

describe('with allow_unlock off', () => {
  verifies(
    ['4.rule2.lock', '2.1.allow-unlock', '7.unlock'],
    'a lock can be locked but not unlocked, and gets no frame for it',
    async (home) => {
      const careful = await withoutUnlocking(home)
      expect((await control(home, 'front-door', 'open')).body).toMatchObject({ state: { locked: false } })
      const before = commandsOf(home, FRONT_DOOR)
      expect(await control(home, 'front-door', 'open', careful)).toMatchObject(NOT_ALLOWED)
      expect(commandsOf(home, FRONT_DOOR)).toBe(before)
      expect(await control(home, 'front-door', 'close', careful)).toMatchObject({
        status: 200,
        body: { state: { locked: true } },
      })
      expect(await control(home, 'front-door', 'open', careful)).toMatchObject(NOT_ALLOWED)
      expect(home.running.sim.house.unit(FRONT_DOOR)?.device(null)?.state()).toMatchObject({ locked: true })
    },
  )

  verifies(
    ['4.rule2.gate', '2.1.allow-unlock', '7.unlock'],
    'a gate can be closed and stopped but not opened, and gets no frame for it',
    async (home) => {
      const careful = await withoutUnlocking(home)
      expect(await control(home, 'driveway-gate', 'open')).toMatchObject({ status: 200 })
      const before = commandsOf(home, GATE)
      expect(await control(home, 'driveway-gate', 'open', careful)).toMatchObject(NOT_ALLOWED)
      expect(commandsOf(home, GATE)).toBe(before)
      expect(await control(home, 'driveway-gate', 'stop', careful)).toMatchObject({
        status: 200,
        body: { state: { move: 'stopped' } },
      })
      expect(await control(home, 'driveway-gate', 'close', careful)).toMatchObject({ status: 200 })
      expect(await control(home, 'driveway-gate', 'stop', careful)).toMatchObject({ status: 200 })
    },
  )

  verifies(['2.1.allow-unlock'], 'shutters and curtains can still be opened', async (home) => {
    const careful = await withoutUnlocking(home)
    for (const local of ['bedroom-shutter', 'living-curtain', 'kitchen-panel:2']) {
      expect(await control(home, local, 'open', careful)).toMatchObject({ status: 200 })
      expect(await control(home, local, 'stop', careful)).toMatchObject({ status: 200 })
    }
  })

  verifies(
    ['4.rule2.scene', '2.1.allow-unlock'],
    'a scene that unlocks or opens runs none of its steps',
    async (home) => {
      const careful = await withoutUnlocking(home)
      const entrances = [
        ['Welcome', 'front-door', FRONT_DOOR, 'guest-light', 83],
        ['Arrival', 'driveway-gate', GATE, 'study-light', 75],
      ] as const
      for (const [name, device, address, light, lightAddress] of entrances) {
        const steps = [
          { device: home.id(light), op: 'set_power', args: { on: true } },
          { device: home.id(device), op: 'open' },
        ]
        const made = await home.call({
          method: 'POST',
          path: '/v1/scenes',
          body: { name: `${name} ${home.transport}`, steps },
        })
        expect(made.status, made.text).toBe(201)
        const local = (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
        await awaitScenesEnd(home)
        const before = [commandsOf(home, address), commandsOf(home, lightAddress)]
        expect(
          await home.call({
            method: 'POST',
            path: `/v1/scenes/${encodeURIComponent(home.id(local, careful))}/run`,
            token: careful.token,
          }),
        ).toMatchObject(NOT_ALLOWED)
        expect(await control(home, local, 'run', careful)).toMatchObject(NOT_ALLOWED)
        expect([commandsOf(home, address), commandsOf(home, lightAddress)]).toEqual(before)

        await home.change(careful, { settings: { allow_unlock: 'on' } })
        expect(await control(home, local, 'run', careful)).toMatchObject({ status: 200 })
        await home.change(careful, { settings: { allow_unlock: 'off' } })
        // A scene that locks and closes runs.
        expect(await control(home, 'scene:good-night', 'run', careful)).toMatchObject({ status: 200 })
      }
    },
  )

  verifies(
    ['4.rule2.scene'],
    'a scene whose unlocking step the integration cannot see does not run either',
    async (home) => {
      const steps = [
        { device: home.id('guest-light'), op: 'set_power', args: { on: true } },
        { device: home.id('front-door'), op: 'open' },
      ]
      const made = await home.call({
        method: 'POST',
        path: '/v1/scenes',
        body: { name: `Secret ${home.transport}`, steps },
      })
      const local = (made.body as { scene: { id: string } }).scene.id.split(':').slice(2).join(':')
      const narrow = await home.integrate({ expose: [local, 'unit:guest-light'] })
      const answer = await control(home, local, 'run', narrow)
      expect(answer).toMatchObject(NOT_ALLOWED)
      expect(answer.text).not.toContain('Front door')
    },
  )
})
