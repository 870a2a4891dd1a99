import { describe, expect, test } from 'vitest'
import type { AccessEvent } from '../../src/auth/access-event.ts'
import type { Ask, Asked, Polled } from '../../src/auth/device-flow.ts'
import { ARRIVED_AFTER_MS } from '../../src/auth/token-handout.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const ROBOT: Ask = {
  name: 'Robot',
  platform: 'lab',
  record: null,
  hosted: false,
  suggested: null,
  via: 'home',
  peer: '192.168.1.20',
}

const ask = (home: AccessHome, what: Partial<Ask> = {}): Asked => {
  const asked = home.pairing.ask({ ...ROBOT, ...what })
  if (!asked.ok) throw new Error(`It was refused: ${JSON.stringify(asked.error)}`)
  return asked.value
}
const refused = (home: AccessHome, what: Partial<Ask> = {}): unknown => {
  const asked = home.pairing.ask({ ...ROBOT, ...what })
  return asked.ok ? null : asked.error
}
const accept = (
  home: AccessHome,
  { userCode }: Asked,
  choice: Partial<Parameters<AccessHome['pairing']['accept']>[1]> = {},
) => home.pairing.accept(userCode, { kind: 'agent', ...choice }, ANNA)
const kinds = (polled: readonly Polled[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { kind } of polled) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
const tokenOf = (polled: Polled): string => {
  if (polled.kind !== 'token') throw new Error(`It was answered ${polled.kind}.`)
  return polled.token
}
const emitted = (home: AccessHome): string[] =>
  home.events.map((each) => {
    if (each.kind === 'agent_request') return each.notice ? 'asks!' : 'asks'
    return each.kind === 'agent_request_ended' ? each.how : each.kind
  })

describe('a token', () => {
  proves('agents.once', 'is handed out by exactly one of 200 polls at once', async () => {
    using home = new AccessHome()
    home.integrate()
    const asked = ask(home)
    expect(accept(home, asked).ok).toBe(true)
    const polled = await Promise.all(
      Array.from({ length: 200 }, async () => {
        await Promise.resolve()
        return home.pairing.poll(asked.code)
      }),
    )
    expect(kinds(polled)).toEqual({ token: 1, expired: 199 })
    expect(home.credentials.list()).toHaveLength(1)
  })

  proves('agents.once', 'that was not collected before a crash is collected once after it', () => {
    using home = new AccessHome()
    home.integrate()
    const asked = ask(home)
    accept(home, asked, { kind: 'session' })
    home.crash()
    home.start()
    const polled = [home.pairing.poll(asked.code), home.pairing.poll(asked.code)]
    expect(kinds(polled)).toEqual({ token: 1, expired: 1 })
    expect(polled[0]).toMatchObject({ credentialKind: 'session' })
    expect(home.authenticator.authenticate(tokenOf(polled[0]!), 'home').ok).toBe(true)
  })

  proves('agents.once', 'that was collected some seconds before a crash is not handed out again', () => {
    using home = new AccessHome()
    home.integrate()
    const asked = ask(home)
    accept(home, asked)
    const token = tokenOf(home.pairing.poll(asked.code))
    home.clock.advance(ARRIVED_AFTER_MS)
    home.crash()
    home.start()
    expect(home.pairing.poll(asked.code)).toEqual({ kind: 'expired' })
    expect(home.authenticator.authenticate(token, 'home').ok).toBe(true)
    expect(home.credentials.list()).toHaveLength(1)
  })

  proves('agents.once', 'that could not be stored is not handed out, and still waits', () => {
    using home = new AccessHome()
    home.integrate()
    const asked = ask(home)
    accept(home, asked)
    home.core.db.exec("CREATE TRIGGER full BEFORE INSERT ON credentials BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    expect(() => home.pairing.poll(asked.code)).toThrow('disk full')
    home.core.db.exec('DROP TRIGGER full')
    expect(home.credentials.list()).toEqual([])
    expect(kinds([home.pairing.poll(asked.code), home.pairing.poll(asked.code)])).toEqual({ token: 1, expired: 1 })
  })

  test('waits while agent_access is off or the integration disabled, and is gone with the integration', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const [one, other] = [ask(home), ask(home, { name: 'Other' })]
    accept(home, one)
    accept(home, other)
    home.change(id, { knobs: { agent_access: 'off' } })
    expect(home.pairing.poll(one.code)).toEqual({ kind: 'suspended' })
    home.change(id, { enabled: false, knobs: { agent_access: 'on' } })
    expect(home.pairing.poll(one.code)).toEqual({ kind: 'suspended' })
    home.change(id, { enabled: true })
    expect(home.pairing.poll(one.code)).toMatchObject({ kind: 'token' })
    home.remove(id)
    expect(home.pairing.poll(other.code)).toEqual({ kind: 'denied' })
    expect(home.pairing.poll(one.code)).toEqual({ kind: 'expired' })
    expect(emitted(home)).toEqual(['asks!', 'asks!', 'accepted', 'accepted', 'collected', 'denied'])
  })

  test('can be collected for two minutes by an agent that was accepted at the last moment', () => {
    using home = new AccessHome()
    home.integrate()
    const [first, second] = [ask(home), ask(home, { name: 'Other' })]
    home.clock.advance(10 * MINUTE - 1)
    accept(home, first)
    accept(home, second)
    home.clock.advance(2 * MINUTE - 1)
    expect(home.pairing.poll(first.code).kind).toBe('token')
    home.clock.advance(1)
    expect(home.pairing.poll(second.code).kind).toBe('expired')
    expect(emitted(home).slice(2)).toEqual(['accepted', 'accepted', 'collected', 'expired'])
  })
})

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

describe('the limits', () => {
  proves(
    ['agents.strangers', 'agents.source-minute'],
    'give one source the whole minute and the next, and only then stop it longer than the home, also over a restart',
    () => {
      using home = new AccessHome()
      home.integrate()
      for (let count = 0; count < 5; count++) ask(home)
      expect(refused(home)).toEqual({ kind: 'rate_limited', retryAfter: 60 })
      home.clock.advance(MINUTE)
      for (let count = 0; count < 5; count++) ask(home)
      expect(refused(home)).toEqual({ kind: 'rate_limited', retryAfter: 3_540 })
      home.crash()
      home.start()
      expect(refused(home)).toEqual({ kind: 'rate_limited', retryAfter: 3_540 })
      expect(refused(home, { peer: '192.168.1.30' })).toEqual({ kind: 'rate_limited', retryAfter: 60 })
      home.clock.advance(MINUTE - 1)
      expect(refused(home, { peer: '192.168.1.30' })).toEqual({ kind: 'rate_limited', retryAfter: 1 })
      home.clock.advance(1)
      ask(home, { peer: '192.168.1.30' })
    },
  )

  proves('agents.strangers', 'leave the minutes to others when one source asks without end', () => {
    using home = new AccessHome()
    home.integrate()
    const waits: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      // Answered at once, the stranger's requests do not even wait.
      for (let asked = home.pairing.ask({ ...ROBOT, peer: '10.0.0.1' }); asked.ok;) {
        home.pairing.deny(asked.value.userCode, { block: false }, ANNA)
        asked = home.pairing.ask({ ...ROBOT, peer: '10.0.0.1' })
      }
      // In each tenth of these minutes somebody else asks.
      if (minute % 10 < 2) {
        const mine = home.pairing.ask({ ...ROBOT, peer: '192.168.1.30' })
        if (!mine.ok) waits.push(minute)
      }
      home.clock.advance(MINUTE)
    }
    // Only the two minutes that the stranger's share of the hour lasts for.
    expect(waits).toEqual([0, 1])
  })

  proves(
    'agents.strangers',
    'cannot be used to keep the administrator from connecting an agent, by code or directly',
    () => {
      using home = new AccessHome()
      const { id } = home.integrate()
      const spam: Asked[] = []
      for (let count = 0; count < 6; count++) {
        const asked = home.pairing.ask({ ...ROBOT, name: 'Spam', peer: '10.0.0.1' })
        if (asked.ok) spam.push(asked.value)
      }
      expect(spam).toHaveLength(5)
      expect(refused(home)).toEqual({ kind: 'rate_limited', retryAfter: 60 })
      // Directly, without asking anybody.
      const { token } = home.credentials.create(
        { integration: id, kind: 'agent', name: 'Robot', platform: 'lab' },
        ANNA,
      )
      expect(home.authenticator.authenticate(token, 'home').ok).toBe(true)
      // Or by turning the stranger away: what was asked is gone, and counts no more.
      home.pairing.deny(spam[0]!.userCode, { block: true }, ANNA)
      expect(spam.map(({ code }) => home.pairing.poll(code).kind)).toEqual(spam.map(() => 'denied'))
      const mine = ask(home)
      expect(accept(home, mine, { add: true }).ok).toBe(true)
      expect(home.pairing.poll(mine.code).kind).toBe('token')
      expect(refused(home, { peer: '10.0.0.1' })).toEqual({ kind: 'rate_limited', retryAfter: 24 * 3_600 })
      home.crash()
      home.start()
      expect(refused(home, { peer: '10.0.0.1' })).toMatchObject({ kind: 'rate_limited' })
      home.stop()
      home.clock.advance(24 * HOUR)
      home.start()
      ask(home, { peer: '10.0.0.1' })
    },
  )

  proves('agents.strangers', 'take an IPv6 network for one source, and no stranger for all the notices', () => {
    using home = new AccessHome()
    home.integrate()
    for (const peer of [':1', ':2', 'aaaa:bbbb:cccc:dddd', ':3', ':4']) ask(home, { peer: `2001:db8:1:2:${peer}` })
    expect(refused(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 60 })
    home.clock.advance(MINUTE)
    // Those of the minute before wait still.
    for (const peer of [':5', ':6', ':7', ':8', ':9']) ask(home, { peer: `2001:db8:1:2:${peer}` })
    home.clock.advance(MINUTE)
    expect(refused(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 3_480 })
    ask(home, { peer: '2001:db8:1:3::1' })
    ask(home, { peer: '::ffff:192.168.1.20' })
    const others = Array.from({ length: 8 }, () => 'asks')
    expect(emitted(home)).toEqual(['asks!', 'asks!', ...others, 'asks!', 'asks'])
    expect(home.pairing.pending().flatMap(({ notice }, index) => (notice ? [index] : []))).toEqual([0, 1, 10])
  })

  proves('agents.strangers', 'are 30 an hour for the home and 10 for one source', () => {
    using home = new AccessHome()
    home.integrate()
    let taken = 0
    const perPeer = new Map<string, number>()
    for (let minute = 0; minute < 59; minute++) {
      for (const peer of ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']) {
        const asked = home.pairing.ask({ ...ROBOT, peer })
        if (!asked.ok) continue
        taken += 1
        perPeer.set(peer, (perPeer.get(peer) ?? 0) + 1)
        home.pairing.deny(asked.value.userCode, { block: false }, ANNA)
      }
      home.clock.advance(MINUTE)
    }
    expect(taken).toBe(30)
    expect(Math.max(...perPeer.values())).toBeLessThanOrEqual(10)
    expect(refused(home, { peer: '10.0.0.9' })).toMatchObject({ kind: 'rate_limited', retryAfter: 60 })
    // What no longer counts is forgotten.
    home.clock.advance(24 * HOUR)
    ask(home)
    expect(home.requests.list()).toHaveLength(1)
  })
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
    expect(refused(home, { hosted: true, record: local.id })).toEqual({ kind: 'cloud_access_disabled' })
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
    const asked = ask(home, { hosted: true })
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
