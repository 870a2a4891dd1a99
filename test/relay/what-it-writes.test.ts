import { describe, expect } from 'vitest'
import { TestSocket } from '#support/gateway/callers.ts'
import { rawRequest, dial } from '#support/gateway/raw-client.ts'
import { proves } from '#support/gateway/verifies.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { Browser } from '#support/relay/browser.ts'
import { relayedHome, type RelayedHome } from '#support/relay/relayed-home.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { formatted, keptIn, metricsOf } from '#support/relay/written.ts'

const ANSWERED = 'A request was answered.'
const HOUSE = { method: 'GET', path: '/v1/house' }

async function worldWithLog(): Promise<RelayedHome & { readonly log: RecordingLog }> {
  const log = recordingLog()
  return { log, ...(await relayedHome({ log, metricsPort: 0 })) }
}

const requestsOf = ({ lines }: RecordingLog): object[] =>
  lines.filter(({ sentence }) => sentence === ANSWERED).map(({ fields }) => fields)

describe('the relay’s log', () => {
  proves(
    'relay.request-log',
    'has route, serial, status, time and reference of each request',
    { tags: ['long'] },
    async () => {
      const world = await worldWithLog()
      const { log, home, relay, through } = world
      const { serial } = home.running.gateway
      await through.call(HOUSE)
      await through.call({ method: 'GET', path: home.at('hall-light') })
      await through.send('GET', '/v1/nowhere/at/all?x=1', { body: undefined })
      await rawRequest(relay.access(null), { path: '/v1/house' })
      await rawRequest(relay.access(null), { path: '/.well-known/hm-relay' })
      const logged = log.logged(ANSWERED)
      const socket = await TestSocket.open(relay.access(home.main.token))
      socket.close()
      await logged
      expect(requestsOf(log)).toEqual(
        [
          ['/v1/house', serial, 200],
          ['/v1/devices/{id}', serial, 200],
          ['other', serial, 404],
          ['/v1/house', null, 401],
          ['/.well-known/hm-relay', null, 200],
          ['/v1/stream', serial, 101],
        ].map(([route, of, status]) => ({
          method: 'GET',
          route,
          serial: of,
          status,
          ms: expect.any(Number) as number,
          reference: expect.stringMatching(/^[0-9a-f]{10}$/) as string,
        })),
      )
    },
  )

  proves('relay.request-log', 'has a line for each connected and disconnected tunnel', async () => {
    const { log, home } = await worldWithLog()
    const { serial } = home.running.gateway
    const over = log.logged('A gateway has disconnected.')
    await home.running.admin.call('DELETE', '/relay')
    await over
    const tunnels = log.lines.filter(({ sentence }) => sentence.startsWith('A gateway'))
    expect(tunnels).toEqual([
      { level: 'info', fields: { serial, slot: 0, linked: false }, sentence: 'A gateway is connected.' },
      {
        level: 'info',
        fields: { serial, slot: 0, reason: 'closed', seconds: expect.any(Number) as number },
        sentence: 'A gateway has disconnected.',
      },
    ])
  })

  proves('relay.left', 'has no error if a client disconnects before its body is complete', async () => {
    const { log, home, relay } = await worldWithLog()
    for (const path of ['/v1/pair', '/signin', '/token', '/register', '/mcp', home.at('hall-light', '/control')]) {
      const socket = await dial(relay.access(null))
      const type = path === '/signin' || path === '/token' ? 'application/x-www-form-urlencoded' : 'application/json'
      const head = [`POST ${path} HTTP/1.1`, `Host: localhost`, `Origin: ${relay.relay.url}`, `Content-Type: ${type}`]
      const token = `Authorization: Bearer ${home.main.token}`
      const answered = log.logged(ANSWERED)
      socket.write(`${[...head, token, 'Content-Length: 100'].join('\r\n')}\r\n\r\n{"gateway":`)
      // Data on one connection are read before its end.
      socket.end()
      await answered
    }
    const wrong = log.lines.filter(({ level }) => level === 'error' || level === 'warn')
    expect(wrong).toEqual([])
  })
})

/** Secrets and texts of a client, a person and an agent that must not be found afterwards. */
const CANARIES = {
  query: 'canary-of-the-query',
  header: 'canary-of-the-header',
  body: 'canary-of-the-body',
  password: 'canary of the password',
  email: 'canary@example.org',
  path: 'canary-of-the-path',
}

describe('the data that the relay writes and stores', () => {
  proves('relay.no-traces', 'contain no request or response', async () => {
    const world = await worldWithLog()
    const { log, home, relay, through } = world
    const token = home.main.token
    const { query, header, body, password, email, path } = CANARIES
    const answer = await through.call(HOUSE)
    for (const at of ['/v1/house', `/v1/devices/${path}`, `/${path}`, '/mcp', `/mcp/r/${path}`, '/signin', '/token'])
      for (const method of ['GET', 'POST'])
        await rawRequest(relay.access(null), {
          method,
          path: `${at}?q=${query}`,
          headers: { authorization: `Bearer ${token}`, 'user-agent': header, 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: JSON.stringify({ q: body }) } : {}),
        })
    const socket = await TestSocket.open(relay.access(null), {}, `?token=${token}`)
    await socket.ask('q', { id: 'q', method: 'GET', path: `/v1/devices/${path}`, body: { body } })
    socket.close()
    const { fetch: trusting, agent } = trustingFetch(relay.ca)
    const person = new Browser(relay.relay.url, trusting)
    const invite = await person.open('/signup?invite=x')
    await person.submit(invite, 'Create account', { email, password })
    await person.submit(await person.open('/signin'), 'Sign in', { email, password: `${password}x` })
    agent.destroy()
    const { house } = answer.body as { house: string }
    const secrets = [query, header, body, password, path, token, house, token.split('.').at(-1) ?? '']
    const metrics = await metricsOf(relay)
    expect(metrics).toContain('hm_relay_requests_total')
    const written = { log: JSON.stringify(log.lines.map(formatted)), metrics, files: keptIn(relay.dataDir) }
    for (const [where, text] of Object.entries(written))
      for (const secret of secrets) expect(text.includes(secret), `"${secret}" is in ${where}`).toBe(false)
    // An account is found by its address, which is only in the store.
    expect([written.files, written.log, written.metrics].map((text) => text.includes(email))).toEqual([
      true,
      false,
      false,
    ])
  })
})
