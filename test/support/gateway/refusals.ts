import type { TestHome } from './harness.ts'
import type { TestRequest } from './verifies.ts'

interface Refused {
  readonly why: string
  readonly request: TestRequest
  readonly status: number
  readonly code: string
  readonly appAction?: string
  /** JSON Pointer of a refused part of a rule. */
  readonly at?: string
}

/** A request for each refusal that a key can get while all is well. */
export async function refusals(home: TestHome): Promise<readonly Refused[]> {
  const plain = await home.integrate({ expose: ['room:study', 'room:garden', 'scene:dinner'] })
  const shut = await home.integrate({ settings: { advanced_config: 'off' } })
  const disabled = await home.integrate({})
  await home.change(disabled, { enabled: false })
  const all = { token: home.main.token }
  const at = (local: string, rest = '', by = plain): string => home.at(local, rest, by)
  const scene = await home.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Mine' } })
  const scenePath = `/v1/scenes/${encodeURIComponent((scene.body as { scene: { id: string } }).scene.id)}`
  const record = { appAction: 'integrations.record' }
  const rooms = { code: 'structural_not_allowed', status: 403, appAction: 'rooms' }
  return [
    {
      why: 'an unknown token',
      request: { method: 'GET', path: '/v1/house', token: 'hm_key_nobody' },
      status: 401,
      code: 'unauthorized',
    },
    {
      why: 'a disabled integration',
      request: { method: 'GET', path: '/v1/house', token: disabled.token },
      status: 403,
      code: 'record_disabled',
      appAction: 'integrations.record',
    },
    {
      why: 'opening a gate',
      request: {
        method: 'POST',
        path: at('driveway-gate', '/control'),
        body: { op: 'open' },
        token: plain.token,
      },
      status: 403,
      code: 'unlock_not_allowed',
      ...record,
    },
    {
      why: 'settings while off',
      request: { method: 'GET', path: at('guest-light', '/intents', shut), token: shut.token },
      status: 403,
      code: 'config_not_allowed',
      ...record,
    },
    {
      why: 'a setting while read',
      request: {
        method: 'PUT',
        path: at('study-light', '/intents/led_mode'),
        body: { value: 'on' },
        token: plain.token,
      },
      status: 403,
      code: 'config_not_allowed',
      ...record,
    },
    {
      why: 'a read-only setting',
      request: {
        method: 'PUT',
        path: home.at('hall-light', '/intents/fade_speed'),
        body: { value: 3 },
        ...all,
      },
      status: 403,
      code: 'not_offered',
      appAction: 'unit.menus',
    },
    {
      why: 'deleting a scene',
      request: { method: 'DELETE', path: scenePath, ...all },
      status: 403,
      code: 'not_offered',
    },
    {
      why: "a unit's own schedules",
      request: { method: 'PUT', path: home.at('hall-light', '/schedules'), body: {}, ...all },
      status: 403,
      code: 'not_offered',
    },
    {
      why: 'renaming while off',
      request: { method: 'PATCH', path: at('study-light'), body: { name: 'Mine' }, token: plain.token },
      ...rooms,
      ...record,
    },
    { why: 'a new room', request: { method: 'POST', path: '/v1/rooms', body: { name: 'Mine' }, ...all }, ...rooms },
    {
      why: 'a hidden unit',
      request: { method: 'GET', path: at('hall-light'), token: plain.token },
      status: 404,
      code: 'not_found',
    },
    {
      why: 'automations while off',
      request: { method: 'GET', path: '/v1/automations', token: plain.token },
      status: 403,
      code: 'automations_not_allowed',
      ...record,
    },
    {
      why: 'schedules while off',
      request: { method: 'GET', path: '/v1/schedules', token: plain.token },
      status: 403,
      code: 'schedules_not_allowed',
      ...record,
    },
    {
      why: 'a stale revision',
      request: { method: 'PATCH', path: scenePath, body: { name: 'Yours', ifRevision: 9 }, ...all },
      status: 409,
      code: 'revision_mismatch',
    },
    {
      why: 'a value out of range',
      request: {
        method: 'POST',
        path: home.at('studio-light', '/control'),
        body: { op: 'set_brightness', args: { bri: 101 } },
        ...all,
      },
      status: 422,
      code: 'validation',
    },
    {
      why: 'a wrong part of a scene',
      request: {
        method: 'POST',
        path: '/v1/scenes',
        body: { name: 'Mine', steps: [{ delay: 1 }, { delay: -1 }] },
        ...all,
      },
      status: 422,
      code: 'validation',
      at: '/steps/1/delay',
    },
    {
      why: 'an unknown query',
      request: { method: 'GET', path: '/v1/house', query: { surprise: '1' }, ...all },
      status: 422,
      code: 'validation',
    },
    { why: 'an unknown path', request: { method: 'GET', path: '/v1/nothing', ...all }, status: 404, code: 'not_found' },
    {
      why: 'a wrong method',
      request: { method: 'DELETE', path: '/v1/house', ...all },
      status: 405,
      code: 'method_not_allowed',
    },
  ]
}
