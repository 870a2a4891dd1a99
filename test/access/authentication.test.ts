import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { UpgradeRefused, TestSocket } from '#support/gateway/callers.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { ask } from '#support/gateway/raw-client.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

const UNAUTHORIZED = {
  error: {
    code: 'unauthorized',
    message: 'This needs a valid credential: send "Authorization: Bearer <token>" with a token of this gateway.',
  },
}

/** Every path of the specification, and some that are none. */
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

/** The upgrade's refusal, or null where the socket opened. */
async function knock(
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

describe('a request without a credential', () => {
  verifies(
    ['5.1.bearer', '7.unauthorized', 'refusals.authentication-first'],
    'is answered 401 on every path, known or not, whatever its body, and needs none for the about text',
    async (home) => {
      const [first, ...others] = await Promise.all(
        PATHS.map(([method, path], index) =>
          ask(home.access(null), {
            method,
            path,
            from: `127.0.1.${1 + (index % 8)}`,
            ...(method === 'GET' ? {} : { body: '{"broken":', headers: { 'content-type': 'text/html' } }),
          }),
        ),
      )
      expect(first!.body).toEqual(UNAUTHORIZED)
      expect([first!, ...others].map(({ status, text }) => [status, text])).toEqual(PATHS.map(() => [401, first!.text]))
      expect(await ask(home.access(null), { path: '/v1/about' })).toMatchObject({ status: 200 })
    },
  )

  verifies(['5.1.bearer'], 'is one with another scheme, an empty token, or the token anywhere else', async (home) => {
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
      wrong.map((headers) => ask(home.access(null), { path: '/v1/house', headers, from: '127.0.1.9' })),
    )
    expect(answers.map(({ status, body }) => [status, body])).toEqual(wrong.map(() => [401, UNAUTHORIZED]))
    const inBody = await ask(home.access(null), {
      method: 'POST',
      path: '/v1/explain',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    expect([inBody.status, inBody.body]).toEqual([401, UNAUTHORIZED])
    expect(
      (await ask(home.access(null), { path: '/v1/house', headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(200)
  })

  verifies(['5.1.query-token'], 'is one with the token in the query, alone or beside a wrong header', async (home) => {
    const { token } = home.main
    for (const path of ['/v1/house', '/v1/state', '/v1/integration', '/v1/nothing']) {
      const answer = await ask(home.access(null), { path: `${path}?token=${token}`, from: '127.0.1.9' })
      expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED])
    }
    const beside = await ask(home.access(null), {
      path: `/v1/house?token=${token}`,
      headers: { authorization: 'Bearer no' },
    })
    expect([beside.status, beside.body]).toEqual([401, UNAUTHORIZED])
    // Without an upgrade the stream's path is a path like any other.
    expect((await ask(home.access(null), { path: `/v1/stream?token=${token}` })).status).toBe(401)
    expect(
      (await ask(home.access(null), { path: '/v1/stream', headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(426)
  })
})

describe('the upgrade', () => {
  verifies(
    ['5.1.upgrade'],
    'takes the token in the header or in the query, both only where they are the same',
    async (home) => {
      const { token } = home.main
      const other = (await home.integrate({ name: 'Other' })).token
      expect(await knock(home, token)).toBeNull()
      expect(await knock(home, null, `?token=${token}`)).toBeNull()
      expect(await knock(home, null, `?token=${encodeURIComponent(token)}`)).toBeNull()
      expect(await knock(home, token, `?token=${token}`)).toBeNull()
      for (const [header, query] of [
        [null, ''],
        [null, '?token='],
        [null, `?Token=${token}`],
        [token, `?token=${other}`],
        [token, '?token='],
        [null, `?token=${token}&token=${token}`],
        ['hm_key', ''],
      ] as const) {
        const refused = await knock(home, header, query)
        expect([refused?.status, JSON.parse(refused?.text ?? '{}')]).toEqual([401, UNAUTHORIZED])
      }
    },
  )

  verifies(['5.1.upgrade'], 'by query opens a socket that is served as any other', async (home) => {
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
  proves('5.2.form', 'has the form of the specification: kind, gateway, integration, link and secret', async () => {
    await using running = await TestGateway.open({ settled: false })
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Form' })) as {
      integration: { id: string }
    }
    const { token, link } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as {
      token: string
      link: string
    }
    const [, kind, gateway, record, its, secret] = /^hm_([a-z]+)_([^.]+)\.([^.]+)\.([^.]+)\.([^.]+)$/.exec(token) ?? []
    expect({ kind, gateway, record, its }).toEqual({
      kind: 'key',
      gateway: running.gateway.serial,
      record: integration.id,
      its: link,
    })
    expect(gateway).toMatch(/^[a-z0-9]{12}$/)
    expect(record).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  verifies(
    ['5.2.parts', '7.unauthorized'],
    'with any one part of another is 401, with the same bytes and headers whichever it is',
    async (home) => {
      const stranger = await home.integrate({ name: 'Stranger' })
      const revoked = await home.integrate({ name: 'Revoked' })
      await home.running.admin.call('DELETE', `/keys/${revoked.link}`)
      const [mine, theirs] = [partsOf(home.main.token), partsOf(stranger.token)]
      const tokens = [
        { ...mine, kind: 'agent' },
        { ...mine, kind: 'session' },
        { ...mine, kind: 'master' },
        { ...mine, gateway: 'ab12cd34ef56' },
        { ...mine, integration: theirs.integration },
        { ...mine, integration: '00000000-0000-4000-8000-000000000000' },
        { ...mine, link: theirs.link },
        { ...mine, link: 'aaaaaaaaaa' },
        { ...mine, secret: theirs.secret },
        { ...mine, secret: 'A'.repeat(43) },
        { ...mine, secret: mine.secret.slice(0, -1) },
        { ...mine, secret: `${mine.secret}A` },
        { ...mine, secret: '' },
      ].map(joined)
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
    const answers = await Promise.all(
      Array.from(token, (letter, at) => {
        const changed = `${token.slice(0, at)}${other(letter)}${token.slice(at + 1)}`
        const headers = { authorization: `Bearer ${changed}` }
        const from = `127.0.2.${1 + (at % 16)}`
        return home.transport === 'http'
          ? ask(home.access(null), { path: '/v1/house', headers, from })
          : knockFrom(home, changed, from)
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from(token, () => 401))
  })

  proves('5.3.once', 'is told once: no answer, list or file tells it again', async () => {
    await using running = await TestGateway.open()
    const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Once' })) as {
      integration: { id: string }
    }
    const { token, link } = (await running.admin.call('POST', '/keys', {
      integration: integration.id,
      name: 'Robot',
    })) as { token: string; link: string }
    const { secret } = partsOf(token)
    const ca = readFileSync(running.gateway.caFile, 'utf8')
    const paths = [
      '/v1/integration',
      '/v1/house',
      '/v1/state',
      '/v1/activity',
      '/v1/scenes',
      '/v1/gateway/tls',
      '/v1/nothing',
    ]
    const answers = await Promise.all(
      paths.map((path) => ask({ url: running.url, ca }, { path, headers: { authorization: `Bearer ${token}` } })),
    )
    const told = await Promise.all([
      ...['/keys', '/integrations', `/integrations/${integration.id}`, '/status', '/house', '/house/file'].map((path) =>
        running.admin.call('GET', path),
      ),
      running.admin.call('DELETE', `/keys/${link}`),
    ])
    running.gateway.stores.history.flush()
    const searched = [
      ...answers.map(({ text }) => text),
      ...told.map((each) => JSON.stringify(each)),
      ...filesOf(running.dataDir).map((file) => readFileSync(file, 'latin1')),
    ]
    expect(
      searched.filter(
        (text) => text.includes(secret) || text.includes(Buffer.from(secret, 'base64url').toString('latin1')),
      ),
    ).toEqual([])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404])
  })
})

describe('the secret', () => {
  proves(
    ['credentials.secret-random', 'credentials.secret-stored'],
    'is 32 bytes of chance beside the credential’s id; only its SHA-256 is stored',
    async () => {
      await using running = await TestGateway.open({ settled: false })
      const { integration } = (await running.admin.call('POST', '/integrations', { name: 'Secrets' })) as {
        integration: { id: string }
      }
      const made: { token: string; link: string }[] = []
      for (let turn = 0; turn < 20; turn++)
        made.push(await running.admin.call('POST', '/keys', { integration: integration.id }))
      const secrets = made.map(({ token }) => partsOf(token).secret)
      expect(secrets.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual(made.map(() => 32))
      expect(new Set(secrets).size).toBe(made.length)
      // Each place of a secret takes many values: 20 draws of one letter in 64 are the same one with a chance of
      // 64^-19.
      expect(Array.from({ length: 42 }, (_, at) => new Set(secrets.map((secret) => secret[at])).size > 1)).toEqual(
        Array.from({ length: 42 }, () => true),
      )
      expect(made.map(({ token, link }) => partsOf(token).link === link)).toEqual(made.map(() => true))

      const rows = running.gateway.stores.core.db.prepare('SELECT * FROM credentials').all() as Record<
        string,
        unknown
      >[]
      for (const { token, link } of made) {
        const row = rows.find((each) => each['link'] === link)!
        const blobs = Object.values(row).filter((value) => Buffer.isBuffer(value))
        expect(blobs).toEqual([createHash('sha256').update(partsOf(token).secret).digest()])
        expect(JSON.stringify(row)).not.toContain(partsOf(token).secret)
      }
    },
  )
})

interface Parts {
  kind: string
  gateway: string
  integration: string
  link: string
  secret: string
}

function partsOf(token: string): Parts {
  const [head = '', integration = '', link = '', secret = ''] = token.split('.')
  const [, kind = '', gateway = ''] = head.split('_')
  return { kind, gateway, integration, link, secret }
}

function joined({ kind, gateway, integration, link, secret }: Parts): string {
  return `hm_${kind}_${gateway}.${integration}.${link}.${secret}`
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

async function knockFrom(home: TestHome, token: string, from: string): Promise<{ status: number }> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    authorization: `Bearer ${token}`,
  }
  return ask(home.access(null), { path: '/v1/stream', headers: upgrade, from })
}
