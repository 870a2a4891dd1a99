import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHALLENGE_MS, PASSKEYS_MAX } from '../../src/auth/persons/passkeys.ts'
import { FRESH_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import { type AuthenticatorOptions, type Quirks, SoftAuthenticator } from '#support/gateway/soft-authenticator.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const PASSWORD = 'correct horse battery'
const clock = new ManualClock(Date.now())
let running: TestGateway
let visitor: ConsoleVisitor
let annas: SoftAuthenticator

beforeAll(async () => {
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  visitor = new ConsoleVisitor(running)
  await running.admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
  annas = new SoftAuthenticator(visitor.origin)
  expect((await made(annas, await visitor.signInByLink('Anna'))).status).toBe(201)
})

afterAll(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const optionsOf = ({ body }: RawAnswer): AuthenticatorOptions => (body as { options: AuthenticatorOptions }).options

async function made(by: SoftAuthenticator, as: ConsoleSecrets, quirks?: Quirks): Promise<RawAnswer> {
  const options = optionsOf(await visitor.as(as, 'POST', '/admin/v1/passkeys/options'))
  return visitor.as(as, 'POST', '/admin/v1/passkeys', { name: 'Laptop', passkey: by.make(options, quirks) })
}

const challenge = (host = visitor.host): Promise<RawAnswer> =>
  visitor.ask({ method: 'POST', path: '/console/challenge', headers: { host, origin: `https://${host}` } })

/** Signs in by passkey, every try from its own address because of the rate limit. */
let nextAddress = 1
async function entered(by: SoftAuthenticator, quirks?: Quirks, from?: string): Promise<RawAnswer> {
  const passkey = by.show(optionsOf(await challenge()), quirks)
  return visitor.signIn({ passkey }, { from: from ?? `127.0.2.${(nextAddress += 1)}` })
}

proves('console.passkeys', 'a passkey signs its person in, and is listed with its last use', async () => {
  const answer = await entered(annas)
  expect(answer.status).toBe(201)
  const { session } = answer.body as { session: string }
  const { sessions } = await running.admin.call<{ sessions: { id: string; name: string }[] }>('GET', '/sessions')
  expect(sessions.find(({ id }) => id === session)?.name).toBe('Anna')
  const { passkeys } = await running.admin.call<{ passkeys: object[] }>('GET', '/passkeys')
  expect(passkeys).toEqual([expect.objectContaining({ name: 'Laptop', site: 'localhost', usedAt: clock.now() })])
})

proves('console.passkeys', 'an invalid assertion signs nobody in', async () => {
  const tries: readonly Quirks[] = [
    { foreign: true },
    { verified: false },
    { origin: 'https://localhost:1' },
    { origin: 'https://evil.example' },
    { site: 'evil.example' },
    { type: 'webauthn.create' },
    { id: 'invented' },
  ]
  for (const quirks of tries) expect([quirks, (await entered(annas, quirks)).status]).toEqual([quirks, 401])
  expect((await entered(new SoftAuthenticator(visitor.origin))).body).toMatchObject({
    error: { code: 'unauthorized', message: expect.stringContaining('This passkey is unknown') as string },
  })
})

proves('console.passkeys', 'a challenge works once, for its purpose, within five minutes', async () => {
  const options = optionsOf(await challenge())
  const from = (): { from: string } => ({ from: `127.0.3.${(nextAddress += 1)}` })
  expect((await visitor.signIn({ passkey: annas.show(options) }, from())).status).toBe(201)
  expect((await visitor.signIn({ passkey: annas.show(options) }, from())).status).toBe(401)
  const late = optionsOf(await challenge())
  clock.advance(CHALLENGE_MS)
  expect((await visitor.signIn({ passkey: annas.show(late) }, from())).status).toBe(401)
  const mine = await visitor.signInByLink('Anna')
  const proof = optionsOf(await visitor.as(mine, 'POST', '/admin/v1/session/challenge'))
  const invented = Buffer.alloc(38, 7).toString('base64url')
  for (const other of [proof.challenge, invented, '', 'x'])
    expect((await visitor.signIn({ passkey: annas.show({ challenge: other }) }, from())).status).toBe(401)
})

proves('console.passkeys', 'a copied passkey is detected by its counter', async () => {
  const counting = new SoftAuthenticator(visitor.origin)
  expect((await made(counting, await visitor.signInByLink('Anna'), { counter: 5 })).status).toBe(201)
  expect((await entered(counting, { counter: 9 })).status).toBe(201)
  expect((await entered(counting, { counter: 8 })).status).toBe(401)
  expect((await entered(counting, { counter: 10 })).status).toBe(201)
})

proves(
  ['console.passkeys', 'console.guessing'],
  'a passkey still works after too many passwords, and has its own limit of five a minute',
  { tags: ['long'] },
  async () => {
    const from = '127.0.4.1'
    for (let tries = 0; tries < 6; tries += 1) await visitor.signIn({ name: 'Anna', password: 'wrong wrong' }, { from })
    expect((await visitor.signIn({ name: 'Anna', password: PASSWORD }, { from })).status).toBe(429)
    expect((await entered(annas, {}, from)).status).toBe(201)
    // The session makes the address known, which has five tries of its own.
    for (let tries = 0; tries < 5; tries += 1) expect((await entered(annas, { foreign: true }, from)).status).toBe(401)
    expect(await entered(annas, {}, from)).toMatchObject({ status: 429, headers: { 'retry-after': '12' } })
    clock.advance(60_000)
  },
)

proves(
  ['console.passkeys', 'console.guessing'],
  'unknown passkeys count as failures, but not against a known one',
  async () => {
    const from = '127.0.4.2'
    for (let tries = 0; tries < 6; tries += 1)
      expect((await entered(new SoftAuthenticator(visitor.origin), {}, from)).status).toBe(401)
    expect((await entered(annas, {}, from)).status).toBe(201)
    const answer = await running.admin.call<{ failures: object[] }>('GET', '/failed-authentications')
    expect(answer.failures).toContainEqual(expect.objectContaining({ address: from, count: 6 }))
  },
)

proves(['console.passkeys', 'console.step-up'], 'a passkey makes a session fresh', async () => {
  const mine = await visitor.signInByLink('Anna')
  const other = new SoftAuthenticator(visitor.origin)
  await running.admin.call('POST', '/persons', { name: 'Ben' })
  expect((await made(other, await visitor.signInByLink('Ben'))).status).toBe(201)
  clock.advance(FRESH_MS)
  expect((await visitor.as(mine, 'POST', '/admin/v1/links', {})).status).toBe(403)
  expect((await visitor.as(mine, 'GET', '/admin/v1/session')).body).toMatchObject({
    proofs: { password: true, passkey: true },
  })
  const proof = async (by: SoftAuthenticator) => {
    const options = optionsOf(await visitor.as(mine, 'POST', '/admin/v1/session/challenge'))
    return visitor.as(mine, 'POST', '/admin/v1/session/proof', { passkey: by.show(options) })
  }
  expect((await proof(other)).status).toBe(401)
  expect((await proof(annas)).body).toEqual({ fresh: true })
  expect((await visitor.as(mine, 'POST', '/admin/v1/links', {})).status).toBe(201)
})

proves('console.passkeys', 'a session reports whether its person can sign in without a link', async () => {
  const comesBack = async (as: ConsoleSecrets): Promise<unknown> =>
    (await visitor.as(as, 'GET', '/admin/v1/session')).body
  const nameless = await visitor.signInByLink()
  expect(await comesBack(nameless)).toMatchObject({ comesBack: false })
  await visitor.as(nameless, 'POST', '/admin/v1/persons', { name: 'Eve' })
  expect(await comesBack(nameless)).toMatchObject({ comesBack: false, session: { name: 'Eve' } })
  expect((await made(new SoftAuthenticator(visitor.origin), nameless)).status).toBe(201)
  expect(await comesBack(nameless)).toMatchObject({ comesBack: true, proofs: { password: false, passkey: true } })
  expect(await comesBack(await visitor.signInByLink('Anna'))).toMatchObject({ comesBack: true })
})

proves('console.passkeys', 'a removed passkey does not work, and its end is remembered', async () => {
  const lost = new SoftAuthenticator(visitor.origin)
  const answer = await made(lost, await visitor.signInByLink('Anna'))
  const { id } = (answer.body as { passkey: { id: string } }).passkey
  await running.admin.call('DELETE', `/passkeys/${id}`)
  expect((await entered(lost)).status).toBe(401)
  expect(running.gateway.stores.revocations.has(id)).toBe(true)
})

test('a person has at most ten passkeys, one per authenticator', { tags: ['long'] }, async () => {
  await running.admin.call('POST', '/persons', { name: 'Cleo' })
  const mine = await visitor.signInByLink('Cleo')
  const first = new SoftAuthenticator(visitor.origin)
  expect((await made(first, mine)).status).toBe(201)
  expect((await made(first, mine)).body).toMatchObject({ error: { message: 'This passkey is already registered.' } })
  const early = optionsOf(await visitor.as(mine, 'POST', '/admin/v1/passkeys/options'))
  for (let more = 1; more < PASSKEYS_MAX; more += 1)
    expect((await made(new SoftAuthenticator(visitor.origin), mine)).status).toBe(201)
  const passkey = new SoftAuthenticator(visitor.origin).make(early)
  for (const [path, body] of [
    ['/admin/v1/passkeys/options', undefined],
    ['/admin/v1/passkeys', { name: 'Eleventh', passkey }],
  ] as const)
    expect((await visitor.as(mine, 'POST', path, body)).body).toMatchObject({
      error: { message: expect.stringContaining('at most 10 passkeys') as string },
    })
})

test('invalid passkeys, and those without a person or over the socket file, are refused', async () => {
  const mine = await visitor.signInByLink('Anna')
  for (const quirks of [{ origin: 'https://evil.example' }, { site: 'evil.example' }, { verified: false }])
    expect((await made(new SoftAuthenticator(visitor.origin), mine, quirks)).status).toBe(422)
  const nameless = await visitor.signInByLink()
  expect((await visitor.as(nameless, 'POST', '/admin/v1/passkeys/options')).body).toMatchObject({
    error: { message: expect.stringContaining('Create your account first') as string },
  })
  await expect(running.admin.call('POST', '/passkeys/options')).rejects.toThrow('Create passkeys in the console')
})

proves('console.passkeys', 'at a numeric address the refusal explains that passkeys need a name', async () => {
  const host = `127.0.0.1:${running.gateway.port}`
  expect(await challenge(host)).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('not at an IP address') as string } },
  })
  const about = (at: string) => visitor.ask({ path: '/console/about', headers: { host: at } })
  expect((await about(host)).body).toMatchObject({ passkeys: false, name: `hm-${running.gateway.serial}.local` })
  expect((await about(visitor.host)).body).toEqual({
    gateway: running.gateway.serial,
    name: `hm-${running.gateway.serial}.local`,
    fingerprint: running.gateway.fingerprint,
    setupCode: false,
    passkeys: true,
  })
})
