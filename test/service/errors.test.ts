import { describe, expect } from 'vitest'
import { contract } from '../../src/api/contract/index.ts'
import { refusedCalls } from '../../src/api/contract/refused.ts'
import type { Endpoint } from '../../src/api/contract/endpoint.ts'
import { ERRORS } from '../../src/wire/errors.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, verifies } from '#support/gateway/harness.ts'
import { proves, type TestRequest } from '#support/gateway/verifies.ts'
import { refusals } from '#support/gateway/refusals.ts'

function errorOf(answer: RawAnswer): Record<string, unknown> {
  return (answer.body as { error: Record<string, unknown> }).error
}

describe('every refusal', () => {
  verifies(
    ['1.8.error-shape', '7.shape', 'refusals.message', '7.not-found', '7.validation', '7.unlock', '7.structural'],
    'has the Error shape, its status and its appAction, and nothing else',
    async (home) => {
      for (const { why, request, status, code, appAction, at } of await refusals(home)) {
        const answer = await home.call(request)
        expect(answer.status, `${why}: ${answer.text}`).toBe(status)
        expect(answer.body, why).toEqual({
          error: {
            code,
            message: expect.any(String) as string,
            ...(appAction ? { appAction } : {}),
            ...(at ? { at } : {}),
          },
        })
        expect(Object.keys(answer.body as object)).toEqual(['error'])
        // Plain, complete and short sentences.
        expect(errorOf(answer)['message'], why).toMatch(/^[A-Za-z][^\n\t{}]{10,300}\.$/)
      }
    },
  )

  verifies(['1.8.error-shape', '7.unauthorized'], 'of an ended credential has it too', async (home) => {
    const [deleted, revoked] = [await home.integrate({}), await home.integrate({})]
    await home.running.admin.call('DELETE', `/keys/${revoked.link}`)
    await home.running.admin.call('DELETE', `/integrations/${deleted.id}`)
    for (const { token } of [deleted, revoked]) {
      expect((await home.call({ method: 'GET', path: '/v1/house', token })).body).toEqual({
        error: {
          code: 'unauthorized',
          message: 'This needs a valid credential: send "Authorization: Bearer <token>" with a token of this gateway.',
        },
      })
    }
  })

  verifies(
    ['refusals.message'],
    'names the wrong field, but no hidden thing and no part of the program',
    async (home) => {
      const narrow = await home.integrate({ expose: ['room:study', 'scene:good-night'], settings: EVERYTHING_ALLOWED })
      const step = { device: home.id('study-light', narrow), op: 'set_power', args: { on: true } }
      const wrong: readonly (readonly [TestRequest, RegExp])[] = [
        [
          {
            method: 'POST',
            path: home.at('study-light', '/control', narrow),
            body: { op: 'set_power', args: { on: 'yes' } },
          },
          /\bon\b/,
        ],
        [{ method: 'POST', path: home.at('study-light', '/control', narrow), body: { args: { on: true } } }, /\bop\b/],
        [{ method: 'POST', path: '/v1/scenes', body: { name: 7 } }, /\bname\b/],
        [
          { method: 'POST', path: '/v1/scenes', body: { name: 'a', steps: [step, { ...step, op: 'open' }] } },
          /\bsteps\b/,
        ],
        [{ method: 'POST', path: '/v1/automations', body: { name: 'a', when: [], then: [step] } }, /\bwhen\b/],
        [{ method: 'POST', path: '/v1/schedules', body: { name: 'a', at: { time: '25:00' }, then: [step] } }, /\bat\b/],
        [{ method: 'GET', path: '/v1/activity', query: { limit: '0' } }, /\blimit\b/],
        [{ method: 'GET', path: '/v1/energy', query: { scope: 'garage' } }, /\bscope\b/],
        [{ method: 'GET', path: home.at('study-light', '/explain', narrow), query: { from: 'yesterday' } }, /\bfrom\b/],
        [{ method: 'PUT', path: home.at('study-light', '/intents/off_delay', narrow), body: { value: 1e6 } }, /239/],
        [
          {
            method: 'PATCH',
            path: `/v1/scenes/${encodeURIComponent(home.id('scene:good-night', narrow))}`,
            body: { name: 'x' },
          },
          /\bifRevision\b/,
        ],
      ]
      for (const [request, field] of wrong) {
        const answer = await home.call({ ...request, token: narrow.token })
        expect(answer.status, answer.text).toBe(422)
        expect(errorOf(answer)['message']).toMatch(field)
        expect(answer.text).not.toMatch(/SELECT|SQLITE|node_modules|\.ts\b|\bat \w+ \(|Zod|Front door|living|Hall/)
      }
    },
  )
})

describe('paths and methods', () => {
  verifies(
    ['requests.unknown-path', '9.1.prefix', '7.not-found'],
    'that are not served are 404 not_found, including all outside /v1',
    async (home) => {
      const paths = [
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/v2/house',
        '/house',
        // The relay's first page.
        ...(home.isRelayed && home.transport === 'http' ? [] : ['/']),
        '/admin/v1/integrations',
        '/v1/House',
        '/v1/house/',
        '/v1//house',
        '/v1/devices/',
        '/v1/devices//control',
        '/v1/automations/a/b',
        '/v1/%68ouse/x',
        '/v1/pair/x',
        '/v1/devices/a/b/c',
        '/v1/house%2f',
      ]
      for (const path of paths) {
        const answer = await home.call({ method: 'GET', path })
        expect(answer, `${path}: ${answer.text}`).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
      }
    },
  )

  verifies(
    ['requests.method'],
    'that are known but not with this method are 405 method_not_allowed, over HTTP with Allow',
    async (home) => {
      const cases: readonly (readonly [method: string, path: string, allow: string])[] = [
        ['POST', '/v1/house', 'GET, HEAD'],
        ['DELETE', '/v1/state', 'GET, HEAD'],
        ['PUT', '/v1/integration', 'GET, HEAD'],
        ['PATCH', '/v1/scenes', 'GET, HEAD, POST'],
        ['GET', '/v1/explain', 'POST'],
        ['GET', '/v1/pair', 'POST'],
        ['PUT', '/v1/pair/token', 'POST'],
        ['POST', home.at('hall-light'), 'GET, HEAD, PATCH'],
        ['GET', home.at('hall-light', '/control'), 'POST'],
        ['DELETE', '/v1/automations', 'GET, HEAD, POST'],
        ['GET', `/v1/scenes/${encodeURIComponent(home.id('scene:dinner'))}/run`, 'POST'],
        // The method is checked before the id, so it does not reveal whether the id exists.
        ['POST', home.at('invented'), 'GET, HEAD, PATCH'],
        ['GET', home.at('invented', '/control'), 'POST'],
      ]
      for (const [method, path, allow] of cases) {
        const answer = await home.call({ method, path })
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 405,
          body: {
            error: {
              code: 'method_not_allowed',
              message: `This path does not take this method; it takes ${taken(allow)}.`,
            },
          },
        })
        if (home.transport === 'http')
          expect(new Set(answer.headers?.['allow']?.split(', '))).toEqual(new Set(allow.split(', ')))
      }
    },
  )

  verifies(['requests.method-refused'], 'that only have calls which are always refused are 404', async (home) => {
    const served = new Set(Object.values<Endpoint>(contract).map(({ path }) => path))
    const paths = [...new Set(refusedCalls.map(({ path }) => path))].filter((path) => !served.has(path))
    expect(paths).toContain('/v1/rooms')
    for (const path of paths)
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'] as const) {
        if (refusedCalls.some((refusedCall) => refusedCall.path === path && refusedCall.method === method)) continue
        const answer = await home.call({ method, path: path.replace('{id}', 'x') })
        expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
        expect(answer.headers?.['allow']).toBeUndefined()
      }
  })
})

/** HEAD goes with GET, and the stream has none. */
function taken(allow: string): string {
  const methods = allow.split(', ').filter((method) => method !== 'HEAD')
  return [methods.slice(0, -1).join(', '), methods.at(-1)].filter(Boolean).join(methods.length > 2 ? ', or ' : ' or ')
}

describe('checks', () => {
  verifies(
    ['refusals.order', '1.4.hidden'],
    'run in order: a hidden id is 404 before knob, body, value and unit',
    async (home) => {
      const narrow = await home.integrate({ expose: ['room:study'] })
      home.running.sim.silence(13)
      const requests: readonly TestRequest[] = [
        { method: 'PATCH', path: home.at('hall-light', '', narrow), body: { name: 7 } },
        { method: 'PUT', path: home.at('hall-light', '/intents/fade_speed', narrow), body: { wrong: 1 } },
        { method: 'GET', path: home.at('hall-light', '/schedules', narrow) },
        { method: 'DELETE', path: home.at('hall-light', '/schedules', narrow) },
        { method: 'POST', path: home.at('front-door', '/control', narrow), body: { op: 'open' } },
        {
          method: 'POST',
          path: home.at('living-lamp', '/control', narrow),
          body: { op: 'set_brightness', args: { bri: 4_000 } },
        },
        { method: 'PATCH', path: `/v1/rooms/${encodeURIComponent(home.id('room:hall', narrow))}`, body: null },
        {
          method: 'PATCH',
          path: `/v1/scenes/${encodeURIComponent(home.id('scene:dinner', narrow))}`,
          body: { ifRevision: 77 },
        },
        { method: 'GET', path: home.at('hall-light', '/explain', narrow), query: { from: 'x' } },
      ]
      try {
        for (const request of requests) {
          expect(
            await home.call({ ...request, token: narrow.token }),
            `${request.method} ${request.path}`,
          ).toMatchObject({
            status: 404,
            body: {
              error: { code: 'not_found', message: 'There is no such thing here. Ids come from GET /v1/house.' },
            },
          })
        }
      } finally {
        home.running.sim.silence(13, false)
      }
      // A visible thing is checked in this order: knob, body, unit.
      expect(
        await home.call({
          method: 'PATCH',
          path: home.at('study-light', '', narrow),
          body: { name: 7 },
          token: narrow.token,
        }),
      ).toMatchObject({ status: 403 })
      expect(
        await home.call({
          method: 'PUT',
          path: home.at('study-light', '/intents/led_mode', narrow),
          body: { wrong: 1 },
          token: narrow.token,
        }),
      ).toMatchObject({ status: 403 })
      home.running.sim.silence(75)
      expect(
        await home.call({
          method: 'POST',
          path: home.at('study-light', '/control', narrow),
          body: { op: 'set_power', args: { on: 7 } },
          token: narrow.token,
        }),
      ).toMatchObject({ status: 422 })
      home.running.sim.silence(75, false)
    },
  )
})

describe('the table of errors', () => {
  proves('7.table', 'has every code of the specification with its status and appAction', () => {
    const table = [
      ['unauthorized', 401],
      ['session_expired', 401],
      ['record_disabled', 403, 'integrations.record'],
      ['unlock_not_allowed', 403, 'integrations.record'],
      ['config_not_allowed', 403, 'integrations.record'],
      ['not_offered', 403],
      ['structural_not_allowed', 403, 'rooms'],
      ['not_found', 404],
      ['revision_mismatch', 409],
      ['validation', 422],
      ['hmhc_unavailable', 503],
      ['unit_unreachable', 504],
      ['agent_access_disabled', 403, 'integrations.record'],
    ] as const
    for (const [code, status, appAction] of table) {
      const { status: declared, ...rest }: { status: number; appAction?: string } = ERRORS[code]
      expect({ code, status: declared, appAction: rest.appAction }).toEqual({ code, status, appAction })
    }
  })
})
