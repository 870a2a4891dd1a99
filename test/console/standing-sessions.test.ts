import { afterEach, beforeEach, expect } from 'vitest'
import { FRESH_MS, IDLE_MS } from '../../src/auth/persons/console-session.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type ConsoleSecrets, ConsoleVisitor, secretsOf } from '#support/gateway/console-visitor.ts'
import { type AuthenticatorOptions, SoftAuthenticator } from '#support/gateway/soft-authenticator.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

const PASSWORD = 'correct horse battery'
let clock: ManualClock
let running: TestGateway
let visitor: ConsoleVisitor

beforeEach(async () => {
  clock = new ManualClock(Date.now())
  running = await TestGateway.open({ ...ONE_UNIT, settled: false, clock })
  visitor = new ConsoleVisitor(running)
})

afterEach(async () => {
  visitor[Symbol.dispose]()
  await running[Symbol.asyncDispose]()
})

const person = (name: string, more: object = { password: PASSWORD }): Promise<object> =>
  running.admin.call('POST', '/persons', { name, ...more })

/** Signs in by a link of a session, for a person or without an account. */
async function byLinkOf(maker: ConsoleSecrets, name?: string): Promise<ConsoleSecrets> {
  const { body } = await visitor.as(maker, 'POST', '/admin/v1/links', name === undefined ? {} : { person: name })
  const { links } = body as { links: string[] }
  return secretsOf(await visitor.signIn({ link: links[0]?.split('#')[1] }))
}

async function addPasskey(as: ConsoleSecrets): Promise<RawAnswer> {
  const { body } = await visitor.as(as, 'POST', '/admin/v1/passkeys/options')
  const { options } = body as { options: AuthenticatorOptions }
  const passkey = new SoftAuthenticator(visitor.origin).make(options)
  return visitor.as(as, 'POST', '/admin/v1/passkeys', { name: 'Phone', passkey })
}

const end = (as: ConsoleSecrets, session: ConsoleSecrets): Promise<RawAnswer> =>
  visitor.as(as, 'DELETE', `/admin/v1/sessions/${session.session}`)
const isIn = async (secrets: ConsoleSecrets): Promise<boolean> =>
  (await visitor.as(secrets, 'GET', '/admin/v1/session')).status === 200

async function reasonOf(secrets: ConsoleSecrets): Promise<string | null> {
  const answer = await visitor.as(secrets, 'GET', '/console/ended')
  expect(answer.status).toBe(200)
  return (answer.body as { reason: string | null }).reason
}

const ownId = async (as: ConsoleSecrets): Promise<string> =>
  ((await visitor.as(as, 'GET', '/admin/v1/session')).body as { session: { person: string } }).session.person

proves(
  'console.standing',
  'a session by link survives its maker’s sign-out if its person showed or set a credential',
  async () => {
    await person('Anna')
    await person('Ben')
    await person('Carla', {})
    const anna = await visitor.signInByLink('Anna')
    const [withProof, withNewPassword, passkey, named, unproved] = [
      await byLinkOf(anna, 'Ben'),
      await byLinkOf(anna, 'Carla'),
      await byLinkOf(anna, 'Carla'),
      await byLinkOf(anna),
      await byLinkOf(anna, 'Ben'),
    ]
    expect((await addPasskey(passkey)).status).toBe(201)
    const own = await ownId(withNewPassword)
    // A new password ends the other sessions of its person.
    expect(
      (await visitor.as(withNewPassword, 'PUT', `/admin/v1/persons/${own}/password`, { password: PASSWORD })).status,
    ).toBe(200)
    expect([await isIn(withNewPassword), await isIn(passkey)]).toEqual([true, false])
    const other = await byLinkOf(anna, 'Carla')
    expect((await addPasskey(other)).status).toBe(201)
    await visitor.as(withProof, 'POST', '/admin/v1/session/proof', { password: PASSWORD })
    expect((await visitor.as(named, 'POST', '/admin/v1/persons', { name: 'Dora', password: PASSWORD })).status).toBe(
      201,
    )
    const next = await byLinkOf(withProof)
    await end(anna, anna)
    const all = [withProof, withNewPassword, other, named, next, unproved]
    expect(await Promise.all(all.map(isIn))).toEqual([true, true, true, true, true, false])
    expect(await reasonOf(unproved)).toMatch(
      /^This session was opened by a link from Anna, and ended with Anna’s access\./,
    )
  },
)

proves(
  'console.standing',
  'such a session also survives the removal or a new password of its maker',
  { tags: ['long'] },
  async () => {
    const { person: anna } = (await person('Anna')) as { person: { id: string } }
    await person('Ben')
    for (const loses of [
      () => running.admin.call('PUT', `/persons/${anna.id}/password`, { password: 'another long one' }),
      () => running.admin.call('DELETE', `/persons/${anna.id}`),
    ]) {
      const maker = await visitor.signInByLink('Anna')
      const [stands, depends] = [await byLinkOf(maker, 'Ben'), await byLinkOf(maker, 'Ben')]
      await visitor.as(stands, 'POST', '/admin/v1/session/proof', { password: PASSWORD })
      await loses()
      expect([await isIn(maker), await isIn(stands), await isIn(depends)]).toEqual([false, true, false])
      clock.stall(60_000)
    }
  },
)

proves(
  'console.standing',
  'a wrong password or a name alone does not make a session independent',
  { tags: ['long'] },
  async () => {
    await person('Anna')
    await person('Ben')
    const anna = await visitor.signInByLink('Anna')
    const [wrong, named] = [await byLinkOf(anna, 'Ben'), await byLinkOf(anna)]
    expect((await visitor.as(wrong, 'POST', '/admin/v1/session/proof', { password: 'wrong wrong' })).status).toBe(401)
    expect((await visitor.as(named, 'POST', '/admin/v1/persons', { name: 'Carla' })).status).toBe(201)
    await end(anna, anna)
    expect([await isIn(wrong), await isIn(named)]).toEqual([false, false])
  },
)

proves('console.end-reasons', 'a browser learns the reason of its session’s end with both secrets', async () => {
  const nameless = await visitor.signInByLink()
  const first = await visitor.signInByLink()
  expect((await visitor.as(first, 'POST', '/admin/v1/persons', { name: 'Anna', password: PASSWORD })).status).toBe(201)
  expect(await reasonOf(nameless)).toBe('This session had no name. It ended when Anna became the first administrator.')
  const { person: ben } = (await person('Ben')) as { person: { id: string } }
  const [one, other, removed] = [await visitor.signInByLink('Ben'), await visitor.signInByLink('Ben'), first]
  expect(await reasonOf(one)).toBeNull()
  await end(first, one)
  expect(await reasonOf(one)).toBe('This session was ended by Anna.')
  await running.admin.call('PUT', `/persons/${ben.id}/password`, { password: 'another long one' })
  expect(await reasonOf(other)).toBe('The password of Ben was changed. Sign in with the new one.')
  for (const [cookie, half] of [
    [one.cookie, other.half],
    [one.half, one.cookie],
    ['', one.half],
    ['x'.repeat(500), one.half],
  ] as const)
    expect(await reasonOf({ ...one, cookie, half })).toBeNull()
  const foreign = { ...visitor.headersOf(one), origin: 'https://evil.example' }
  expect((await visitor.ask({ path: '/console/ended', headers: foreign })).status).toBe(403)
  const late = await visitor.signInByLink('Ben')
  await running.admin.call('DELETE', `/persons/${ben.id}`)
  expect(await reasonOf(late)).toBe('Ben is no longer an administrator of this home.')
  clock.stall(IDLE_MS)
  expect(await isIn(removed)).toBe(false)
  expect(await reasonOf(removed)).toBe('This session ended because nobody used it for 12 hours.')
  await visitor.signInByLink('Anna')
  expect(await reasonOf(removed)).toBe('This session ended because nobody used it for 12 hours.')
})

proves('console.first-account', 'the first person can create an account after any time', async () => {
  const first = await visitor.signInByLink()
  clock.stall(FRESH_MS * 10)
  const refused = { status: 403, body: { error: { code: 'sign_in_again' } } }
  expect(await visitor.as(first, 'POST', '/admin/v1/links', {})).toMatchObject(refused)
  // A name without a credential is no account yet, so it can be completed at any time.
  expect((await visitor.as(first, 'POST', '/admin/v1/persons', { name: 'Anna' })).status).toBe(201)
  clock.stall(FRESH_MS)
  expect((await addPasskey(first)).status).toBe(201)
  clock.stall(FRESH_MS)
  expect(await visitor.as(first, 'POST', '/admin/v1/persons', { name: 'Ben' })).toMatchObject(refused)
  expect(await visitor.as(first, 'POST', '/admin/v1/passkeys/options')).toMatchObject(refused)
  const own = await ownId(first)
  const change = await visitor.as(first, 'PUT', `/admin/v1/persons/${own}/password`, { password: PASSWORD })
  expect(change).toMatchObject(refused)
})

proves(
  'console.first-account',
  'the same holds with a password, and for a person created by a command',
  { tags: ['long'] },
  async () => {
    await person('Anna', {})
    const anna = await visitor.signInByLink('Anna')
    clock.stall(FRESH_MS)
    const own = await ownId(anna)
    expect((await visitor.as(anna, 'PUT', `/admin/v1/persons/${own}/password`, { password: PASSWORD })).status).toBe(
      200,
    )
    // Setting a password counts as a proof.
    expect((await visitor.as(anna, 'POST', '/admin/v1/links', {})).status).toBe(201)
  },
)
