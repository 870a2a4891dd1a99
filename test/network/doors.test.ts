// @module-tag repeated
import { networkInterfaces } from 'node:os'
import { describe, expect } from 'vitest'
import { TestSocket, UpgradeRefused } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { rawRequest, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { casesOf } from '#support/long.ts'

const misdirected = ({ isRelayed }: TestHome): object => ({
  error: {
    code: 'misdirected_request',
    message: isRelayed
      ? 'This relay does not serve that host name.'
      : 'This gateway does not answer to that host name. Use its own name or one of its addresses.',
  },
})
const NOT_ALLOWED = {
  error: { code: 'origin_not_allowed', message: 'Requests from web pages of other origins are not served.' },
}

/** Host names of the home or, through a relay, of the relay. */
function ownHosts(home: TestHome): string[] {
  const { serial } = home.running.gateway
  if (home.isRelayed) return ['localhost', 'LocalHost', 'localhost.', '127.0.0.1:8443', '[::1]:443']
  const lan = Object.values(networkInterfaces())
    .flatMap((infos = []) => infos)
    .filter((info) => !info.internal && info.family === 'IPv4')
    .map((info) => info.address)
  const names = [`hm-${serial}.local`, `hm-${serial}`, 'localhost', '127.0.0.1', '[::1]', ...lan]
  return [
    ...names,
    ...names.map((name) => `${name}:8490`),
    ...names.map((name) => `${name}:443`),
    `HM-${serial.toUpperCase()}.LOCAL`,
    `hm-${serial}.local.`,
    'LocalHost:8490',
  ]
}

function foreignHosts(home: TestHome): string[] {
  const { serial } = home.running.gateway
  return [
    'evil.example',
    'evil.example:8490',
    `hm-${serial}.local.evil.example`,
    `evil-hm-${serial}.local`,
    'hm-ab12cd34ef56.local',
    '192.0.2.1',
    '[2001:db8::1]',
    '127.0.0.1.nip.io',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    `hm-${serial}.local/`,
    '0.0.0.0',
    'localhost:',
    'localhost:65536',
    'localhost:99999',
    '127.1',
    '::1',
    '[::1',
    '2130706433',
  ]
}

const signed = (home: TestHome): Record<string, string> => ({ authorization: `Bearer ${home.main.token}` })

/** Refusal of an upgrade with these headers, or null if the socket opened. */
async function upgrade(
  home: TestHome,
  headers: Record<string, string>,
): Promise<{ status: number; body: unknown } | null> {
  try {
    ;(await TestSocket.open(home.access(home.main.token), headers)).close()
    return null
  } catch (error) {
    if (error instanceof UpgradeRefused) return { status: error.answer.status, body: error.answer.body }
    throw error
  }
}

describe('a Host', () => {
  verifies(
    ['host-and-origin.host'],
    'of the gateway is served, in upper and lower case, with any port',
    async (home) => {
      for (const host of casesOf(ownHosts(home), 2))
        expect([
          host,
          (await rawRequest(home.access(null), { path: '/v1/integration', headers: { ...signed(home), host } })).status,
        ]).toEqual([host, 200])
    },
  )

  verifies(
    ['host-and-origin.host'],
    'of any other name is 421 for every path and method, even with a valid token',
    async (home) => {
      for (const host of foreignHosts(home)) {
        const answer = await rawRequest(home.access(null), {
          path: '/v1/integration',
          headers: { ...signed(home), host },
        })
        expect([host, answer.status, answer.body]).toEqual([host, 421, misdirected(home)])
      }
      for (const [method, path] of [
        ['GET', '/v1/about'],
        ['GET', '/ca.pem'],
        ['GET', '/openapi.json'],
        ['GET', '/v1/nothing'],
        ['POST', '/v1/explain'],
        ['DELETE', '/v1/house'],
      ] as const) {
        const answer = await rawRequest(home.access(null), {
          method,
          path,
          headers: { ...signed(home), host: 'evil.example' },
        })
        expect([path, answer.status, answer.body]).toEqual([path, 421, misdirected(home)])
      }
      // A refused caller does not learn whether a token is valid.
      expect(
        (
          await rawRequest(home.access(null), {
            path: '/v1/house',
            headers: { authorization: 'Bearer no', host: 'evil.example' },
          })
        ).status,
      ).toBe(421)
    },
  )

  verifies(
    ['host-and-origin.host', 'host-and-origin.no-host'],
    'that is missing, empty or repeated is refused',
    async (home) => {
      const lines = (...hosts: string[]): string =>
        `GET /v1/about HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`
      expect(statusOf(await exchangeBytes(home.access(null), lines('localhost')))).toBe(200)
      const without = await exchangeBytes(home.access(null), lines())
      expect([statusOf(without), JSON.parse(without.slice(without.indexOf('{')))]).toEqual([
        400,
        { error: { code: 'validation', message: 'The Host header is missing.' } },
      ])
      expect([400, 421]).toContain(statusOf(await exchangeBytes(home.access(null), lines(''))))
      expect([400, 421]).toContain(statusOf(await exchangeBytes(home.access(null), lines('localhost', 'evil.example'))))
      expect([400, 421]).toContain(statusOf(await exchangeBytes(home.access(null), lines('evil.example', 'localhost'))))
      expect(statusOf(await exchangeBytes(home.access(null), 'GET /v1/about HTTP/1.0\r\n\r\n'))).toBe(421)
    },
  )

  verifies(['host-and-origin.host'], 'in an absolute address replaces the header, as in RFC 9112', async (home) => {
    const { token } = home.main
    const line = (target: string, host: string): string =>
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
    expect(statusOf(await exchangeBytes(home.access(null), line('https://localhost/v1/house', 'evil.example')))).toBe(
      200,
    )
    expect(statusOf(await exchangeBytes(home.access(null), line('https://evil.example/v1/house', 'localhost')))).toBe(
      421,
    )
    expect(statusOf(await exchangeBytes(home.access(null), line('//evil.example/v1/house', 'localhost')))).toBe(404)
    expect(statusOf(await exchangeBytes(home.access(null), line('/v1/integration', 'localhost')))).toBe(200)
  })

  verifies(['host-and-origin.host-upgrade'], 'is checked for upgrades too', async (home) => {
    for (const host of casesOf(ownHosts(home), 5)) expect([host, await upgrade(home, { host })]).toEqual([host, null])
    for (const host of casesOf(foreignHosts(home), 4))
      expect([host, await upgrade(home, { host })]).toEqual([host, { status: 421, body: misdirected(home) }])
  })
})

const FOREIGN_ORIGINS = [
  'https://evil.example',
  'null',
  'http://localhost',
  'http://localhost:8490',
  'file://',
  'https://localhost.evil.example',
  'chrome-extension://abcdef',
  'https://',
  'localhost',
  'https://localhost/path',
  '',
]

describe('an Origin', () => {
  verifies(['host-and-origin.origin'], 'of the gateway is served, and so is a request without one', async (home) => {
    const { serial } = home.running.gateway
    for (const origin of [
      ...(home.isRelayed ? [] : [`https://hm-${serial}.local:8490`, `https://hm-${serial}`]),
      'https://localhost:8490',
      'https://127.0.0.1',
      'https://[::1]:8490',
    ]) {
      const answer = await rawRequest(home.access(null), {
        path: '/v1/integration',
        headers: { ...signed(home), origin },
      })
      expect([origin, answer.status]).toEqual([origin, 200])
      // No response allows pages of other origins to read it.
      expect(Object.keys(answer.headers ?? {}).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect((await rawRequest(home.access(null), { path: '/v1/integration', headers: signed(home) })).status).toBe(200)
  })

  verifies(
    ['host-and-origin.origin'],
    'of any other site is 403 for every path, also in a preflight request',
    async (home) => {
      for (const origin of FOREIGN_ORIGINS) {
        const answer = await rawRequest(home.access(null), {
          path: '/v1/integration',
          headers: { ...signed(home), origin },
        })
        expect([origin, answer.status, answer.body]).toEqual([origin, 403, NOT_ALLOWED])
      }
      // The relay's own paths are open to pages of any origin.
      const documents = home.isRelayed ? [] : ['/ca.pem', '/openapi.json']
      for (const path of ['/v1/about', '/v1/nothing', ...documents]) {
        expect(
          (await rawRequest(home.access(null), { path, headers: { origin: 'https://evil.example' } })).body,
        ).toEqual(NOT_ALLOWED)
      }
      const preflight = await rawRequest(home.access(null), {
        method: 'OPTIONS',
        path: '/v1/house',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
      })
      expect([
        preflight.status,
        Object.keys(preflight.headers ?? {}).filter((name) => name.startsWith('access-control')),
      ]).toEqual([403, []])
    },
  )

  verifies(['host-and-origin.origin-upgrade'], 'is checked for upgrades too', async (home) => {
    const [own] = ownHosts(home)
    expect(await upgrade(home, { origin: `https://${own}:8490` })).toBeNull()
    expect(await upgrade(home, {})).toBeNull()
    for (const origin of casesOf(FOREIGN_ORIGINS, 3))
      expect([origin, await upgrade(home, { origin })]).toEqual([origin, { status: 403, body: NOT_ALLOWED }])
  })
})
