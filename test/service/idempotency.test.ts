import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, verifies } from '#support/gateway/harness.ts'
import { commandsOf } from '#support/gateway/await-home.ts'

const GUEST_LIGHT = 83
const ON = { op: 'set_power', args: { on: true } }

let keys = 0
/** A key for one test. */
function newKey(): string {
  keys += 1
  return `key-${keys}`
}

function control(home: TestHome, key: string, body: object = ON, token: string = home.main.token): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: home.at('guest-light', '/control'), body, key, token })
}

/** Compared parts of a repeated response: everything but its date. */
function contentOf({ status, text, headers = {} }: RawAnswer): object {
  return { status, text, location: headers['location'] }
}

async function scenesNamed(home: TestHome, name: string): Promise<number> {
  const { scenes } = (await home.get('/v1/scenes')) as { scenes: { name: string }[] }
  return scenes.filter((scene) => scene.name === name).length
}

describe('a write with an Idempotency-Key', () => {
  verifies('api.idempotency', 'is performed once, and a repeat gets the same answer', async (home) => {
    const key = newKey()
    const before = commandsOf(home, GUEST_LIGHT)
    const first = await control(home, key)
    expect(first.status, first.text).toBe(200)
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before + 1)
    // A request without a key changes the state in between.
    await home.call({
      method: 'POST',
      path: home.at('guest-light', '/control'),
      body: { op: 'set_power', args: { on: false } },
    })
    expect(contentOf(await control(home, key))).toEqual(contentOf(first))
    // The order of keys in a body is irrelevant.
    expect(contentOf(await control(home, key, { args: { on: true }, op: 'set_power' }))).toEqual(contentOf(first))
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before + 2)
  })

  verifies('api.idempotency', 'is performed once when it arrives twice at the same time', async (home) => {
    const key = newKey()
    const before = commandsOf(home, GUEST_LIGHT)
    const [one, other] = await Promise.all([control(home, key), control(home, key)])
    expect(contentOf(one)).toEqual(contentOf(other))
    expect(one.status).toBe(200)
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before + 1)
  })

  verifies('api.idempotency', 'creates one scene, edits it once, and runs it once', async (home) => {
    const name = `Once over ${home.transport}`
    const create = {
      method: 'POST',
      path: '/v1/scenes',
      body: { name, steps: [{ device: home.id('guest-light'), ...ON }] },
      key: newKey(),
    }
    const made = await home.call(create)
    expect(made.status, made.text).toBe(201)
    expect(contentOf(await home.call(create))).toEqual(contentOf(made))
    expect(await scenesNamed(home, name)).toBe(1)

    const { id } = (made.body as { scene: { id: string } }).scene
    const path = `/v1/scenes/${encodeURIComponent(id)}`
    const edit = { method: 'PATCH', path, body: { icon: 'moon', ifRevision: 1 }, key: newKey() }
    const edited = await home.call(edit)
    expect(edited.status, edited.text).toBe(200)
    expect(contentOf(await home.call(edit))).toEqual(contentOf(edited))

    const run = { method: 'POST', path: `${path}/run`, key: newKey() }
    const ran = await home.call(run)
    expect(ran.status, ran.text).toBe(200)
    expect(contentOf(await home.call(run))).toEqual(contentOf(ran))
  })

  verifies('api.idempotency', 'that a unit did not answer is not repeated', async (home) => {
    const key = newKey()
    home.running.sim.silence(GUEST_LIGHT)
    const silent = await control(home, key).finally(() => home.running.sim.silence(GUEST_LIGHT, false))
    expect(silent.status).toBe(504)
    const before = commandsOf(home, GUEST_LIGHT)
    expect(contentOf(await control(home, key))).toEqual(contentOf(silent))
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before)
    // The gateway leaves a silent unit alone for a while; the next test needs it.
    await expect.poll(async () => (await control(home, newKey())).status).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  verifies('api.idempotency-other', 'of another request is refused, whichever part differs', async (home) => {
    const key = newKey()
    expect((await control(home, key)).status).toBe(200)
    const before = commandsOf(home, GUEST_LIGHT)
    for (const request of [
      { method: 'POST', path: home.at('guest-light', '/control'), body: { op: 'set_power', args: { on: false } } },
      { method: 'POST', path: home.at('study-light', '/control'), body: ON },
      { method: 'POST', path: '/v1/control', body: { controls: [{ device: home.id('guest-light'), ...ON }] } },
    ])
      expect(await home.call({ ...request, key })).toMatchObject({
        status: 422,
        body: {
          error: {
            code: 'validation',
            message: 'Idempotency-Key: was used for another request. Give each request its own key.',
          },
        },
      })
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before)
  })

  verifies('api.idempotency-other', 'of another credential is another key', async (home) => {
    const key = newKey()
    const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
    const before = commandsOf(home, GUEST_LIGHT)
    expect((await control(home, key)).status).toBe(200)
    const request = { method: 'POST', path: home.at('guest-light', '/control', other), body: ON, key }
    expect((await home.call({ ...request, token: other.token })).status).toBe(200)
    expect(commandsOf(home, GUEST_LIGHT)).toBe(before + 2)
  })

  verifies('api.idempotency-other', 'that is not printable, or too long, is refused', async (home) => {
    for (const key of ['a b', 'x'.repeat(256)])
      expect(await control(home, key)).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    expect((await control(home, 'x'.repeat(255))).status).toBe(200)
  })

  verifies(
    ['api.idempotency-undone', '1.4.hidden'],
    'is free again after a refusal without effects, and does not reveal hidden things',
    async (home) => {
      const key = newKey()
      const who = await home.integrate({ settings: { ...EVERYTHING_ALLOWED, allow_unlock: 'off' } })
      const open = (): Promise<RawAnswer> =>
        home.call({
          method: 'POST',
          path: home.at('front-door', '/control', who),
          body: { op: 'open' },
          key,
          token: who.token,
        })
      expect((await open()).status).toBe(403)
      await home.change(who, { settings: { allow_unlock: 'on' } })
      const opened = await open()
      expect(opened.status, opened.text).toBe(200)
      await home.change(who, { expose: ['room:study'] })
      expect(await open()).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      await home.change(who, { expose: ['all'] })
      expect(contentOf(await open())).toEqual(contentOf(opened))
      await home.call({ method: 'POST', path: home.at('front-door', '/control'), body: { op: 'close' } })
    },
  )

  verifies('api.idempotency', 'has no effect on a read', async (home) => {
    const key = newKey()
    const read = { method: 'GET', path: home.at('guest-light'), key }
    const before = (await home.call(read)).text
    await home.call({
      method: 'POST',
      path: home.at('guest-light', '/control'),
      body: { op: 'set_power', args: { on: !before.includes('"on":true') } },
    })
    expect((await home.call(read)).text).not.toBe(before)
    expect((await control(home, key)).status).toBe(200)
  })
})
