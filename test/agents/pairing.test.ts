import { describe, expect, test } from 'vitest'
import type { AccessEvent } from '../../src/auth/agents/expiring-requests.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, ask, MINUTE, refused, tokenOf, CLAUDE } from './pairing-steps.ts'

describe('a user code', () => {
  proves(
    'agents.user-code',
    'is 8 letters without look-alikes, shown as XXXX-XXXX and taken however it is typed',
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
  const withOne = (home: AccessHome): { id: string; token: string; link: string } => {
    const { id } = home.integrate()
    const { token, credential } = home.credentials.create(
      { integration: id, kind: 'agent', name: 'Robot', platform: 'lab' },
      ANNA,
    )
    return { id, token, link: credential.link }
  }
  const works = (home: AccessHome, token: string): boolean => home.authenticator.check(token, 'home').ok

  proves('agents.replace', 'is not accepted again without saying what becomes of its old credential', () => {
    using home = new AccessHome()
    const { link } = withOne(home)
    const asked = ask(home)
    expect(home.pairing.pending()).toMatchObject([{ known: [link] }])
    expect(accept(home, asked)).toMatchObject({ ok: false, error: { kind: 'known_agent', links: [link] } })
    expect(home.pairing.poll(asked.code)).toEqual({ kind: 'pending' })
    // Another name or platform is another agent.
    expect(accept(home, ask(home, { platform: 'office' })).ok).toBe(true)
  })

  proves('agents.replace', 'may replace it: the old one ends at the moment the new one is collected', () => {
    using home = new AccessHome()
    const { id, token, link } = withOne(home)
    const asked = ask(home)
    expect(accept(home, asked, { replaces: true })).toMatchObject({
      ok: true,
      value: { decision: { grant: { replaces: link } } },
    })
    home.crash()
    home.start()
    expect(works(home, token)).toBe(true)
    const fresh = tokenOf(home.pairing.poll(asked.code))
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

  proves('agents.replace', 'may be added beside it, and then it must be said which one is replaced', () => {
    using home = new AccessHome()
    const { token, link } = withOne(home)
    const second = ask(home)
    accept(home, second, { add: true })
    const secondToken = tokenOf(home.pairing.poll(second.code))
    expect([works(home, token), works(home, secondToken)]).toEqual([true, true])
    const third = ask(home)
    // Both were made in the same millisecond: they stand in any order.
    const links = [link, secondToken.split('.')[2] ?? ''].toSorted()
    const refused = accept(home, third, { replaces: true })
    expect(refused).toMatchObject({ ok: false, error: { kind: 'no_such_credential' } })
    expect(refused.ok ? [] : refused.error.links?.toSorted()).toEqual(links)
    expect(accept(home, third, { replaces: link }).ok).toBe(true)
    tokenOf(home.pairing.poll(third.code))
    expect([works(home, token), works(home, secondToken)]).toEqual([false, true])
  })

  proves('agents.replace', 'replaces no key, nothing of another integration, and nothing that has ended', () => {
    using home = new AccessHome()
    const { id, link } = withOne(home)
    const key = home.credentials.create({ integration: id, kind: 'key', name: 'Robot', platform: 'lab' }, ANNA)
      .credential.link
    const other = home.integrate({ agent_access: 'on' }, { name: 'Other' })
    const foreign = home.credentials.create(
      { integration: other.id, kind: 'agent', name: 'Robot', platform: 'lab' },
      ANNA,
    ).credential.link
    home.credentials.revoke(home.credentials.get(link)!, ANNA)
    const asked = ask(home, { record: id })
    for (const replaces of [key, foreign, link, 'nothing', true] as const) {
      expect(accept(home, asked, { replaces })).toMatchObject({ ok: false, error: { kind: 'no_such_credential' } })
    }
    expect(accept(home, asked).ok).toBe(true)
  })
})

describe('who may be connected where', () => {
  test('is asked before anything is stored, and every integration that takes no agents answers alike', () => {
    using home = new AccessHome()
    expect(refused(home)).toEqual({ kind: 'agent_access_disabled' })
    const off = home.integrate({})
    const disabled = home.integrate()
    home.change(disabled.id, { enabled: false })
    for (const record of [null, off.id, disabled.id, '0a0a0a0a-0000-4000-8000-000000000000'])
      expect(refused(home, { record })).toEqual({ kind: 'agent_access_disabled' })
    const local = home.integrate({ agent_access: 'on', cloud_access: 'off' })
    expect(refused(home, { hosted: CLAUDE, record: local.id })).toEqual({ kind: 'cloud_access_disabled' })
    expect(home.requests.list()).toEqual([])
    expect(refused(home, { record: local.id })).toBeNull()
  })

  test('is the integration it asked for, else the only one possible, else the administrator says which', () => {
    using home = new AccessHome()
    const [first, off] = [home.integrate(), home.integrate({}, { name: 'Off' })]
    const asked = ask(home)
    expect(accept(home, asked, { integration: off.id })).toMatchObject({
      ok: false,
      error: { kind: 'agent_access_disabled' },
    })
    expect(accept(home, asked, { integration: 'nothing' })).toMatchObject({
      ok: false,
      error: { kind: 'no_integration' },
    })
    const second = home.integrate({ agent_access: 'on' }, { name: 'Second' })
    expect(accept(home, asked)).toMatchObject({
      ok: false,
      error: { kind: 'choose_integration', integrations: expect.arrayContaining([first.id, second.id]) },
    })
    expect(accept(home, asked, { integration: second.id })).toMatchObject({
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

  test('a hosted platform is offered no session', () => {
    using home = new AccessHome()
    home.integrate()
    const asked = ask(home, { hosted: CLAUDE })
    expect(accept(home, asked, { kind: 'session' })).toMatchObject({
      ok: false,
      error: { kind: 'session_not_offered' },
    })
    expect(accept(home, asked).ok).toBe(true)
  })

  test('what is decided or over is not decided again', () => {
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
      home.events.filter((each: AccessEvent) => each.kind === 'agent_request_ended' && each.how === 'expired'),
    ).toHaveLength(2)
  })
})
