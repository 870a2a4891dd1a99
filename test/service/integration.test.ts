import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect } from 'vitest'
import { type TestHome, verifiesOver, verifiesAlone } from '#support/gateway/harness.ts'
import { UUID } from '#support/gateway/house-answer.ts'
import { proves } from '#support/gateway/verifies.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

const verifies = verifiesOver('http')

const DEFAULTS = {
  advanced_config: 'read',
  structural: 'off',
  automations: 'off',
  schedules: 'off',
  agent_access: 'off',
  cloud_access: 'on',
  mdns: 'on',
  allow_unlock: 'off',
  may_tell: 'off',
}
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  advanced_config: ['off', 'read', 'read_write'],
  structural: ['off', 'on'],
  automations: ['off', 'on'],
  schedules: ['off', 'on'],
  agent_access: ['off', 'on'],
  cloud_access: ['off', 'on'],
  mdns: ['off', 'on'],
  allow_unlock: ['off', 'on'],
  may_tell: ['off', 'on'],
}

describe('GET /v1/integration', () => {
  verifies(
    ['2.1.integration', '2.1.credential', '2.1.settings', '1.5.house'],
    'has house, gateway, integration, credential and settings',
    async (home) => {
      const dashboard = await home.integrate({ name: 'Dashboard', settings: { schedules: 'on', mdns: 'off' } })
      const answer = await home.get('/v1/integration', dashboard.token)
      expect(answer).toEqual({
        house: 'Sonnenwinkel',
        timeZone: 'Europe/Berlin',
        currency: 'EUR',
        gateway: home.running.gateway.serial,
        integration: {
          id: dashboard.id,
          name: 'Dashboard',
          credential: { kind: 'key', name: '', platform: '', label: 'API: Dashboard' },
          settings: { ...DEFAULTS, schedules: 'on', mdns: 'off' },
          people: 'none',
          reports: [],
        },
      })
      expect(dashboard.id).toMatch(UUID)
    },
  )

  verifies('2.1.knob-defaults', 'shows the default of every knob of a new integration', async (home) => {
    const { token } = await home.integrate({ name: 'New' })
    expect(await home.get('/v1/integration', token)).toMatchObject({ integration: { settings: DEFAULTS } })
  })

  verifies('2.1.settings', 'shows the last value of each knob', { tags: ['long'] }, async (home) => {
    const integration = await home.integrate({})
    for (const [knob, values] of Object.entries(ALLOWED)) {
      for (const value of values) {
        await home.change(integration, { settings: { [knob]: value } })
        // Callers from outside are refused before they see it (test/relay/service.test.ts).
        if (home.isRelayed && knob === 'cloud_access' && value === 'off') continue
        expect(await home.get('/v1/integration', integration.token)).toMatchObject({
          integration: { settings: { [knob]: value } },
        })
      }
    }
  })

  verifies('2.1.several', 'shows each credential its own integration', async (home) => {
    const [first, second] = [await home.integrate({ name: 'First' }), await home.integrate({ name: 'Second' })]
    const [a, b, main] = [
      await home.get('/v1/integration', first.token),
      await home.get('/v1/integration', second.token),
      await home.get('/v1/integration'),
    ]
    expect([a, b, main]).toMatchObject([
      { integration: { id: first.id, name: 'First' } },
      { integration: { id: second.id, name: 'Second' } },
      { integration: { id: home.main.id } },
    ])
  })
})

describe('knobs', () => {
  proves('2.1.knob-values', 'take only their allowed values', async () => {
    await using running = await TestGateway.open({ settled: false })
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Panel' })) as {
      integration: { id: string }
    }
    const set = (settings: object): Promise<unknown> =>
      running.admin.call('PATCH', `/integrations/${integration.id}`, { settings })
    for (const [knob, values] of Object.entries(ALLOWED)) {
      for (const value of values)
        expect(await set({ [knob]: value })).toMatchObject({ integration: { settings: { [knob]: value } } })
      for (const value of ['', 'ON', 'yes', 'write', true, 1, null])
        await expect(set({ [knob]: value }), `${knob}=${String(value)}`).rejects.toThrow(knob)
    }
    await expect(set({ invented: 'on' })).rejects.toThrow('invented')
    await expect(
      running.admin.call('POST', '/integrations', { name: 'Other', settings: { structural: 'maybe' } }),
    ).rejects.toThrow('structural')
    expect((await running.admin.call('GET', '/integrations'))['integrations']).toHaveLength(1)
  })

  proves(
    '2.1.structural-offered',
    'offer structural only to an integration that exposes everything, or a floor, or a room',
    async () => {
      await using running = await TestGateway.open({ settled: false })
      const create = (expose: readonly string[]): Promise<Record<string, unknown>> =>
        running.admin.call('POST', '/integrations', { name: expose.join(), expose, settings: { structural: 'on' } })
      for (const expose of [['all'], ['floor:top-floor'], ['room:study'], ['unit:guest-light', 'room:study']]) {
        expect(await create(expose)).toMatchObject({ integration: { settings: { structural: 'on' } } })
      }
      for (const expose of [
        ['unit:guest-light'],
        ['gang:bedside-panel:0'],
        ['scene:dinner'],
        ['unit:guest-light', 'scene:dinner'],
      ]) {
        await expect(create(expose)).rejects.toThrow('structural')
        const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Narrow', expose })) as {
          integration: { id: string }
        }
        await expect(
          running.admin.call('PATCH', `/integrations/${integration.id}`, { settings: { structural: 'on' } }),
        ).rejects.toThrow('structural')
        expect(
          await running.admin.call('PATCH', `/integrations/${integration.id}`, {
            expose: ['room:study'],
            settings: { structural: 'on' },
          }),
        ).toMatchObject({ integration: { settings: { structural: 'on' } } })
      }
    },
  )

  verifies(
    'exposure.structural',
    'structural goes off by itself, and is named, when a narrower exposure does not offer it',
    async (home) => {
      const { admin } = home.running
      const who = await home.integrate({ settings: { structural: 'on' } })
      const expose = (...picks: string[]): Promise<Record<string, unknown>> =>
        admin.call('PATCH', `/integrations/${who.id}`, { expose: picks })
      expect(await expose('room:study')).not.toHaveProperty('knobsOff')
      expect(await expose('unit:guest-light')).toMatchObject({
        knobsOff: ['structural'],
        integration: { settings: { structural: 'off' } },
      })
      expect(await home.get('/v1/integration', who.token)).toMatchObject({
        integration: { settings: { structural: 'off' } },
      })
      // A thing that is exposed again later is not permitted again automatically.
      expect(await expose('all')).toMatchObject({ integration: { settings: { structural: 'off' } } })
    },
  )

  verifies('1.3.fresh-knobs', 'apply from the very next request, on and off', async (home) => {
    const integration = await home.integrate({})
    const rename = () =>
      home.call({
        method: 'PATCH',
        path: home.at('guest-light', '', integration),
        body: { name: 'Guest room light' },
        token: integration.token,
      })
    const open = () =>
      home.call({
        method: 'POST',
        path: home.at('driveway-gate', '/control', integration),
        body: { op: 'open' },
        token: integration.token,
      })
    for (const value of ['on', 'off', 'on', 'off']) {
      await home.change(integration, { settings: { structural: value, allow_unlock: value } })
      const [renamed, opened] = [await rename(), await open()]
      expect([renamed.status, opened.status]).toEqual(value === 'on' ? [200, 200] : [403, 403])
    }
    await home.call({ method: 'POST', path: home.at('driveway-gate', '/control'), body: { op: 'stop' } })
  })

  verifies('1.3.fresh-knobs', 'apply also after another process changed the store', async (home) => {
    const integration = await home.integrate({})
    const read = () =>
      home.call({ method: 'GET', path: home.at('guest-light', '/intents', integration), token: integration.token })
    expect((await read()).status).toBe(200)
    setInFile(home, integration.id, { advanced_config: 'off' })
    expect(await read()).toMatchObject({ status: 403, body: { error: { code: 'config_not_allowed' } } })
  })
})

describe('reading', () => {
  let clock: ManualClock
  const verifies = verifiesAlone(() => {
    // Clients check certificates against the machine's time.
    clock = new ManualClock(Date.now())
    return { clock, settled: false }
  })

  verifies('1.6.no-frame', 'the house, states, devices and scenes sends no frame', async (home) => {
    await clock.hasten(home.running.settled())
    // Time stands still from here: only a request can make the gateway send frames.
    const { counters } = home.running.sim
    const before = JSON.stringify({ ...counters, units: [...counters.units] })
    for (const path of [
      '/v1/house',
      '/v1/state',
      '/v1/scenes',
      '/v1/integration',
      home.at('hall-light'),
      home.at('kitchen-panel'),
      home.at('kitchen-panel:0'),
      home.at('scene:dinner'),
    ]) {
      expect(await home.call({ method: 'GET', path })).toMatchObject({ status: 200 })
    }
    // Running requests of this process succeed.
    for (let turn = 0; turn < 20; turn++) await clock.advanceAsync(0)
    expect(JSON.stringify({ ...counters, units: [...counters.units] })).toBe(before)
    const switched = home.call({
      method: 'POST',
      path: home.at('hall-light', '/control'),
      body: { op: 'set_power', args: { on: true } },
    })
    await clock.hasten(switched)
    expect(JSON.stringify({ ...counters, units: [...counters.units] })).not.toBe(before)
  })
})

/** Changes knobs in the file over a separate connection. */
function setInFile(home: TestHome, integration: string, knobs: object): void {
  const db = new Database(join(home.running.dataDir, 'core.db'))
  try {
    db.prepare('UPDATE integrations SET knobs = json_patch(knobs, ?) WHERE id = ?').run(
      JSON.stringify(knobs),
      integration,
    )
  } finally {
    db.close()
  }
}
