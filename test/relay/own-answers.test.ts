import { request as plainRequest } from 'node:http'
import { describe, expect, onTestFinished } from 'vitest'
import { readSettings } from '../../relay/model/relay-settings.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { rawRequest, exchangeBytes, statusOf } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { TestRelay, type TestRelayOptions } from '#support/relay/test-relay.ts'

const SECURITY_TXT = '/.well-known/security.txt'
const DAY_MS = 86_400_000

async function relayWith(options: TestRelayOptions) {
  const relay = await TestRelay.open(options)
  onTestFinished(() => relay[Symbol.asyncDispose]())
  return relay
}

function metricsStatus(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    plainRequest({ host: '127.0.0.1', port, path: '/metrics', headers: { host }, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end()
  })
}

describe('the relay’s own responses', () => {
  proves('relay.https-only', 'bind browsers to HTTPS with every status', { tags: ['long'] }, async () => {
    const { relay, home } = await relayedHome()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const requests = [
      ...['/signin', '/', '/account', '/nowhere', '/openapi.json', '/v1/about', '/v1/house', '/mcp'],
      ...['/.well-known/hm-relay', '/.well-known/oauth-authorization-server', '/authorize'],
    ].map((path) => ({ method: 'GET', path }))
    for (const request of [...requests, { method: 'POST', path: '/token', headers: form, body: 'grant_type=x' }]) {
      const { status, headers } = await rawRequest(relay.access(null), request)
      expect([status > 0, headers?.['strict-transport-security']], request.path).toEqual([true, 'max-age=31536000'])
    }
    const misdirected = await rawRequest(relay.access(null), { path: '/', headers: { host: 'other.example' } })
    expect([misdirected.status, misdirected.headers?.['strict-transport-security']]).toEqual([421, 'max-age=31536000'])
    const authorization = `Bearer ${home.main.token}`
    const ofHome = await rawRequest(relay.access(null), { path: '/v1/house', headers: { authorization } })
    expect([ofHome.status, ofHome.headers?.['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
  })

  proves('relay.https-only', 'bind browsers to HTTPS even if the bytes are no request', async () => {
    const relay = await relayWith({})
    const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n'
    for (const [bytes, status] of [
      ['garbage\r\n\r\n', 400],
      [`${get}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
      [`${get}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const received = await exchangeBytes(relay.access(null), bytes)
      expect(statusOf(received), bytes.slice(0, 100)).toBe(status)
      expect(received).toContain('\r\nstrict-transport-security: max-age=31536000\r\n')
    }
  })

  proves('relay.security-text', 'name a contact for weaknesses, with a validity that never ends', async () => {
    const relay = await relayWith({ securityContact: 'mailto:security@relay.example' })
    const { status, text, headers } = await rawRequest(relay.access(null), { path: SECURITY_TXT })
    expect([status, headers?.['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = new Map(text.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
    expect(fields.get('Contact')).toBe('mailto:security@relay.example')
    expect(fields.get('Canonical')).toBe(`${relay.relay.url}${SECURITY_TXT}`)
    const left = Date.parse(fields.get('Expires') ?? '') - systemClock.now()
    expect([left > 30 * DAY_MS, left < 365 * DAY_MS]).toEqual([true, true])
    const silent = await relayWith({})
    expect((await rawRequest(silent.access(null), { path: SECURITY_TXT })).status).toBe(404)
  })

  proves('relay.security-text', 'take the contact from a setting, which must be a URI of RFC 9116', () => {
    const contactOf = (text: string) => readSettings({ HM_RELAY_SECURITY_CONTACT: text }).securityContact
    for (const text of ['mailto:security@relay.example', 'https://relay.example/security', 'tel:+41-44-1234567'])
      expect(contactOf(text)).toBe(text)
    expect(contactOf('')).toBeNull()
    for (const text of [
      'security@relay.example',
      'http://relay.example',
      'mailto:a@b\nContact: x',
      'https://',
      'mailto:',
    ])
      expect(() => contactOf(text), text).toThrow('HM_RELAY_SECURITY_CONTACT is')
  })

  proves('relay.metrics-host', 'with metrics require a local host name', async () => {
    const relay = await relayWith({ metricsPort: 0 })
    const statusOf = (host: string) => metricsStatus(relay.relay.metricsPort ?? 0, host)
    for (const host of ['localhost:9464', '127.0.0.1', 'LOCALHOST', '[::1]:9464'])
      expect(await statusOf(host), host).toBe(200)
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.5', '@'])
      expect(await statusOf(host), host).toBe(421)
  })
})
