import { describe, expect } from 'vitest'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

const MODE = '/v1/mode'
const DAY_MS = 86_400_000
const NAMES = ['Home', 'Away', 'Night', 'Vacation', 'Guest']

const set = (home: TestHome, body: object, integration?: TestIntegration) =>
  home.call({ method: 'PUT', path: MODE, body, ...(integration && { token: integration.token }) })

describe('the mode of the home', () => {
  verifies(['devices.mode', '1.5.house'], 'is read and set, for good or until a time', async (home) => {
    expect(await set(home, { mode: 'home' })).toMatchObject({ status: 200 })
    const before = await home.get(MODE)
    expect(before).toMatchObject({ house: 'Sonnenwinkel', mode: 'home', name: 'Home', until: null, previous: null })
    expect((before['modes'] as { name: string }[]).map(({ name }) => name)).toEqual(NAMES)
    const until = Math.ceil(home.running.clock.now()) + DAY_MS
    const guest = await set(home, { mode: 'guest', until })
    expect(guest).toMatchObject({ status: 200, body: { mode: 'guest', name: 'Guest', until, previous: 'home' } })
    expect(await home.get(MODE)).toMatchObject({ mode: 'guest', until, previous: 'home' })
    expect(await set(home, { mode: 'home' })).toMatchObject({ status: 200, body: { until: null, previous: null } })
  })

  verifies(['devices.mode'], 'an unknown mode is 404, and an end in the past 422', async (home) => {
    expect(await set(home, { mode: 'invented' })).toMatchObject({ status: 404 })
    expect(await set(home, { mode: 'guest', until: home.running.clock.now() - 60_000 })).toMatchObject({ status: 422 })
    expect(await set(home, { mode: 'guest', until: home.running.clock.now() + 500 * DAY_MS })).toMatchObject({
      status: 422,
    })
  })

  verifies(['devices.mode-hidden'], 'a hidden mode answers like an invented path', async (home) => {
    const hiding = await home.integrate({ expose: ['room:hall'] })
    const seeing = await home.integrate({ expose: ['room:hall', 'mode'] })
    for (const method of ['GET', 'PUT', 'POST'] as const) {
      const body = method !== 'GET' ? { body: { mode: 'night' } } : {}
      const hidden = await home.call({ method, path: MODE, ...body, token: hiding.token })
      const invented = await home.call({ method, path: '/v1/invented', ...body, token: hiding.token })
      expect([hidden.status, hidden.text]).toEqual([404, invented.text])
      const status = method === 'POST' ? 405 : 200
      expect(await home.call({ method, path: MODE, ...body, token: seeing.token })).toMatchObject({ status })
    }
    expect(await home.get(MODE)).toMatchObject({ mode: 'night' })
    await set(home, { mode: 'home' })
  })

  verifies(['devices.mode-activity'], 'a change is an entry with its cause, for those who see it', async (home) => {
    const hiding = await home.integrate({ expose: ['room:hall'] })
    const seeing = await home.integrate({ expose: ['mode'] })
    await set(home, { mode: 'home' })
    await set(home, { mode: 'vacation' }, seeing)
    await set(home, { mode: 'home' }, seeing)
    const entriesOf = async ({ token }: TestIntegration): Promise<object[]> => {
      const { entries } = (await home.get('/v1/activity?limit=5', token)) as { entries: { subject: string }[] }
      return entries.filter(({ subject }) => subject === 'mode').slice(0, 2)
    }
    const cause = { source: 'integration', link: seeing.link }
    expect(await entriesOf(seeing)).toMatchObject([
      { kind: 'state', what: 'changed to Home', device: null, cause },
      { kind: 'state', what: 'changed to Vacation', device: null, cause, data: { to: { mode: 'vacation' } } },
    ])
    expect(await entriesOf(hiding)).toEqual([])
  })
})
