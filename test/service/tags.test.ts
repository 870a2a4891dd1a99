import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'

const get = (home: TestHome, path: string, ifNoneMatch?: string) =>
  rawRequest(home.access(null), {
    path,
    headers: {
      authorization: `Bearer ${home.main.token}`,
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    },
  })

const change = (home: TestHome, method: string, path: string, body: object): Promise<RawAnswer> =>
  home.call({ method, path, body })

describe('the tag', () => {
  verifies(
    'api.tags',
    'of scenes, rules and settings stays valid until a visible part changes, singly and in lists',
    async (home) => {
      const device = home.id('hall-light')
      const step = { device, op: 'set_power', args: { on: true } }
      const made = { scenes: '', automations: '', schedules: '' }
      for (const [kind, body] of Object.entries({
        scenes: { name: 'Tagged', steps: [step] },
        automations: { name: 'Tagged', when: [{ time: '03:00' }], then: [step] },
        schedules: { name: 'Tagged', at: { time: '03:00' }, then: [step] },
      })) {
        const { headers = {}, status } = await change(home, 'POST', `/v1/${kind}`, body)
        expect(status).toBe(201)
        made[kind as keyof typeof made] = headers['location'] ?? ''
      }
      const paths = Object.entries(made).flatMap(([kind, path]) => [`/v1/${kind}`, path])
      const settings = home.at('hall-light', '/intents')
      const tags = new Map<string, string>()
      for (const path of [...paths, settings, '/v1/intents']) {
        const tag = (await get(home, path)).headers?.['etag'] ?? ''
        tags.set(path, tag)
        const again = await get(home, path, tag)
        expect([path, again.status, again.text, again.headers?.['etag']]).toEqual([path, 304, '', tag])
      }
      for (const path of Object.values(made)) {
        expect(await change(home, 'PATCH', path, { name: 'Other', ifRevision: 1 })).toMatchObject({ status: 200 })
      }
      await change(home, 'PUT', `${settings}/led_mode`, { value: 'off' })
      for (const [path, tag] of tags) {
        expect([path, (await get(home, path, tag)).status]).toEqual([path, path === '/v1/intents' ? 304 : 200])
      }
    },
  )
})
