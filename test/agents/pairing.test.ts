import { describe, expect, test } from 'vitest'
import type { AccessEvent } from '../../src/auth/agents/expiring-requests.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, ask, MINUTE, refusalOf, tokenOf, CLAUDE } from './pairing-steps.ts'

describe('a user code', () => {
  proves(
    'agents.user-code',
    'has 8 letters without look-alikes, is printed as XXXX-XXXX, and may be typed in any form',
    () => {
      using home = new AccessHome()
      home.integrate()
      for (const typed of [
        (code: string) => code,
        (code: string) => code.toLowerCase(),
        (code: string) => ` ${code.replace('-', ' ')} `,
        (code: string) => code.replace('-', ''),
      ]) {
        const { userCode } = ask(home)
        expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
        expect(home.pairing.deny(typed(userCode), { block: false }, ANNA)).toMatchObject({ ok: true })
        home.clock.advance(MINUTE)
      }
    },
  )
})

describe('an agent that is known already', () => {
  const createAgent = (home: AccessHome): { id: string; token: string; link: string } => {
    const { id } = home.integrate()
    const { token, credential } = home.credentials.create(
      { integration: id, kind: 'agent', name: 'Robot', platform: 'lab' },
      ANNA,
    )
    return { id, token, link: credential.link }
  }
  const works = (home: AccessHome, token: string): boolean => home.authenticator.check(token, 'home').ok

  proves('agents.replace', 'is accepted again only with a decision about its old credential', () => {
    using home = new AccessHome()
    const { link } = createAgent(home)
    const request = ask(home)
    expect(home.pairing.pending()).toMatchObject([{ known: [link] }])
    expect(accept(home, request)).toMatchObject({ ok: false, error: { kind: 'known_agent', links: [link] } })
    expect(home.pairing.poll(request.code)).toEqual({ kind: 'pending' })
    // Another name or platform is another agent.
    expect(accept(home, ask(home, { platform: 'office' })).ok).toBe(true)
  })

  proves('agents.replace', 'may replace its credential, which ends when the new one is collected', () => {
    using home = new AccessHome()
    const { id, token, link } = createAgent(home)
    const request = ask(home)
    expect(accept(home, request, { replaces: true })).toMatchObject({
      ok: true,
      value: { decision: { grant: { replaces: link } } },
    })
    home.crash()
    home.start()
    expect(works(home, token)).toBe(true)
    const fresh = tokenOf(home.pairing.poll(request.code))
    expect([works(home, token), works(home, fresh)]).toEqual([false, true])
    expect(home.changes.at(-1)).toBe(id)
    expect(
      home.core
        .peek(100)
        .map(({ draft }) => draft.what)
        .slice(-3),
    ).toEqual([
      `agent Robot via lab accepted, in place of ${link}`,
      `agent ${link} revoked`,
      expect.stringMatching(/^agent \w{10} created$/),
    ])
  })

  proves('agents.replace', 'may get a second credential; a later replacement must then name one of the two', () => {
    using home = new AccessHome()
    const { token, link } = createAgent(home)
    const second = ask(home)
    accept(home, second, { add: true })
    const secondToken = tokenOf(home.pairing.poll(second.code))
    expect([works(home, token), works(home, secondToken)]).toEqual([true, true])
    const third = ask(home)
    // Both have the same creation time, so their order is undefined.
    const links = [link, secondToken.split('.')[2] ?? ''].toSorted()
    const refused = accept(home, third, { replaces: true })
    expect(refused).toMatchObject({ ok: false, error: { kind: 'no_such_credential' } })
    expect(refused.ok ? [] : refused.error.links?.toSorted()).toEqual(links)
    expect(accept(home, third, { replaces: link }).ok).toBe(true)
    tokenOf(home.pairing.poll(third.code))
    expect([works(home, token), works(home, secondToken)]).toEqual([false, true])
  })

  proves('agents.replace', 'cannot replace a key, a credential of another integration, or one that has ended', () => {
    using home = new AccessHome()
    const { id, link } = createAgent(home)
    const key = home.credentials.create({ integration: id, kind: 'key', name: 'Robot', platform: 'lab' }, ANNA)
      .credential.link
    const other = home.integrate({ agent_access: 'on' }, { name: 'Other' })
    const foreign = home.credentials.create(
      { integration: other.id, kind: 'agent', name: 'Robot', platform: 'lab' },
      ANNA,
    ).credential.link
    home.credentials.revoke(home.credentials.get(link)!, ANNA)
    const request = ask(home, { record: id })
    for (const replaces of [key, foreign, link, 'nothing', true] as const) {
      expect(accept(home, request, { replaces })).toMatchObject({ ok: false, error: { kind: 'no_such_credential' } })
    }
    expect(accept(home, request).ok).toBe(true)
  })
})

describe('the integration of a new agent', () => {
  test('is checked before anything is stored, with one answer for all integrations without agents', () => {
    using home = new AccessHome()
    expect(refusalOf(home)).toEqual({ kind: 'agent_access_disabled' })
    const off = home.integrate({})
    const disabled = home.integrate()
    home.change(disabled.id, { enabled: false })
    for (const record of [null, off.id, disabled.id, '0a0a0a0a-0000-4000-8000-000000000000'])
      expect(refusalOf(home, { record })).toEqual({ kind: 'agent_access_disabled' })
    const local = home.integrate({ agent_access: 'on', cloud_access: 'off' })
    expect(refusalOf(home, { hosted: CLAUDE, record: local.id })).toEqual({ kind: 'cloud_access_disabled' })
    expect(home.requests.list()).toEqual([])
    expect(refusalOf(home, { record: local.id })).toBeNull()
  })

  test('is the requested one, else the only possible one, else the choice of the administrator', () => {
    using home = new AccessHome()
    const [first, off] = [home.integrate(), home.integrate({}, { name: 'Off' })]
    const request = ask(home)
    expect(accept(home, request, { integration: off.id })).toMatchObject({
      ok: false,
      error: { kind: 'agent_access_disabled' },
    })
    expect(accept(home, request, { integration: 'nothing' })).toMatchObject({
      ok: false,
      error: { kind: 'no_integration' },
    })
    const second = home.integrate({ agent_access: 'on' }, { name: 'Second' })
    expect(accept(home, request)).toMatchObject({
      ok: false,
      error: { kind: 'choose_integration', integrations: expect.arrayContaining([first.id, second.id]) },
    })
    expect(accept(home, request, { integration: second.id })).toMatchObject({
      ok: true,
      value: { decision: { grant: { integration: second.id } } },
    })
    const bound = ask(home, { record: first.id, name: 'Bound' })
    expect(accept(home, bound, { integration: second.id })).toMatchObject({
      ok: false,
      error: { kind: 'other_integration' },
    })
    expect(accept(home, bound)).toMatchObject({ ok: true, value: { decision: { grant: { integration: first.id } } } })
  })

  test('offers no session to a hosted platform', () => {
    using home = new AccessHome()
    home.integrate()
    const request = ask(home, { hosted: CLAUDE })
    expect(accept(home, request, { kind: 'session' })).toMatchObject({
      ok: false,
      error: { kind: 'session_not_offered' },
    })
    expect(accept(home, request).ok).toBe(true)
  })

  test('does not change once the request is decided or expired', () => {
    using home = new AccessHome()
    home.integrate()
    const [first, second, third] = [ask(home), ask(home), ask(home)]
    accept(home, first)
    home.pairing.deny(second.userCode, { block: false }, ANNA)
    expect(accept(home, first)).toMatchObject({ ok: false, error: { kind: 'decided' } })
    expect(accept(home, second)).toMatchObject({ ok: false, error: { kind: 'decided' } })
    home.clock.advance(10 * MINUTE)
    expect(accept(home, third)).toMatchObject({ ok: false, error: { kind: 'expired' } })
    expect(home.pairing.deny(third.userCode, { block: true }, ANNA)).toMatchObject({
      ok: false,
      error: { kind: 'expired' },
    })
    expect(accept(home, { ...third, userCode: 'AAAA-AAAA' })).toMatchObject({ ok: false, error: { kind: 'not_found' } })
    expect(
      home.events.filter((event: AccessEvent) => event.kind === 'agent_request_ended' && event.how === 'expired'),
    ).toHaveLength(2)
  })
})

test('a denial with a block answers with the denied request, not with an older one of the same sender', () => {
  using home = new AccessHome()
  home.integrate()
  const [older, denied] = [ask(home), ask(home)]
  const answer = home.pairing.deny(denied.userCode, { block: true }, ANNA)
  expect(answer).toMatchObject({ ok: true, value: { userCode: denied.userCode.replace('-', '') } })
  expect(accept(home, older)).toMatchObject({ ok: false, error: { kind: 'decided' } })
})
