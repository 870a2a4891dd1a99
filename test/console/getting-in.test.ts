import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkCodeOf } from '../../console/src/lib/page-paths.ts'
import { FRESH_MS, IDLE_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { APP_ACTIONS } from '#support/gateway/app-actions.ts'
import { ConsoleVisitor, secretsOf } from '#support/gateway/console-visitor.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const PASSWORD = 'correct horse battery'
/** The clock stalls instead of advancing, to skip the house's events. */
const clock = new ManualClock(Date.now())
let running: TestGateway
let visitor: ConsoleVisitor

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

proves('console.links', 'a link signs in once, with both secrets of a session', async () => {
  const link = await visitor.link()
  const answer = await visitor.signIn({ link, ownDevice: true })
  expect(answer.status).toBe(201)
  expect([answer.headers?.['set-cookie']].flat()[0]).toMatch(
    /^__Host-hm-[0-9a-z]+=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=7776000$/,
  )
  expect(answer.headers?.['cache-control']).toBe('no-store')
  const own = await visitor.as(secretsOf(answer), 'GET', '/admin/v1/session')
  expect(own.body).toMatchObject({ fresh: true, session: { own: true, person: null, ownDevice: true } })
  expect(await visitor.signIn({ link })).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
})

proves('console.links', 'the console takes a link’s code, but no other fragment, out of the address', async () => {
  const code = await visitor.link()
  expect(linkCodeOf(`#${code}`)).toBe(code)
  for (const hash of ['', '#', '#page', '#settings', `#${code}x`, `#${code.slice(1)}`, '#HM-KITCHEN-4711'])
    expect(linkCodeOf(hash)).toBeNull()
})

proves('console.two-factors', 'the page asks for the code, which a signed-in browser of the person shows', async () => {
  const from = '127.0.0.55'
  const account = { name: 'Carla', password: PASSWORD }
  const { person } = await running.admin.call<{ person: { id: string } }>('POST', '/persons', account)
  const first = secretsOf(await visitor.signIn(account, { from }))
  const on = await visitor.as(first, 'PUT', `/admin/v1/persons/${person.id}/factors`, { two: true })
  expect(on.body).toMatchObject({ person: { twoFactors: true } })
  expect((await visitor.as(first, 'GET', '/admin/v1/session')).body).toMatchObject({ twoFactors: true })
  const asked = await visitor.signIn(account, { from })
  expect([asked.status, asked.body, asked.headers?.['set-cookie']]).toEqual([202, { needs: 'code' }, undefined])
  const shows = (await visitor.as(first, 'POST', '/admin/v1/session/code')).body as { code: string; expiresAt: number }
  expect(shows.expiresAt).toBe(clock.now() + 300_000)
  clock.stall(60_000)
  const wrong = await visitor.signIn({ ...account, code: '12345' }, { from })
  expect(wrong).toMatchObject({
    status: 401,
    body: { error: { message: expect.stringContaining('show a new one') as string } },
  })
  expect((await visitor.signIn({ ...account, code: shows.code }, { from })).status).toBe(201)
  expect(await running.admin.call('PUT', `/persons/${person.id}/factors`, { two: false })).toMatchObject({
    person: { twoFactors: false },
  })
  await running.admin.call('DELETE', `/persons/${person.id}`)
  clock.stall(60_000)
})

proves('console.guessing', 'the sixth wrong password in a minute is 429, but a link still works', async () => {
  const from = '127.0.0.77'
  for (let tries = 0; tries < 5; tries += 1)
    expect((await visitor.signIn({ name: 'Anna', password: 'wrong wrong' }, { from })).status).toBe(401)
  const sixth = await visitor.signIn({ name: 'Anna', password: PASSWORD }, { from })
  expect(sixth).toMatchObject({ status: 429, headers: { 'retry-after': '12' } })
  const answer = await running.admin.call<{ failures: object[] }>('GET', '/failed-authentications')
  expect(answer.failures).toContainEqual(expect.objectContaining({ address: from, count: 6 }))
  expect((await visitor.signIn({ link: await visitor.link() }, { from })).status).toBe(201)
  clock.stall(60_000)
})

test('requests of other sites and invalid bodies cannot sign in', async () => {
  const link = await visitor.link()
  for (const origin of ['https://localhost:1', 'null', 'https://evil.example'])
    expect((await visitor.signIn({ link }, { headers: { origin } })).status).toBe(403)
  expect((await visitor.ask({ method: 'POST', path: '/console/session', body: { link } })).status).toBe(403)
  for (const [body, status] of [
    [{}, 422],
    [{ link, name: 'Anna', password: PASSWORD }, 422],
    [{ link: 'x'.repeat(5_000) }, 413],
  ] as const)
    expect((await visitor.signIn(body)).status).toBe(status)
  expect((await visitor.ask({ path: '/console/session' })).status).toBe(405)
  expect((await visitor.signIn({ link })).status).toBe(201)
})

proves(['console.sessions', 'console.causes'], 'sessions are listed, and ending one takes effect at once', async () => {
  const mine = await visitor.signInByLink('Anna')
  const other = await visitor.signInByLink('Anna')
  const { sessions } = (await visitor.as(mine, 'GET', '/admin/v1/sessions')).body as {
    sessions: { id: string; name: string; own: boolean }[]
  }
  expect(sessions.filter(({ own }) => own).map(({ id }) => id)).toEqual([mine.session])
  expect(sessions.find(({ id }) => id === other.session)?.name).toBe('Anna')
  expect((await visitor.as(mine, 'DELETE', `/admin/v1/sessions/${other.session}`)).body).toEqual({
    ended: other.session,
  })
  expect((await visitor.as(other, 'GET', '/admin/v1/session')).status).toBe(401)
  const { activity } = running.gateway.stores.history
  await activity.committed()
  const entries = [...activity.iterate(0, Number.MAX_SAFE_INTEGER)]
  expect(entries).toContainEqual(
    expect.objectContaining({ what: 'session of Anna ended', cause: { source: 'person', name: 'Anna' } }),
  )
})

proves('console.neighbours', 'one browser can be signed in to two gateways on one host name', async () => {
  await using other = await TestGateway.open({ clock: new ManualClock(Date.now()), settled: false })
  using neighbour = new ConsoleVisitor(other)
  const jar = new Map<string, string>()
  const enter = async (at: ConsoleVisitor): Promise<{ half: string; origin: string }> => {
    const answer = await at.signIn({ link: await at.link() })
    const [set = ''] = [answer.headers?.['set-cookie'] ?? []].flat()
    const [name = '', value = ''] = set.split(';', 1)[0]?.split('=') ?? []
    jar.set(name, value)
    return { half: secretsOf(answer).half, origin: at.origin }
  }
  const [mine, theirs] = [await enter(visitor), await enter(neighbour)]
  // Cookies ignore ports, so the browser sends all of them to both gateways.
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
  const status = async (at: ConsoleVisitor, { half, origin }: typeof mine): Promise<number> =>
    (await at.ask({ path: '/admin/v1/session', headers: { cookie, 'x-hm-session': half, origin } })).status
  expect([await status(visitor, mine), await status(neighbour, theirs)]).toEqual([200, 200])
})

proves('console.neighbours', 'a session with the old cookie name continues under the new name', async () => {
  const mine = await visitor.signInByLink('Anna')
  const { cookie: own, ...headers } = visitor.headersOf(mine)
  const shared = `__Host-hm=${mine.cookie}`
  const ask = (cookie: string) => visitor.ask({ path: '/admin/v1/session', headers: { ...headers, cookie } })
  const first = await ask(shared)
  expect(first.status).toBe(200)
  expect([first.headers?.['set-cookie']].flat()).toEqual([`${own}; Path=/; Secure; HttpOnly; SameSite=Strict`])
  const later = await ask(`${shared}; ${own}`)
  expect([later.status, later.headers?.['set-cookie']]).toEqual([200, undefined])
  // The old name may hold the session of another gateway.
  expect((await ask(`__Host-hm=${'x'.repeat(43)}; ${own}`)).status).toBe(200)
  expect((await ask(`__Host-hm=${'x'.repeat(43)}`)).status).not.toBe(200)
})

proves('console.sessions', 'a session by link can become one of an own device, with a lasting cookie', async () => {
  const mine = await visitor.signInByLink('Anna')
  const say = (ownDevice: boolean) => visitor.as(mine, 'PATCH', '/admin/v1/session', { ownDevice })
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof say>>) => [headers?.['set-cookie']].flat()[0]
  const cookie = `${visitor.cookieName}=${mine.cookie}; Path=/; Secure; HttpOnly; SameSite=Strict`
  const changed = await say(true)
  expect(changed.body).toMatchObject({ session: { own: true, ownDevice: true } })
  expect(cookieOf(changed)).toBe(`${cookie}; Max-Age=7776000`)
  expect(cookieOf(await say(true))).toBeUndefined()
  clock.stall(IDLE_MS)
  expect((await visitor.as(mine, 'GET', '/admin/v1/session')).status).toBe(200)
  expect(cookieOf(await say(false))).toBe(cookie)
  expect(await say(true)).toMatchObject({ status: 403, body: { error: { code: 'sign_in_again' } } })
  clock.stall(IDLE_MS)
  expect((await visitor.as(mine, 'GET', '/admin/v1/session')).status).toBe(401)
  await expect(running.admin.call('PATCH', '/session', { ownDevice: true })).rejects.toThrow('no session')
})

proves('console.step-up', 'dangerous changes need the password after five minutes', async () => {
  const mine = await visitor.signInByLink('Anna')
  expect((await visitor.as(mine, 'POST', '/admin/v1/links', {})).status).toBe(201)
  clock.stall(FRESH_MS)
  const dangerous = [
    ['POST', '/admin/v1/links'],
    ['POST', '/admin/v1/tls/regenerate-ca'],
    ['DELETE', '/admin/v1/integrations/none'],
    ['POST', '/admin/v1/persons'],
    ['PUT', '/admin/v1/persons/none/password'],
    ['DELETE', '/admin/v1/persons/none'],
    ['POST', '/admin/v1/relay'],
    ['PUT', '/admin/v1/relay/passthrough'],
    ['POST', '/admin/v1/keys'],
    ['POST', '/admin/v1/agents'],
    ['POST', '/admin/v1/integrations', { name: 'New', settings: { allow_unlock: 'on' } }],
    ['PATCH', '/admin/v1/integrations/none', { settings: { cloud_access: 'on' } }],
    ['PATCH', '/admin/v1/integrations/none', { enabled: true }],
    ['PUT', '/admin/v1/house/file', { file: '' }],
  ] as const
  for (const [method, path, sent = {}] of dangerous) {
    const { status, body } = await visitor.as(mine, method, path, sent)
    expect([path, status, body]).toMatchObject([path, 403, { error: { code: 'sign_in_again' } }])
  }
  const harmless = [
    ['PATCH', '/admin/v1/integrations/none', { settings: { allow_unlock: 'off' }, enabled: false }, 404],
    ['PUT', '/admin/v1/house/file', { file: '', check: true }, 422],
  ] as const
  for (const [method, path, sent, status] of harmless)
    expect([path, (await visitor.as(mine, method, path, sent)).status]).toEqual([path, status])
  const prove = (password: string) => visitor.as(mine, 'POST', '/admin/v1/session/proof', { password })
  expect((await prove('wrong wrong')).status).toBe(401)
  expect((await prove(PASSWORD)).body).toEqual({ fresh: true })
  expect((await visitor.as(mine, 'POST', '/admin/v1/links', {})).status).toBe(201)
})

proves('console.step-up', 'a session without an account is asked to open a new link', async () => {
  const nameless = await visitor.signInByLink()
  clock.stall(FRESH_MS)
  for (const [path, status] of [
    ['/admin/v1/links', 403],
    ['/admin/v1/session/proof', 401],
  ] as const) {
    const refused = await visitor.as(nameless, 'POST', path, path.endsWith('proof') ? { password: PASSWORD } : {})
    expect(refused).toMatchObject({
      status,
      body: { error: { message: expect.stringContaining('new link') as string } },
    })
  }
})

proves(
  'console.setup-code',
  'the last administrator cannot be removed; removing another ends their sessions at once',
  async () => {
    const { person } = await running.admin.call<{ person: { id: string } }>('POST', '/persons', { name: 'Ben' })
    const ben = await visitor.signInByLink('Ben')
    await running.admin.call('DELETE', `/persons/${person.id}`)
    expect((await visitor.as(ben, 'GET', '/admin/v1/session')).status).toBe(401)
    const { persons } = await running.admin.call<{ persons: { id: string }[] }>('GET', '/persons')
    expect(persons).toHaveLength(1)
    await expect(running.admin.call('DELETE', `/persons/${persons[0]?.id}`)).rejects.toThrow('The last administrator')
  },
)

test('calls with file names of the gateway’s disk work only over the socket file', async () => {
  const mine = await visitor.signInByLink()
  for (const path of ['/admin/v1/backup', '/admin/v1/history/export'])
    expect((await visitor.as(mine, 'POST', path, { file: '/tmp/never' })).status).toBe(404)
})

proves('console.pages', 'pages are one document with a strict policy, and browsers are redirected to it', async () => {
  const pages = ['/console/', '/console/home', '/console/device/abc', '/console/go/integrations.record?device=x']
  for (const path of pages) {
    const { status, headers } = await visitor.ask({ path })
    expect([path, status, headers?.['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(headers?.['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' wss://${visitor.host}; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types hm`,
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
  for (const path of ['/console/invented', '/console/../package.json', '/console/%2e%2e/package.json'])
    expect((await visitor.ask({ path })).status).toBe(404)
  expect((await visitor.ask({ method: 'PUT', path: '/console/home' })).status).toBe(405)
  const browser = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' }
  const whole = await visitor.ask({ path: '/console/', headers: browser })
  for (const path of [
    '/console/invented',
    '/console/device/abc/more',
    '/console/assets/invented.js',
    '/console/trust/x',
  ])
    expect(await visitor.ask({ path, headers: browser })).toMatchObject({ status: 404, text: whole.text })
  expect((await visitor.ask({ path: '/console/invented' })).body).toMatchObject({ error: { code: 'not_found' } })
  expect(await visitor.ask({ path: '/', headers: browser })).toMatchObject({
    status: 303,
    headers: { location: '/console/' },
  })
  expect((await visitor.ask({ path: '/' })).status).toBe(401)
})

proves('console.places', 'every appAction opens a page, and unknown ones open the page that explains it', async () => {
  for (const action of APP_ACTIONS) expect((await visitor.ask({ path: `/console/go/${action}` })).status).toBe(200)
  expect(APP_ACTIONS).toEqual(
    expect.arrayContaining([
      'integrations.record',
      'integrations.approve',
      'integrations.confirm',
      'rooms',
      'unit.menus',
    ]),
  )
  expect((await visitor.ask({ path: '/console/go/invented' })).status).toBe(200)
  expect((await visitor.ask({ path: '/console/go/rooms/more' })).status).toBe(404)
})

proves('console.trust', 'the CA is available as PEM, DER and profile', async () => {
  const pem = await visitor.ask({ path: '/console/trust/ca.pem' })
  const profile = await visitor.ask({ path: '/console/trust/hm.mobileconfig' })
  const { fingerprint } = running.gateway
  expect(new X509Certificate(pem.text).fingerprint256).toBe(fingerprint)
  const data = /<data>([^<]+)<\/data>/.exec(profile.text)?.[1] ?? ''
  expect(new X509Certificate(Buffer.from(data, 'base64')).fingerprint256).toBe(fingerprint)
  expect((await visitor.ask({ path: '/console/trust/ca.crt' })).headers?.['content-type']).toBe(
    'application/x-x509-ca-cert',
  )
  expect((await visitor.ask({ path: '/console/trust/ca.key' })).status).toBe(404)
})

test('the build is one page with hashed files, which browsers cache for good', async () => {
  const { text } = await visitor.ask({ path: '/console/' })
  const files = [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)
  expect(files.length).toBeGreaterThanOrEqual(2)
  for (const path of files) {
    const { status, headers } = await visitor.ask({ path })
    expect([path, status, headers?.['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
  }
  expect(text).not.toMatch(/<script(?![^>]*src=)|style=|onload=/)
})
