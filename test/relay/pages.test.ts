import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { PASSWORD_LENGTH_MIN } from '../../relay/accounts/account.ts'
import { TABLES } from '../../relay/store/store.ts'
import { proves } from '#support/gateway/verifies.ts'
import { HOME, OLGA, olgasRelay, testWeb } from '#support/relay/test-web.ts'

const NEXT = 'another good password'

describe('the relay’s pages', () => {
  test('a person creates the first account, links a home by code and serial, and sees its name', async () => {
    const { web, homes, olga, linkChanges } = await olgasRelay({ homes: [] })
    expect((await olga.open('/')).text).toContain('No home is linked to your account yet.')
    homes.houses.set(HOME, 'Sonnenwinkel')
    const { code } = await web.enrolment.begin(HOME, 'key')
    const compare = await olga.submit(await olga.open('/link'), 'Continue', { code: code.toLowerCase() })
    expect(compare.title).toBe('Is this your gateway?')
    expect(compare.text).toContain(HOME)
    expect(linkChanges).toEqual([])
    const linked = await olga.submit(compare, 'Link this gateway')
    expect(linked.text).toContain('Sonnenwinkel is linked to your account.')
    expect(linkChanges).toEqual([{ kind: 'linked', gateway: HOME, account: OLGA.email }])
  })

  test('an offline home is listed without its name, which the relay does not store', async () => {
    const { homes, olga, store } = await olgasRelay()
    expect((await olga.open('/')).text).toContain('House 1')
    homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
    const page = await olga.open('/')
    expect(page.text).toContain(`Not connected right now Gateway ${HOME}`)
    expect(JSON.stringify(store.everything())).not.toContain('House 1')
  })

  proves('relay.replaced-by-owner', 'the page of a code that replaces a gateway asks for the password', async () => {
    const { web, homes, olga, linkChanges } = await olgasRelay()
    const { code } = await web.enrolment.begin(HOME, 'key of another')
    const page = await olga.open(`/link?code=${code}`)
    const question = await olga.submit(page, 'Continue')
    expect([question.title, question.text.includes('your present gateway is disconnected')]).toEqual([
      'Replace your gateway?',
      true,
    ])
    const form = { current: OLGA.password }
    const live = await olga.submit(question, 'Replace my gateway', form)
    expect([live.status, live.text.includes('stop it first')]).toEqual([409, true])
    homes.failing.set(HOME, { kind: 'gateway_offline', retryAfter: 15 })
    const wrong = await olga.submit(question, 'Replace my gateway', { current: 'wrong horse battery' })
    expect([wrong.title, wrong.status]).toEqual(['Replace your gateway?', 422])
    expect(linkChanges).toHaveLength(1)
    await olga.submit(wrong, 'Replace my gateway', form)
    expect(linkChanges).toHaveLength(2)
  })

  test('unlinking a home needs a confirmation', async () => {
    const { olga, linkChanges } = await olgasRelay()
    const question = await olga.submit(await olga.open('/'), 'Unlink')
    expect(question.title).toBe('Unlink House 1?')
    expect(linkChanges).toHaveLength(1)
    const list = await olga.submit(question, 'Unlink')
    expect(list.text).toContain('No home is linked to your account yet.')
    expect(linkChanges.at(-1)).toEqual({ kind: 'unlinked', gateway: HOME, account: OLGA.email })
  })

  test('an unknown code shows what to do, and the eleventh try how long to wait', async () => {
    const { olga } = await olgasRelay({ homes: [] })
    let page = await olga.open('/link')
    for (let index = 0; index < 10; index += 1) {
      page = await olga.submit(page, 'Continue', { code: 'AAAA-AAAA' })
      expect([page.status, page.text.includes('Get a new one from the gateway.')]).toEqual([422, true])
    }
    page = await olga.submit(page, 'Continue', { code: 'AAAA-AAAA' })
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '6'])
    expect(page.text).toContain('Too many codes were tried. Try again in 6 seconds.')
  })

  test('an invite is shown once, creates one account, and says so when it has expired', async () => {
    const { olga, browser, origin } = await olgasRelay({ homes: [] })
    const page = await olga.submit(await olga.open('/account'), 'Create an invite')
    const [link = ''] = new RegExp(`${origin}/signup\\?invite=[\\w-]+`).exec(page.text) ?? []
    const tom = browser()
    const short = await tom.submit(await tom.open(link), 'Create account', {
      email: 'tom@example.org',
      password: 'short',
    })
    expect([short.status, short.text.includes(`at least ${PASSWORD_LENGTH_MIN} characters`)]).toEqual([422, true])
    const form = { email: 'tom@example.org', password: NEXT }
    expect((await tom.submit(short, 'Create account', form)).title).toBe('Your homes')
    expect([(await browser().open(link)).status, (await browser().open('/signup')).status]).toEqual([404, 404])
  })

  proves('relay.sessions', 'the account page lists the signed-in browsers, and can end each session', async () => {
    const { olga, browser, clock } = await olgasRelay({ homes: [] })
    const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0'
    const [work, phone] = [
      browser(chrome),
      browser('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Safari/604.1'),
    ]
    await work.submit(await work.open('/signin'), 'Sign in', OLGA)
    clock.advance(2 * 3_600_000)
    await phone.submit(await phone.open('/signin'), 'Sign in', OLGA)
    const page = await olga.open('/account')
    expect(page.text).toContain('This browser')
    expect(page.text).toMatch(/Safari on iPhone From 127\.0\.0\.1 · last used just now · signed in just now End/)
    expect(page.text).toMatch(/Chrome on Windows From 127\.0\.0\.1 · last used 2 hours ago · signed in 2 hours ago/)
    const ended = await olga.submit(page, 'End')
    expect(ended.text).toContain('That browser is signed out.')
    expect([(await phone.open('/')).title, (await work.open('/')).title]).toEqual(['Sign in', 'Your homes'])
    const alone = await olga.submit(ended, 'Sign out all other browsers')
    expect(alone.text).not.toContain('Chrome on Windows')
    expect([(await work.open('/')).title, (await olga.open('/')).title]).toEqual(['Sign in', 'Your homes'])
  })

  proves('relay.known-device', 'a known browser can sign in during an attack, an unknown one cannot', async () => {
    const { web, olga, browser, origin } = await olgasRelay({ homes: [] })
    await olga.submit(await olga.open('/'), 'Sign out')
    for (let index = 0; index < 200; index += 1)
      await web.accounts.signIn(OLGA.email, 'wrong horse battery', { peer: `203.0.113.${index}` })
    const stranger = browser()
    const refused = await stranger.submit(await stranger.open('/signin'), 'Sign in', OLGA)
    expect([refused.status, refused.text.includes('Try again in')]).toEqual([429, true])
    expect((await olga.submit(await olga.open('/signin'), 'Sign in', OLGA)).title).toBe('Your homes')
    const link = `${origin}/reset?link=${await web.accounts.reset(OLGA.email)}`
    const reset = await stranger.submit(await stranger.open(link), 'Set the password', { password: NEXT })
    expect(reset.title).toBe('Your account')
  })

  test('a new password signs out all other browsers', async () => {
    const { olga, browser } = await olgasRelay({ homes: [] })
    const elsewhere = browser()
    await elsewhere.submit(await elsewhere.open('/signin'), 'Sign in', OLGA)
    const wrong = await olga.submit(await olga.open('/account'), 'Change the password', {
      current: 'x',
      password: NEXT,
    })
    expect(wrong.status).toBe(422)
    const changed = await olga.submit(wrong, 'Change the password', { current: OLGA.password, password: NEXT })
    expect(changed.text).toContain('The password is changed.')
    expect((await elsewhere.open('/')).title).toBe('Sign in')
    expect((await olga.open('/')).title).toBe('Your homes')
  })

  test('signing out ends the session', async () => {
    const { olga } = await olgasRelay({ homes: [] })
    expect((await olga.submit(await olga.open('/'), 'Sign out')).title).toBe('Sign in')
    expect((await olga.open('/')).title).toBe('Sign in')
  })

  test('a wrong password keeps the typed address and reveals nothing; the sixth try waits', async () => {
    const { olga, browser } = await olgasRelay({ homes: [] })
    expect(olga.cookie('__Host-hm-session')).toMatch(/^[\w-]{43}$/)
    const stranger = browser()
    let page = await stranger.open('/signin')
    for (let index = 0; index < 5; index += 1) {
      page = await stranger.submit(page, 'Sign in', { ...OLGA, password: 'wrong horse battery' })
      expect([page.status, page.text.includes('E-mail address or password is wrong.')]).toEqual([422, true])
      expect(page.html).toContain(`value="${OLGA.email}"`)
    }
    page = await stranger.submit(page, 'Sign in', OLGA)
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '12'])
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/connect/../../x', 'javascript:alert(1)'])(
    'a sign-in leads only to pages of the relay: not to %s',
    async (next) => {
      const { olga, browser } = await olgasRelay({ homes: [] })
      const person = browser()
      const page = await person.open(`/signin?next=${encodeURIComponent(next)}`)
      expect(page.html).not.toContain('evil')
      expect((await person.submit(page, 'Sign in', { ...OLGA, next })).title).toBe('Your homes')
      expect([olga.left, person.left]).toEqual([null, null])
    },
  )
})

describe('an account', () => {
  proves('relay.twice', 'is created once by a form that is sent twice, and a home linked once', async () => {
    const { web, origin, browser, linkChanges } = await testWeb()
    const invite = (await web.accounts.invites.first())!
    const olga = browser()
    const form = await olga.open(`/signup?invite=${invite}`)
    const sent = [olga.submit(form, 'Create account', OLGA), olga.submit(form, 'Create account', OLGA)]
    expect((await Promise.all(sent)).map(({ title }) => title)).toEqual(['Your homes', 'Your homes'])
    expect((await olga.submit(form, 'Create account', OLGA)).title).toBe('Your homes')
    const { code } = await web.enrolment.begin(HOME, 'key')
    const compare = await olga.submit(await olga.open('/link'), 'Continue', { code })
    const confirm = 'Link this gateway'
    const confirmed = await Promise.all([olga.submit(compare, confirm), olga.submit(compare, confirm)])
    confirmed.push(await olga.submit(compare, confirm))
    for (const { url } of confirmed) expect(url.href).toBe(`${origin}/?linked=${HOME}`)
    expect(new Set(linkChanges.map(({ kind }) => kind))).toEqual(new Set(['linked']))
  })

  proves('relay.reset', 'gets a new password by the operator’s link, which works once', async () => {
    const { web, olga, browser, clock } = await olgasRelay({ homes: [] })
    const link = await web.accounts.reset(OLGA.email)
    const person = browser()
    const form = await person.open(`/reset?link=${link}`)
    expect(form.text).toContain(OLGA.email)
    const short = await person.submit(form, 'Set the password', { password: 'short' })
    expect([short.status, short.text.includes(`at least ${PASSWORD_LENGTH_MIN} characters`)]).toEqual([422, true])
    const set = await person.submit(short, 'Set the password', { password: NEXT })
    expect(set.text).toContain('The password is changed. Every other sign-in has ended.')
    expect((await olga.open('/')).title).toBe('Sign in')
    expect((await person.submit(form, 'Set the password', { password: NEXT })).status).toBe(404)
    const late = await web.accounts.reset(OLGA.email)
    clock.advance(TABLES.resets)
    expect((await person.open(`/reset?link=${late}`)).status).toBe(404)
  })

  proves('relay.long-names', 'wraps all of its text within words', async () => {
    const { olga } = await olgasRelay({ homes: [] })
    const body = /\bbody\{[^}]*\}/.exec((await olga.open('/account')).html)?.[0]
    expect(body).toContain('overflow-wrap:anywhere')
  })

  proves('relay.notes-once', 'confirms a change once, and never because of its address', async () => {
    const { olga } = await olgasRelay({ homes: [] })
    for (const name of ['changed', 'ended', 'added', 'renamed', 'removed', 'alone'])
      expect((await olga.open(`/account?${name}`)).html).not.toContain('role="status"')
    const form = { current: OLGA.password, password: NEXT }
    const changed = await olga.submit(await olga.open('/account'), 'Change the password', form)
    expect([changed.url.search, changed.text.includes('The password is changed.')]).toEqual(['', true])
    expect((await olga.open('/account')).text).not.toContain('The password is changed.')
    const headers = { origin: olga.origin, 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ session: 'x'.repeat(43) })
    const invented = await olga.open('/account/sessions', { method: 'POST', body, headers })
    expect(invented.text).toContain('That browser was already signed out.')
    expect(invented.text).not.toContain('is signed out')
  })

  proves('relay.delete-account', 'is deleted with its owner’s password, and its homes are unlinked', async () => {
    const { olga, browser, linkChanges, store } = await olgasRelay()
    const form = await olga.open('/account/delete')
    const wrong = await olga.submit(form, 'Delete the account', { current: NEXT })
    expect([wrong.status, wrong.text.includes('The current password is wrong.')]).toEqual([422, true])
    const deleted = await olga.submit(wrong, 'Delete the account', { current: OLGA.password })
    expect(deleted.title).toBe('Your account is deleted')
    expect(linkChanges.at(-1)).toEqual({ kind: 'unlinked', gateway: HOME, account: OLGA.email })
    expect((await olga.open('/')).title).toBe('Sign in')
    const again = browser()
    expect((await again.submit(await again.open('/signin'), 'Sign in', OLGA)).status).toBe(422)
    expect(JSON.stringify(store.everything())).not.toContain(OLGA.email)
  })

  proves('relay.plain-fields', 'reports a wrong current password', async () => {
    const { olga } = await olgasRelay({ homes: [] })
    const page = await olga.open('/account')
    const wrong = await olga.submit(page, 'Change the password', { current: NEXT, password: NEXT })
    expect([wrong.status, wrong.text.includes('The current password is wrong.')]).toEqual([422, true])
  })

  proves('relay.plain-fields', 'accepts only fields without repeats and control characters', async () => {
    const { origin, fetch } = await testWeb()
    const type = 'application/x-www-form-urlencoded'
    for (const [path, body] of [
      ['/signin', 'email=a%00b&password=x'],
      ['/signin', 'email=a&email=b&password=x'],
      ['/signin', 'email=a&password=x&password=y'],
      ['/signup', 'email=a&password=x%0Ay&invite=z'],
    ] as const) {
      const headers = { origin, 'content-type': type }
      const refused = await fetch(`${origin}${path}`, { method: 'POST', headers, body })
      expect([refused.status, await refused.json()]).toMatchObject([422, { error: { code: 'validation' } }])
    }
    for (const query of ['/signin?next=%00', '/signup?invite=a&invite=b'])
      expect((await fetch(`${origin}${query}`)).status).toBe(422)
  })
})

describe('all pages', () => {
  test('have no script, no frame and no other origin, and are not cached', async () => {
    const { browser } = await testWeb()
    const { headers, html } = await browser().open('/signin')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(html).not.toMatch(/<script|<img|<link|\son\w+=|style="/)
  })

  test('have the one style that the policy allows', async () => {
    const { browser } = await testWeb()
    const { headers, html } = await browser().open('/signin')
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? ''
    expect(style.length).toBeGreaterThan(1_000)
    expect(headers.get('content-security-policy')).toContain(
      `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    )
  })

  test('refuse a form of another site, and one without an origin', async () => {
    const { origin, fetch, olga } = await olgasRelay({ homes: [] })
    const cookie = `__Host-hm-session=${olga.cookie('__Host-hm-session')}`
    for (const from of ['https://evil.example', 'null', undefined]) {
      const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', ...(from ? { origin: from } : {}) }
      const response = await fetch(`${origin}/signout`, { method: 'POST', headers, body: '' })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ error: { code: 'origin_not_allowed' } })
    }
    expect((await olga.open('/')).title).toBe('Your homes')
  })

  proves('relay.neighbours', 'of two relays on one host name keep their people signed in in one browser', async () => {
    const relays = [await olgasRelay({ homes: [] }), await olgasRelay({ homes: [] })]
    // Cookies ignore ports: the browser sends all of them to both relays.
    const jar = new Map(
      relays.map(({ olga, origin }): [string, string] => {
        const { port } = new URL(origin)
        return [`__Host-hm-session-${port}`, olga.cookie('__Host-hm-session') ?? '']
      }),
    )
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    for (const { fetch, origin } of relays)
      expect(await (await fetch(`${origin}/`, { headers: { cookie } })).text()).toContain('Your homes')
    // A session of an earlier version, whose cookie has no port in its name, stays valid.
    const [first] = relays
    const older = { cookie: `__Host-hm-session=${first?.olga.cookie('__Host-hm-session')}` }
    expect(await (await first?.fetch(`${first.origin}/`, { headers: older }))?.text()).toContain('Your homes')
  })

  test('refuse a body that is no form, or too large', async () => {
    const { origin, fetch } = await testWeb()
    const send = async (type: string, body: string) =>
      (await fetch(`${origin}/signin`, { method: 'POST', headers: { origin, 'content-type': type }, body })).status
    expect(await send('application/json', '{}')).toBe(415)
    expect(await send('application/x-www-form-urlencoded', 'x'.repeat(9_000))).toBe(413)
  })

  test('name the allowed methods when they refuse another', async () => {
    const { origin, fetch } = await testWeb()
    const response = await fetch(`${origin}/signin`, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  test('ignore an unknown cookie', async () => {
    const { origin, fetch } = await testWeb()
    for (const cookie of ['__Host-hm-session=', `__Host-hm-session=${'x'.repeat(43)}`, '=;;a=b;__Host-hm-session']) {
      const response = await fetch(`${origin}/`, { headers: { cookie } })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/signin'])
    }
  })
})
