// @module-tag repeated
import { describe, expect } from 'vitest'
import { UpgradeRefused, TestSocket } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { tokenText, partsOf } from '#support/gateway/token-parts.ts'
import { times } from '#support/long.ts'

const UNAUTHORIZED = {
  error: {
    code: 'unauthorized',
    message: 'This needs a valid credential: send "Authorization: Bearer <token>" with a token of this gateway.',
  },
}

/** Every path of the specification, and some unknown paths. */
const PATHS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v1/integration'],
  ['GET', '/v1/house'],
  ['GET', '/v1/state'],
  ['GET', '/v1/devices/a'],
  ['PATCH', '/v1/devices/a'],
  ['POST', '/v1/devices/a/control'],
  ['GET', '/v1/devices/a/explain'],
  ['POST', '/v1/explain'],
  ['GET', '/v1/devices/a/intents'],
  ['PUT', '/v1/devices/a/intents/led_mode'],
  ['GET', '/v1/intents'],
  ['GET', '/v1/devices/a/schedules'],
  ['PATCH', '/v1/rooms/a'],
  ['GET', '/v1/scenes'],
  ['POST', '/v1/scenes'],
  ['GET', '/v1/scenes/a'],
  ['PATCH', '/v1/scenes/a'],
  ['POST', '/v1/scenes/a/run'],
  ['GET', '/v1/automations'],
  ['POST', '/v1/automations'],
  ['GET', '/v1/automations/a'],
  ['PATCH', '/v1/automations/a'],
  ['PUT', '/v1/automations/a'],
  ['GET', '/v1/schedules'],
  ['POST', '/v1/schedules'],
  ['GET', '/v1/schedules/a'],
  ['PATCH', '/v1/schedules/a'],
  ['PUT', '/v1/schedules/a'],
  ['GET', '/v1/sensors'],
  ['GET', '/v1/sensors/a/detections'],
  ['GET', '/v1/energy'],
  ['GET', '/v1/activity'],
  ['GET', '/v1/gateway/tls'],
  ['GET', '/v1/stream'],
  ['DELETE', '/v1/scenes/a'],
  ['POST', '/v1/rooms'],
  ['GET', '/v1/nothing'],
  ['GET', '/v1/'],
  ['DELETE', '/v1/house'],
  ['GET', '/elsewhere'],
]

/** The upgrade's refusal, or null if the socket opened. */
async function tryUpgrade(
  home: TestHome,
  token: string | null,
  query = '',
): Promise<{ status: number; text: string } | null> {
  try {
    const socket = await TestSocket.open(home.access(token), {}, query)
    socket.close()
    return null
  } catch (error) {
    if (error instanceof UpgradeRefused) return error.answer
    throw error
  }
}

describe('a request without a credential in its header', () => {
  verifies(
    ['5.1.bearer', '7.unauthorized', 'refusals.authentication-first'],
    'is 401 on every path, known or not, with any body, except for the about text',
    async (home) => {
      // The relay itself answers paths outside the API.
      const paths = PATHS.filter(([, path]) => !home.isRelayed || path.startsWith('/v1/'))
      const [first, ...others] = await Promise.all(
        paths.map(([method, path], index) =>
          rawRequest(home.access(null), {
            method,
            path,
            from: `127.0.1.${1 + (index % 8)}`,
            ...(method === 'GET' ? {} : { body: '{"broken":', headers: { 'content-type': 'text/html' } }),
          }),
        ),
      )
      expect(first!.body).toEqual(UNAUTHORIZED)
      expect([first!, ...others].map(({ status, text }) => [status, text])).toEqual(paths.map(() => [401, first!.text]))
      expect(await rawRequest(home.access(null), { path: '/v1/about' })).toMatchObject({ status: 200 })
    },
  )

  verifies(
    ['5.1.bearer'],
    'is 401 with another scheme, an empty token, or the token in another place',
    async (home) => {
      const { token } = home.main
      const wrong: Record<string, string>[] = [
        { authorization: token },
        { authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` },
        { authorization: 'Bearer' },
        { authorization: 'Bearer ' },
        { authorization: `Token ${token}` },
        { authorization: `Bearer ${token} ${token}` },
        { 'x-api-key': token },
        { cookie: `token=${token}` },
        { 'proxy-authorization': `Bearer ${token}` },
      ]
      const answers = await Promise.all(
        wrong.map((headers) => rawRequest(home.access(null), { path: '/v1/house', headers, from: '127.0.1.9' })),
      )
      expect(answers.map(({ status, body }) => [status, body])).toEqual(wrong.map(() => [401, UNAUTHORIZED]))
      const inBody = await rawRequest(home.access(null), {
        method: 'POST',
        path: '/v1/explain',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
      expect([inBody.status, inBody.body]).toEqual([401, UNAUTHORIZED])
      expect(
        (await rawRequest(home.access(null), { path: '/v1/house', headers: { authorization: `Bearer ${token}` } }))
          .status,
      ).toBe(200)
    },
  )

  verifies(['5.1.query-token'], 'is 401 with the token in the query, alone or with a wrong header', async (home) => {
    const { token } = home.main
    for (const path of ['/v1/house', '/v1/state', '/v1/integration', '/v1/nothing']) {
      const answer = await rawRequest(home.access(null), { path: `${path}?token=${token}`, from: '127.0.1.9' })
      expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
    }
    const withWrongHeader = await rawRequest(home.access(null), {
      path: `/v1/house?token=${token}`,
      headers: { authorization: 'Bearer no' },
    })
    expect([withWrongHeader.status, withWrongHeader.body]).toEqual([401, UNAUTHORIZED])
    // Without an upgrade, the stream's path takes its token only from the header.
    expect((await rawRequest(home.access(null), { path: `/v1/stream?token=${token}` })).status).toBe(401)
    expect(
      (await rawRequest(home.access(null), { path: '/v1/stream', headers: { authorization: `Bearer ${token}` } }))
        .status,
    ).toBe(426)
  })
})

describe('the upgrade', () => {
  verifies(
    ['5.1.upgrade'],
    'takes the token from the header or the query, or the same token from both',
    async (home) => {
      const { token } = home.main
      const other = (await home.integrate({ name: 'Other' })).token
      expect(await tryUpgrade(home, token)).toBeNull()
      expect(await tryUpgrade(home, null, `?token=${token}`)).toBeNull()
      expect(await tryUpgrade(home, null, `?token=${encodeURIComponent(token)}`)).toBeNull()
      expect(await tryUpgrade(home, token, `?token=${token}`)).toBeNull()
      for (const [header, query] of [
        [null, ''],
        [null, '?token='],
        [null, `?Token=${token}`],
        [token, `?token=${other}`],
        [token, '?token='],
        [null, `?token=${token}&token=${token}`],
        ['hm_key', ''],
      ] as const) {
        const refused = await tryUpgrade(home, header, query)
        expect([refused?.status, JSON.parse(refused?.text ?? '{}')]).toEqual([401, UNAUTHORIZED])
      }
    },
  )

  verifies(['5.1.upgrade'], 'with a token in the query opens a socket with full service', async (home) => {
    const socket = await TestSocket.open(home.access(null), {}, `?token=${home.main.token}`)
    expect(JSON.parse(await socket.ask('a', { id: 'a', method: 'GET', path: '/v1/integration' }))).toMatchObject({
      status: 200,
      body: { integration: { id: home.main.id } },
    })
    socket.close()
  })
})

/** Another character of the same kind. */
const other = (letter: string): string => (letter === '7' ? '8' : '7')

describe('a token', () => {
  verifies(
    ['5.2.parts', '7.unauthorized'],
    'with one part of another token is 401, always with the same bytes and headers',
    async (home) => {
      const stranger = await home.integrate({ name: 'Stranger' })
      const revoked = await home.integrate({ name: 'Revoked' })
      await home.running.admin.call('DELETE', `/keys/${revoked.link}`)
      const [mine, theirs] = [partsOf(home.main.token), partsOf(stranger.token)]
      const tokens = [
        { ...mine, kind: 'agent' },
        { ...mine, kind: 'session' },
        { ...mine, kind: 'master' },
        // The relay does not reveal whether there is such a gateway (test/relay/service.test.ts).
        ...(home.isRelayed ? [] : [{ ...mine, gateway: 'ab12cd34ef56' }]),
        { ...mine, integration: theirs.integration },
        { ...mine, integration: '00000000-0000-4000-8000-000000000000' },
        { ...mine, link: theirs.link },
        { ...mine, link: 'aaaaaaaaaa' },
        { ...mine, secret: theirs.secret },
        { ...mine, secret: 'A'.repeat(43) },
        { ...mine, secret: mine.secret.slice(0, -1) },
        { ...mine, secret: `${mine.secret}A` },
        { ...mine, secret: '' },
      ].map(tokenText)
      const all = [
        ...tokens,
        revoked.token,
        `${home.main.token} `.repeat(3),
        'hm',
        `${home.main.token}${'x'.repeat(4_000)}`,
      ]
      const answers: unknown[] = []
      for (const token of all) {
        const answer = await home.call({ method: 'GET', path: '/v1/house', token })
        answers.push({ status: answer.status, text: answer.text, headers: { ...answer.headers, date: null } })
      }
      expect(answers[0]).toMatchObject({ status: 401, text: JSON.stringify(UNAUTHORIZED) })
      expect(answers).toEqual(all.map(() => answers[0]))
    },
  )

  verifies(['5.2.parts'], 'with any one character changed is 401', async (home) => {
    const { token } = home.main
    const step = times(10, 1)
    const places = Array.from({ length: Math.floor(token.length / step) }, (_, index) => index * step)
    const answers = await Promise.all(
      places.map((at) => {
        const letter = token[at]!
        const changed = `${token.slice(0, at)}${other(letter)}${token.slice(at + 1)}`
        const headers = { authorization: `Bearer ${changed}` }
        const from = `127.0.2.${1 + (at % 16)}`
        return home.transport === 'http'
          ? rawRequest(home.access(null), { path: '/v1/house', headers, from })
          : upgradeFrom(home, changed, from)
      }),
    )
    const serialAt = token.indexOf(home.running.gateway.serial)
    const isOfSerial = (at: number): boolean => at >= serialAt && at < serialAt + home.running.gateway.serial.length
    const refusal = (at: number): number => (home.isRelayed && isOfSerial(at) ? 503 : 401)
    expect(answers.map(({ status }) => status)).toEqual(places.map(refusal))
  })
})

async function upgradeFrom(home: TestHome, token: string, from: string): Promise<{ status: number }> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    authorization: `Bearer ${token}`,
  }
  return rawRequest(home.access(null), { path: '/v1/stream', headers: upgrade, from })
}
