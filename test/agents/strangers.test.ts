// @module-tag repeated
import { request, Agent } from 'node:https'
import { describe, expect } from 'vitest'
import { checkAnswer } from '#support/gateway/conformance.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { times } from '#support/long.ts'
import { accept, startPairing, EXPIRED, allowAgents, withPassingClock, poll, pairingBody } from './device-flow.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** POST over the keep-alive connections of `agent`, as clients send it. */
function post(home: TestHome, agent: Agent, path: string, body: object): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${home.running.url}${path}`, { method: 'POST', agent, headers: JSON_TYPE }, (response) => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk
        })
        .on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }))
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

const POLLS = times(12, 200)

describe(`${POLLS} polls at once`, () => {
  proves(['agents.once', '5.7.device-flow'], 'over as many connections get one token', async () => {
    await using home = await TestHome.open('http', { settled: false })
    await allowAgents(home)
    const { code, userCode } = await startPairing(home)
    const agent = new Agent({ ca: home.ca, keepAlive: true, maxSockets: POLLS })
    try {
      // Opens all connections before the race begins.
      await Promise.all(Array.from({ length: POLLS }, () => post(home, agent, '/v1/pair', {})))
      await accept(home, userCode)
      const answers = await Promise.all(
        Array.from({ length: POLLS }, () => post(home, agent, '/v1/pair/token', { code })),
      )
      for (const { status, body } of answers) checkAnswer('POST', '/v1/pair/token', status, body)
      const tokens = answers.filter(({ status }) => status === 200)
      expect(tokens).toHaveLength(1)
      expect(answers.filter(({ status }) => status !== 200 && status !== 400 && status !== 429)).toEqual([])
      const credentials = home.running.gateway.stores.credentials.list().filter(({ kind }) => kind === 'agent')
      expect(credentials).toHaveLength(1)
      const { access_token } = tokens[0]!.body as { access_token: string }
      expect((await home.call({ method: 'GET', path: '/v1/house', token: access_token })).status).toBe(200)
    } finally {
      agent.destroy()
    }
    expect(
      await rawRequest(home.access(null), {
        method: 'POST',
        path: '/v1/pair/token',
        headers: JSON_TYPE,
        body: JSON.stringify({ code }),
        from: '127.0.0.9',
      }),
    ).toMatchObject(EXPIRED)
  })
})

describe('strangers', () => {
  const from = (home: TestHome, address: string): Promise<{ status: number }> =>
    rawRequest(home.access(null), {
      method: 'POST',
      path: '/v1/pair',
      headers: JSON_TYPE,
      body: JSON.stringify(pairingBody(home)),
      from: address,
    })

  proves(
    ['agents.strangers', '8.pairing'],
    'who exhaust the limits of the home do not stop an administrator from connecting an agent',
    async () => {
      await using home = await TestHome.open('http', withPassingClock())
      await allowAgents(home)
      const statuses: number[] = []
      for (const address of [
        '127.0.1.1',
        '127.0.1.1',
        '127.0.1.1',
        '127.0.1.1',
        '127.0.1.2',
        '127.0.1.2',
        '127.0.1.1',
        '127.0.1.3',
      ])
        statuses.push((await from(home, address)).status)
      // The limit is five requests for the home, from all sources together.
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
      expect((await from(home, '127.0.0.1')).status).toBe(429)
      const made = await home.running.admin.call<{ token: string }>('POST', '/agents', {
        integration: home.main.id,
        name: 'Mine',
        platform: 'Laptop',
      })
      expect((await home.call({ method: 'GET', path: '/v1/house', token: made.token })).status).toBe(200)
      // Blocking the strangers frees their share of the limit.
      for (const source of ['127.0.1.1', '127.0.1.2']) {
        const { requests } = await home.running.admin.call<{ requests: { code: string; peer: string }[] }>(
          'GET',
          '/agents/requests',
        )
        await home.running.admin.call(
          'POST',
          `/agents/requests/${requests.find(({ peer }) => peer === source)!.code}/deny`,
          { block: true },
        )
      }
      expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
      expect((await from(home, '127.0.0.1')).status).toBe(200)
      expect((await from(home, '127.0.1.1')).status).toBe(429)
    },
  )

  proves('4.pair', 'who send malformed bytes get a refusal with the standard body', async () => {
    await using home = await TestHome.open('http', { settled: false })
    await allowAgents(home)
    const good = JSON.stringify(pairingBody(home))
    const kinds: readonly (readonly [
      status: number,
      code: string,
      body: string | Buffer,
      headers?: Record<string, string>,
    ])[] = [
      [415, 'unsupported_media_type', good, { 'content-type': 'text/plain' }],
      [415, 'unsupported_media_type', good, {}],
      [415, 'unsupported_media_type', `gateway=x`, { 'content-type': 'application/x-www-form-urlencoded' }],
      [415, 'unsupported_media_type', good, { ...JSON_TYPE, 'content-encoding': 'gzip' }],
      [422, 'validation', Buffer.from([0xff, 0xfe, 0x00])],
      [422, 'validation', '{'],
      [422, 'validation', `${good}x`],
      [422, 'validation', '['.repeat(1_000)],
      [422, 'validation', 'null'],
      [422, 'validation', '{"__proto__": {"gateway": "x"}}'],
      [413, 'payload_too_large', `{"code": "${'x'.repeat(300 * 1024)}"}`],
    ]
    for (const path of ['/v1/pair', '/v1/pair/token']) {
      for (const [status, code, body, headers = JSON_TYPE] of kinds) {
        const answer = await rawRequest(home.access(null), { method: 'POST', path, headers, body })
        expect([path, answer.status, answer.body]).toEqual([
          path,
          status,
          { error: { code, message: expect.any(String) as string } },
        ])
        checkAnswer('POST', path, answer.status, answer.body)
      }
    }
    expect(
      await rawRequest(home.access(null), {
        method: 'POST',
        path: '/v1/pair',
        headers: { ...JSON_TYPE, origin: 'https://evil.example' },
        body: good,
      }),
    ).toMatchObject({ status: 403, body: { error: { code: 'origin_not_allowed' } } })
    expect(await home.running.admin.call('GET', '/agents/requests')).toEqual({ requests: [] })
    // Pairing ignores credentials, even wrong ones.
    const answer = await rawRequest(home.access(null), {
      method: 'POST',
      path: '/v1/pair',
      headers: { ...JSON_TYPE, authorization: 'Bearer hm_key' },
      body: good,
    })
    expect(answer.status).toBe(200)
    expect(await poll(home, (answer.body as { code: string }).code)).toMatchObject({ status: 400 })
  })
})
