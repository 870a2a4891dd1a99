import { describe, expect } from 'vitest'
import { CHALLENGES } from '../../relay/accounts/passkeys.ts'
import { PASSKEYS_MAX } from '../../relay/accounts/account.ts'
import { TABLES } from '../../relay/store/store.ts'
import { type AuthenticatorOptions, SoftAuthenticator } from '#support/gateway/soft-authenticator.ts'
import { proves } from '#support/gateway/verifies.ts'
import type { Browser, PageSnapshot } from '#support/relay/browser.ts'
import { OLGA, olgasRelay } from '#support/relay/test-web.ts'

/** Sends a request of the pages' script with a browser's cookies. */
async function optionsOf(browser: Browser, path: string, fields: Readonly<Record<string, string>> = {}) {
  const response = await post(browser, path, fields)
  return { status: response.status, body: JSON.parse(response.html) as AuthenticatorOptions & Record<string, unknown> }
}

function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<PageSnapshot> {
  const headers = { origin: browser.origin, 'content-type': 'application/x-www-form-urlencoded' }
  return browser.open(path, { method: 'POST', body: new URLSearchParams(fields), headers })
}

const relayOf = () => olgasRelay({ host: 'localhost', homes: [] })

async function added(browser: Browser, phone: SoftAuthenticator, name = 'Phone'): Promise<PageSnapshot> {
  const options = await optionsOf(browser, '/account/passkeys/options', { current: OLGA.password })
  const made = JSON.stringify(phone.make(options.body))
  return post(browser, '/account/passkeys', { name, made })
}

async function signedIn(browser: Browser, phone: SoftAuthenticator): Promise<PageSnapshot> {
  const options = await optionsOf(browser, '/signin/options')
  return post(browser, '/signin/passkey', { response: JSON.stringify(phone.show(options.body)), next: '/account' })
}

describe('a passkey of a relay account', () => {
  proves('relay.passkeys', 'is added with the password, named, used without it, renamed and removed', async () => {
    const { olga, browser, origin, clock } = await relayOf()
    const phone = new SoftAuthenticator(origin)
    expect((await added(olga, phone)).text).toContain('The passkey is added.')
    const other = browser()
    const page = await signedIn(other, phone)
    expect([page.title, page.text.includes('Phone Added just now · last used just now')]).toEqual([
      'Your account',
      true,
    ])
    const id = /passkey\?id=([\w-]+)/.exec(page.html)?.[1] ?? ''
    const own = await other.open(`/account/passkey?id=${id}`)
    const renamed = await other.submit(own, 'Rename', { name: 'Olga’s <phone>' })
    expect(renamed.text).toContain('Olga’s <phone>')
    clock.advance(60_000)
    const one = await olga.open(`/account/passkey?id=${id}`)
    expect((await olga.submit(one, 'Remove the passkey', { current: 'wrong horse battery' })).status).toBe(422)
    expect((await olga.submit(one, 'Remove the passkey', { current: OLGA.password })).text).toContain('is removed')
    expect((await other.open('/account')).title).toBe('Sign in')
    expect((await signedIn(browser(), phone)).status).toBe(422)
  })

  proves('relay.passkeys', 'signs in while strangers use up all tries of the account’s password', async () => {
    const { web, olga, browser, origin } = await relayOf()
    const phone = new SoftAuthenticator(origin)
    await added(olga, phone)
    for (let index = 0; index < 200; index += 1)
      await web.accounts.signIn(OLGA.email, 'wrong horse battery', { peer: `203.0.113.${index}` })
    const other = browser()
    expect((await other.submit(await other.open('/signin'), 'Sign in', OLGA)).status).toBe(429)
    expect((await signedIn(other, phone)).title).toBe('Your account')
  })

  proves('relay.passkeys', 'is accepted once, with the right site, key, challenge and person', async () => {
    const { olga, browser, origin, clock } = await relayOf()
    const phone = new SoftAuthenticator(origin)
    await added(olga, phone)
    const other = browser()
    const wrong = [
      { origin: 'https://evil.example' },
      { site: 'evil.example' },
      { foreign: true },
      { verified: false },
      { type: 'webauthn.create' },
      { id: 'AAAA' },
    ]
    for (const quirks of wrong) {
      const { body } = await optionsOf(other, '/signin/options')
      const response = JSON.stringify(phone.show(body, quirks))
      expect((await post(other, '/signin/passkey', { response })).status, response).toBe(422)
    }
    for (const response of ['', '{}', '[', 'null', JSON.stringify({ id: 1 })])
      expect((await post(other, '/signin/passkey', { response })).status).toBe(422)
    const { body } = await optionsOf(other, '/signin/options')
    const response = JSON.stringify(phone.show(body))
    expect((await post(other, '/signin/passkey', { response })).title).toBe('Your homes')
    expect((await post(browser(), '/signin/passkey', { response })).status).toBe(422)
    const proof = await optionsOf(olga, '/account/proof')
    const ofProof = JSON.stringify(phone.show(proof.body))
    expect((await post(browser(), '/signin/passkey', { response: ofProof })).status).toBe(422)
    const late = await optionsOf(other, '/signin/options')
    clock.advance(TABLES.challenges)
    expect((await post(browser(), '/signin/passkey', { response: JSON.stringify(phone.show(late.body)) })).status).toBe(
      422,
    )
  })

  proves(
    'relay.fresh-proof',
    'is added and removed, and the password changed, only after authenticating again',
    async () => {
      const { olga, origin, browser } = await relayOf()
      const phone = new SoftAuthenticator(origin)
      const wrong: readonly Record<string, string>[] = [{}, { current: 'wrong horse battery' }, { proof: '{}' }]
      for (const fields of wrong) expect((await optionsOf(olga, '/account/passkeys/options', fields)).status).toBe(422)
      const { body } = await optionsOf(olga, '/signin/options')
      const forged = JSON.stringify(phone.make(body))
      expect((await post(olga, '/account/passkeys', { name: 'x', made: forged })).status).toBe(422)
      await added(olga, phone)
      const other = browser()
      await signedIn(other, phone)
      const proofOf = async () => JSON.stringify(phone.show((await optionsOf(olga, '/account/proof')).body))
      const next = 'a new good password'
      const changed = await post(olga, '/account', { proof: await proofOf(), password: next })
      expect(changed.text).toContain('The password is changed.')
      expect((await other.open('/account')).title).toBe('Sign in')
      const id = /passkey\?id=([\w-]+)/.exec(changed.html)?.[1] ?? ''
      expect((await post(olga, '/account/passkey', { id, end: 'yes' })).status).toBe(422)
      const removed = await post(olga, '/account/passkey', { id, end: 'yes', proof: await proofOf() })
      expect(removed.text).toContain('The passkey is removed')
      expect((await post(browser(), '/account/passkeys/options', { current: next })).title).toBe('Sign in')
    },
  )

  proves(
    'relay.passkeys',
    'has limits: passkeys of an account, one account per passkey, and challenges',
    { tags: ['long'] },
    async () => {
      const { web, olga, origin, browser, store, clock } = await relayOf()
      const phones = Array.from({ length: PASSKEYS_MAX }, () => new SoftAuthenticator(origin))
      for (const phone of phones) {
        clock.advance(60_000)
        await added(olga, phone)
      }
      const invite = await web.accounts.invites.ofOperator()
      const tom = browser()
      await tom.submit(await tom.open(`/signup?invite=${invite}`), 'Create account', {
        ...OLGA,
        email: 'tom@example.org',
      })
      expect((await added(tom, phones[0]!)).text).toContain('already belongs to an account')
      clock.advance(60_000)
      const full = await optionsOf(olga, '/account/passkeys/options', { current: OLGA.password })
      expect(full).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('at most') } } })
      const before = store.everything().length
      let refused = 0
      for (let index = 0; index < CHALLENGES.burst + 10; index += 1)
        if ((await optionsOf(browser(), '/signin/options')).status === 429) refused += 1
      expect([refused, store.everything().length - before <= CHALLENGES.burst]).toEqual([10, true])
      await web.enrolment.deleteAccount((await web.accounts.get((await owner(web)).id))!)
      expect(store.everything().filter(({ name }) => name === 'passkeys')).toEqual([])
    },
  )

  proves('relay.passkeys', 'is offered only with a host name, and by the one script that its page allows', async () => {
    const named = await relayOf()
    const page = await named.browser().open('/signin')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';/,
    )
    expect([...page.html.matchAll(/<script/g)]).toHaveLength(1)
    expect((await named.browser().open('/signup')).headers.get('content-security-policy')).not.toContain('script-src')
    const bare = await olgasRelay({ homes: [] })
    expect((await bare.browser().open('/signin')).html).not.toContain('passkey')
    expect((await bare.olga.open('/account')).text).not.toContain('Passkeys')
  })
})

async function owner({ accounts }: Awaited<ReturnType<typeof relayOf>>['web']) {
  const signedIn = await accounts.signIn(OLGA.email, OLGA.password, { peer: '192.0.2.77' })
  return signedIn.ok ? signedIn.value.account : expect.unreachable()
}
