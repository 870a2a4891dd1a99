import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { EVERYTHING_ALLOWED, type TestHome, verifiesOver } from '#support/gateway/harness.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'

const verifies = verifiesOver('http')

interface Entry {
  readonly at: number
  readonly device: string | null
  readonly what: string
  readonly cause: {
    readonly source: string
    readonly name: string
    readonly link?: string
    readonly by?: Entry['cause']
  }
}

describe('every change', () => {
  verifies(
    ['4.rule4.key', 'requests.times'],
    'is in the activity under the name of its integration by the time of the answer',
    async (home) => {
      const panel = await home.integrate({ name: `Panel ${home.transport}`, settings: EVERYTHING_ALLOWED })
      const at = (local: string, rest = ''): string => home.at(local, rest, panel)
      const id = (local: string): string => home.id(local, panel)
      const { state } = ((await home.get(at('guest-light'), panel.token)) as { device: { state: { on: boolean } } })
        .device
      const { state: gang } = (
        (await home.get(at('bedside-panel:1'), panel.token)) as { device: { state: { mode: string } } }
      ).device
      const step = { device: id('study-light'), op: 'set_power', args: { on: true } }
      const changes: readonly (readonly [TestRequest, string, RegExp])[] = [
        [
          {
            method: 'POST',
            path: at('guest-light', '/control'),
            body: { op: 'set_power', args: { on: !state.on } },
          },
          id('guest-light'),
          /^turned (?:on|off)$/,
        ],
        [
          {
            method: 'POST',
            path: at('bedside-panel:1', '/control'),
            body: { op: 'set_mode', args: { mode: gang.mode === 'auto' ? 'eco' : 'auto' } },
          },
          id('bedside-panel:1'),
          /^mode set to/,
        ],
        [
          { method: 'PATCH', path: at('guest-light'), body: { name: `Guest light ${home.transport}` } },
          id('guest-light'),
          /renamed to Guest light/,
        ],
        [
          {
            method: 'PATCH',
            path: `/v1/rooms/${encodeURIComponent(id('room:study'))}`,
            body: { name: `Den ${home.transport}` },
          },
          id('room:study'),
          /renamed to Den/,
        ],
        [
          {
            method: 'PUT',
            path: at('guest-light', '/intents/off_delay'),
            body: { value: home.transport === 'http' ? 30 : 60 },
          },
          id('guest-light'),
          /off.*(?:30|60|1 min)/,
        ],
        [{ method: 'POST', path: '/v1/scenes', body: { name: 'Mine', steps: [step] } }, id('scene:'), /created/],
        [
          { method: 'POST', path: '/v1/automations', body: { name: 'Mine', when: [{ time: '04:00' }], then: [step] } },
          id('automation:'),
          /created/,
        ],
        [
          { method: 'POST', path: '/v1/schedules', body: { name: 'Mine', at: { time: '04:00' }, then: [step] } },
          id('schedule:'),
          /created/,
        ],
      ]
      for (const [request, device, what] of changes) {
        const from = home.running.clock.now()
        const answer = await home.call({ ...request, token: panel.token })
        expect(answer.status, answer.text).toBeLessThan(300)
        const { entries } = (await home.get('/v1/activity', panel.token)) as { entries: Entry[] }
        const entry = entries.find(
          (entry) =>
            entry.cause.name === `API: Panel ${home.transport}` &&
            entry.device?.startsWith(device) &&
            what.test(entry.what),
        )
        expect(entry, `${request.method} ${request.path}: ${JSON.stringify(entries.slice(0, 3))}`).toBeDefined()
        expect(entry?.cause).toMatchObject({ source: 'integration', link: panel.link })
        expect(entry?.at).toBeGreaterThanOrEqual(from)
        expect(entry?.at).toBeLessThanOrEqual(home.running.clock.now())
      }
    },
  )

  verifies(['4.rule4.key'], 'through a scene names the integration behind it, also if it failed', async (home) => {
    const panel = await home.integrate({ name: `Scenes ${home.transport}`, settings: EVERYTHING_ALLOWED })
    await home.call({
      method: 'POST',
      path: home.at('kitchen-panel:1', '/control'),
      body: { op: 'set_power', args: { on: false } },
    })
    const { events } = home.running.gateway.home
    const sceneEnded = new Promise<void>((resolve) => {
      const stop = events.on((event) => {
        if (event.kind !== 'scene' || event.scene !== 'dinner' || event.running) return
        stop()
        resolve()
      })
    })
    await home.call({
      method: 'POST',
      path: home.at('scene:dinner', '/control', panel),
      body: { op: 'run' },
      token: panel.token,
    })
    await sceneEnded
    home.running.sim.silence(83)
    await home.call({
      method: 'POST',
      path: home.at('guest-light', '/control', panel),
      body: { op: 'set_power', args: { on: true } },
      token: panel.token,
    })
    home.running.sim.silence(83, false)
    const { entries } = (await home.get('/v1/activity', panel.token)) as { entries: Entry[] }
    const name = `API: Scenes ${home.transport}`
    expect(
      entries.find(({ device, cause }) => device === home.id('kitchen-panel:1', panel) && cause.by?.name === name),
    ).toMatchObject({ what: 'turned on', cause: { source: 'scene', name: 'Dinner' } })
    expect(
      entries.find(({ device, cause }) => device === home.id('guest-light', panel) && cause.name === name),
    ).toMatchObject({ what: expect.stringContaining('failed') as string })
  })

  verifies('4.rule4.key', 'that was refused is not in the activity', async (home) => {
    const panel = await home.integrate({ name: `Refused ${home.transport}` })
    await home.call({
      method: 'PATCH',
      path: home.at('guest-light', '', panel),
      body: { name: 'Mine' },
      token: panel.token,
    })
    await home.call({
      method: 'POST',
      path: home.at('front-door', '/control', panel),
      body: { op: 'open' },
      token: panel.token,
    })
    await home.call({
      method: 'POST',
      path: home.at('guest-light', '/control', panel),
      body: { op: 'open' },
      token: panel.token,
    })
    const { entries } = (await home.get('/v1/activity', panel.token)) as { entries: Entry[] }
    expect(entries.filter(({ cause }) => cause.name === `API: Refused ${home.transport}`)).toEqual([])
  })
})

describe('GET /v1/gateway/tls', () => {
  const answersTheCa = async (home: TestHome): Promise<void> => {
    const answer = await home.get('/v1/gateway/tls')
    expect(Object.keys(answer).toSorted()).toEqual(['ca', 'fingerprint', 'house'])
    const pem = String(answer['ca'])
    expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----\n?$/)
    expect(pem).toBe(home.ca)
    const der = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\n/g, ''), 'base64')
    expect(answer['fingerprint']).toBe(
      createHash('sha256')
        .update(der)
        .digest('hex')
        .toUpperCase()
        .replaceAll(/(..)(?!$)/g, '$1:'),
    )
  }
  const atHome = 'The home network alone has it (Spec 4).'
  verifies(['2.6.tls', '1.5.house'], 'answers the CA as PEM and its SHA-256 fingerprint', { atHome }, answersTheCa)
})
