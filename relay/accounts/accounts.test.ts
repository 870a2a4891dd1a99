// @module-tag repeated
import { describe, expect, onTestFinished, test } from 'vitest'
import { times } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { systemRandom } from '@hm-gateway/lib/random.ts'
import { SqliteStore } from '../store/sqlite-store.ts'
import { TABLES } from '../store/store.ts'
import { hashedId } from '../store/table.ts'
import { DEVICES_PER_ACCOUNT_MAX, earlierAccountId, normalEmail, SESSIONS_PER_ACCOUNT_MAX } from './account.ts'
import { EVENTS_OF_ACCOUNT_MAX, EVENTS_OF_RELAY_MAX } from './event-log.ts'
import { type AccountsParts, Accounts } from './accounts.ts'
import { SIGN_INS, SIGN_INS_OF_ACCOUNT, SIGN_INS_OF_DEVICE } from './sign-in-limits.ts'
import { HASHES_AT_ONCE_MAX, HASHES_WAITING_MAX, Passwords } from './passwords.ts'

/** Cost of hashes in tests: 2^4 takes almost no time. */
const CHEAP = 4
/** Interval between two addresses of an attack, so that 2,000 of them take an hour. */
const ATTACK_INTERVAL_MS = 1_800
const PEER = { peer: '198.51.100.7' }
const OLGA = { email: 'Olga@example.org', password: 'correct horse battery' }

function world(signUp: AccountsParts['signUp'] = 'invite') {
  const clock = new ManualClock()
  const store = new SqliteStore(':memory:', clock)
  onTestFinished(() => store.close())
  const parts = { store, clock, random: systemRandom, passwords: new Passwords(systemRandom, CHEAP), signUp }
  return { clock, store, accounts: new Accounts(parts), another: () => new Accounts(parts) }
}

async function withOlga() {
  const made = world()
  const invite = (await made.accounts.invites.first())!
  const signedUp = await made.accounts.signUp({ ...OLGA, invite }, PEER)
  if (!signedUp.ok) throw new Error(signedUp.error.kind)
  const { account: olga, session, device } = signedUp.value
  return { ...made, olga, session, device }
}

describe('accounts of the relay', () => {
  test('the first one is created by a link that works once, even if several nodes print one', async () => {
    const { accounts, another } = world()
    const [one, two] = [(await accounts.invites.first())!, (await another().invites.first())!]
    const made = await Promise.all([
      accounts.signUp({ ...OLGA, invite: one }, PEER),
      another().signUp({ email: 'mallory@example.org', password: OLGA.password, invite: two }, PEER),
    ])
    expect(made.filter(({ ok }) => ok)).toHaveLength(1)
    expect(made.find(({ ok }) => !ok)).toEqual({ ok: false, error: { kind: 'no_invite' } })
    expect(await accounts.invites.first()).toBeNull()
  })

  test('a session begins with address and password, and lasts 30 days after the last visit', async () => {
    const { accounts, clock, olga } = await withOlga()
    const signedIn = await accounts.signIn(' olga@EXAMPLE.org', OLGA.password, PEER)
    const session = signedIn.ok ? signedIn.value.session : ''
    const whose = async () => (await accounts.sessions.account(session))?.id
    expect(await whose()).toBe(olga.id)
    clock.advance(TABLES.sessions * 0.6)
    expect(await whose()).toBe(olga.id)
    clock.advance(TABLES.sessions * 0.6)
    expect(await whose()).toBe(olga.id)
    clock.advance(TABLES.sessions)
    expect(await accounts.sessions.account(session)).toBeNull()
  })

  proves('relay.plain-email', 'addresses that differ only by invisible characters are one account', async () => {
    const { accounts, clock } = await withOlga()
    const disguised = [
      'olga@example.org\u200b',
      'ol\u00adga@example.org',
      'olga@example.org\ufe0f',
      '\u2066olga@example.org\u2069',
      'ｏｌｇａ＠ｅｘａｍｐｌｅ．ｏｒｇ',
      'olga@example\u2024org',
      'olga@\u{e0061}example.org',
    ]
    for (const email of disguised) {
      clock.advance(3_600_000)
      const invite = await accounts.invites.ofOperator()
      const made = await accounts.signUp({ email, password: 'a password of another', invite }, PEER)
      expect(made, email).toEqual({ ok: false, error: { kind: 'email_taken' } })
      expect((await accounts.signIn(email, OLGA.password, PEER)).ok, email).toBe(true)
      expect(normalEmail(normalEmail(email))).toBe(normalEmail(email))
    }
    const invite = await accounts.invites.ofOperator()
    for (const email of ['\u200b@example.org', 'olga@\u200b', '\u2800@\u3164'])
      expect(await accounts.signUp({ email, password: OLGA.password, invite }, { peer: '203.0.113.1' })).toMatchObject({
        error: { kind: 'invalid' },
      })
  })

  proves('relay.plain-email', 'an account of an earlier version is found by its original address', async () => {
    const { accounts, store, clock, olga } = await withOlga()
    const email = 'olga@example.org\u200b'
    const hash = await new Passwords(systemRandom, CHEAP).hash('the other password')
    const earlier = { ...olga, id: earlierAccountId(email), email, password: hash.ok ? hash.value : '' }
    await store.create('accounts', earlier.id, earlier)
    const signedIn = await accounts.signIn(email, 'the other password', PEER)
    expect(signedIn.ok && signedIn.value.account.id).toBe(earlier.id)
    expect(await accounts.signIn(email, OLGA.password, PEER)).toEqual({ ok: false, error: { kind: 'wrong' } })
    clock.advance(60_000)
    expect((await accounts.signIn(OLGA.email, OLGA.password, PEER)).ok).toBe(true)
    const link = await accounts.reset(email)
    expect((await accounts.resettable(link ?? ''))?.id).toBe(earlier.id)
  })

  test('a wrong password and an unknown address have the same result', async () => {
    const { accounts } = await withOlga()
    const wrong = { ok: false, error: { kind: 'wrong' } }
    expect(await accounts.signIn(OLGA.email, 'wrong horse battery', PEER)).toEqual(wrong)
    expect(await accounts.signIn('nobody@example.org', OLGA.password, PEER)).toEqual(wrong)
  })

  proves('relay.no-lock-out', 'an attacker at one address does not lock the owner out', async () => {
    const { accounts } = await withOlga()
    for (let index = 0; index < 2 * SIGN_INS_OF_ACCOUNT.burst; index += 1)
      expect((await accounts.signIn(OLGA.email, 'wrong horse battery', { peer: '203.0.113.9' })).ok).toBe(false)
    expect((await accounts.signIn(OLGA.email, OLGA.password, PEER)).ok).toBe(true)
  })

  proves('relay.no-lock-out', 'an attacker with a whole /48 of IPv6 addresses does not either', async () => {
    const { accounts } = await withOlga()
    for (let index = 0; index < 2 * SIGN_INS_OF_ACCOUNT.burst; index += 1)
      expect((await accounts.signIn(OLGA.email, 'wrong horse battery', { peer: `2001:db8:1:${index}::1` })).ok).toBe(
        false,
      )
    expect((await accounts.signIn(OLGA.email, OLGA.password, { peer: '2001:db8:2::1' })).ok).toBe(true)
  })

  proves(
    'relay.known-device',
    'an attack from many addresses does not lock a known device out, and is limited',
    async () => {
      const { accounts, clock, device } = await withOlga()
      const addresses = times(120, 2_000)
      let tried = 0
      for (let index = 0; index < addresses; index += 1) {
        clock.advance(ATTACK_INTERVAL_MS)
        const peer = `203.0.${index >> 8}.${index & 255}`
        for (let again = 0; again < 2; again += 1) {
          const result = await accounts.signIn(OLGA.email, 'wrong horse battery', { peer, device: 'x'.repeat(43) })
          if (!result.ok && result.error.kind === 'wrong') tried += 1
        }
      }
      const { burst, perSecond } = SIGN_INS_OF_ACCOUNT
      expect(tried).toBeLessThanOrEqual(burst + (perSecond * addresses * ATTACK_INTERVAL_MS) / 1_000)
      const elsewhere = { peer: '203.0.113.200' }
      expect(await accounts.signIn(OLGA.email, OLGA.password, elsewhere)).toMatchObject({ error: { kind: 'limited' } })
      expect((await accounts.signIn(OLGA.email, OLGA.password, { ...elsewhere, device })).ok).toBe(true)
      const link = (await accounts.reset(OLGA.email))!
      expect((await accounts.setPassword(link, 'a new good password', elsewhere)).ok).toBe(true)
    },
  )

  proves('relay.known-device', 'a known device has its own limits, only at its own account', async () => {
    const { accounts, store, device, clock } = await withOlga()
    const visitor = { ...PEER, device }
    for (let index = 0; index < SIGN_INS_OF_DEVICE.burst; index += 1)
      expect(await accounts.signIn(OLGA.email, 'wrong horse battery', visitor)).toMatchObject({
        error: { kind: 'wrong' },
      })
    expect(await accounts.signIn(OLGA.email, OLGA.password, visitor)).toMatchObject({ error: { kind: 'limited' } })
    expect((await accounts.signIn(OLGA.email, OLGA.password, PEER)).ok).toBe(true)
    clock.advance(3_600_000)
    const tom = { email: 'tom@example.org', password: 'another good password' }
    const invite = await accounts.invites.ofOperator()
    expect((await accounts.signUp({ ...tom, invite }, { peer: '192.0.2.9' })).ok).toBe(true)
    for (let index = 0; index < SIGN_INS.burst; index += 1)
      await accounts.signIn(tom.email, 'wrong one, again', visitor)
    expect(await accounts.signIn(tom.email, tom.password, visitor)).toMatchObject({ error: { kind: 'limited' } })
    expect(JSON.stringify(store.everything())).not.toContain(device)
  })

  proves('relay.known-device', 'a limited number of devices is known, and the latest ones stay known', async () => {
    const { accounts, clock, device } = await withOlga()
    const signIn = async (cookie: string | null) => {
      clock.advance(60_000)
      const signedIn = await accounts.signIn(OLGA.email, OLGA.password, { ...PEER, device: cookie })
      return signedIn.ok ? signedIn.value : null
    }
    expect(await signIn(device)).toMatchObject({ device, isNewDevice: false })
    const second = await signIn(null)
    expect(second?.isNewDevice).toBe(true)
    for (let index = 0; index < DEVICES_PER_ACCOUNT_MAX; index += 1) await signIn(null)
    expect((await signIn(second?.device ?? ''))?.isNewDevice).toBe(true)
  })

  proves('relay.sessions', 'end one by one, or all but one; the oldest end beyond the limit', async () => {
    const { accounts, store, clock, session } = await withOlga()
    const signIn = async (agent: string, peer: string) => {
      clock.advance(60_000)
      const signedIn = await accounts.signIn(OLGA.email, OLGA.password, { peer, agent })
      return signedIn.ok ? signedIn.value : expect.unreachable()
    }
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const phone = await signIn(firefox, '2001:db8:7:8::1')
    const olga = (await accounts.sessions.account(session))!
    const listed = await accounts.sessions.list(olga, session)
    expect(listed).toMatchObject([
      { isThis: true, browser: 'Unknown browser', place: '198.51.100.*' },
      { isThis: false, browser: 'Firefox on Linux', place: '2001:db8:7:*', seenAt: clock.now() },
    ])
    await accounts.sessions.endOne(olga, listed[1]!.id)
    expect(await accounts.sessions.account(phone.session)).toBeNull()
    const [second, third] = [await signIn('', '192.0.2.1'), await signIn('', '192.0.2.2')]
    await accounts.sessions.endOthers((await accounts.sessions.account(session))!, session)
    for (const ended of [second, third]) expect(await accounts.sessions.account(ended.session)).toBeNull()
    const alone = (await accounts.sessions.account(session))!
    expect(await accounts.sessions.list(alone, session)).toHaveLength(1)
    for (let index = 0; index < SESSIONS_PER_ACCOUNT_MAX; index += 1) await signIn('', `192.0.2.${index}`)
    expect(await accounts.sessions.account(session)).toBeNull()
    const rows = store.everything().filter(({ name }) => name === 'sessions')
    expect(rows).toHaveLength(SESSIONS_PER_ACCOUNT_MAX)
    await accounts.take(olga.id)
    expect(store.everything().filter(({ name }) => name === 'sessions')).toEqual([])
  })

  proves(
    'relay.sessions',
    'cannot be ended by another account, and those of an earlier version stay valid',
    async () => {
      const { accounts, store, clock, olga, session } = await withOlga()
      const invite = await accounts.invites.ofOperator()
      const tom = await accounts.signUp({ email: 'tom@example.org', password: 'another good password', invite }, PEER)
      if (!tom.ok) return expect.unreachable()
      const [own] = await accounts.sessions.list((await accounts.sessions.account(session))!, session)
      await accounts.sessions.endOne(tom.value.account, own!.id)
      expect((await accounts.sessions.account(session))?.id).toBe(olga.id)
      const cookie = 'e'.repeat(43)
      await store.create('sessions', hashedId(cookie), { account: olga.id, epoch: olga.epoch, seenAt: clock.now() })
      const account = (await accounts.sessions.account(cookie))!
      expect(await accounts.sessions.list(account, cookie)).toMatchObject([{ isThis: true, createdAt: null }, {}])
      await accounts.sessions.endOthers(account, session)
      expect(await accounts.sessions.account(cookie)).toBeNull()
    },
  )

  proves(
    'relay.events',
    'events are limited in number, size and time, and refused tries cause few of them',
    async () => {
      const { accounts, store, clock, olga } = await withOlga()
      const before = store.everything()
      for (let index = 0; index < 500; index += 1)
        accounts.events.count('sign_in_failed', `account${index}`, '203.0.113.1')
      expect(store.everything()).toEqual(before)
      await accounts.events.flush()
      expect((await accounts.events.of(null)).length).toBeLessThanOrEqual(EVENTS_OF_RELAY_MAX)
      const storedEvents = (max: number) => ({
        events: Array.from({ length: max }, (_, index) => ({
          ...{ at: clock.now(), kind: 'client_approved', account: olga.id, count: 1, about: `${index}`.repeat(30) },
        })),
      })
      for (const [row, max] of [
        [olga.id, EVENTS_OF_ACCOUNT_MAX],
        ['all', EVENTS_OF_RELAY_MAX],
      ] as const) {
        await store.delete('events', row)
        await store.create('events', row, storedEvents(max))
      }
      await accounts.events.record('client_approved', olga.id, 'ü'.repeat(5_000))
      expect((await accounts.events.of(olga.id)).at(-1)?.about).toBe('?'.repeat(100))
      expect(await accounts.events.of(olga.id)).toHaveLength(EVENTS_OF_ACCOUNT_MAX)
      expect(await accounts.events.of(null)).toHaveLength(EVENTS_OF_RELAY_MAX)
      clock.advance(TABLES.events - 1_000)
      expect(await accounts.events.of(olga.id)).toHaveLength(EVENTS_OF_ACCOUNT_MAX)
      await accounts.events.record('signed_in', olga.id)
      clock.advance(1_000)
      expect((await accounts.events.of(olga.id)).map(({ kind }) => kind)).toEqual(['signed_in'])
      await store.close()
      await expect(accounts.events.record('signed_in', olga.id)).resolves.toBeUndefined()
    },
  )

  proves('relay.events', 'are in chronological order, and only direct repeats are merged', async () => {
    const { accounts, clock, olga, session } = await withOlga()
    const { events } = accounts
    const check = accounts.checkPassword.bind(accounts)
    const began = clock.now()
    const deeds = ['home_linked', 'home_unlinked', 'home_linked', 'home_unlinked', 'home_linked'] as const
    for (const deed of deeds) {
      clock.advance(60_000)
      await events.record(deed, olga.id, 'abcdefghjkmn')
    }
    await events.record('home_linked', olga.id, 'abcdefghjkmn')
    expect((await events.of(olga.id)).map(({ kind, count }) => [kind, count])).toEqual([
      ['signed_up', 1],
      ...deeds.slice(0, -1).map((deed) => [deed, 1]),
      ['home_linked', 2],
    ])
    for (const peer of ['203.0.113.1', '2001:db8:7::1', '203.0.113.2', '127.0.0.1', '192.0.2.1']) {
      await accounts.signIn(OLGA.email, 'wrong horse battery', { peer })
      clock.advance(60_000)
    }
    await events.record('client_approved', olga.id, 'an agent')
    clock.advance(60_000)
    const signedIn = (await accounts.sessions.account(session))!
    for (let index = 0; index < 6; index += 1) await check(signedIn, 'wrong horse battery', PEER)
    await events.flush()
    const listed = (await events.of(null)).slice(-3)
    const places = '203.0.113.*, 2001:db8:7:*, 127.0.0.1, others'
    expect(listed.map(({ kind, count, about }) => [kind, count, about])).toEqual([
      ['client_approved', 1, 'an agent'],
      ['sign_in_failed', 10, places],
      ['limit_reached', 1, '198.51.100.*'],
    ])
    expect(listed[1]).toMatchObject({ at: began + 300_000, last: clock.now() })
  })

  test('tries of an account from everywhere are limited', async () => {
    const { accounts, clock } = await withOlga()
    const tried = async (index: number) => {
      const result = await accounts.signIn(OLGA.email, 'wrong horse battery', { peer: `203.0.113.${index}` })
      return result.ok ? 'in' : result.error.kind
    }
    for (let index = 0; index < SIGN_INS_OF_ACCOUNT.burst; index += 1) expect(await tried(index)).toBe('wrong')
    expect(await tried(200)).toBe('limited')
    clock.advance(1_000 / SIGN_INS_OF_ACCOUNT.perSecond)
    expect(await tried(201)).toBe('wrong')
  })

  test('the sixth try of an address in a minute is refused', async () => {
    const { accounts, clock } = await withOlga()
    const tries = async (email: (index: number) => string, peer: (index: number) => string) => {
      const results = []
      for (let index = 0; index < 6; index += 1) {
        const result = await accounts.signIn(email(index), 'wrong horse battery', { peer: peer(index) })
        results.push(result.ok ? 'in' : result.error.kind)
      }
      clock.advance(60_000)
      return results
    }
    const five = Array<string>(5).fill('wrong')
    expect(
      await tries(
        () => OLGA.email,
        () => '203.0.113.8',
      ),
    ).toEqual([...five, 'limited'])
    expect(
      await tries(
        (index) => `a${index}@example.org`,
        () => '203.0.113.9',
      ),
    ).toEqual([...five, 'limited'])
    const addressOf = (index: number) => `2001:db8:1:2::${index}`
    expect(await tries((index) => `b${index}@example.org`, addressOf)).toEqual([...five, 'limited'])
    expect((await accounts.signIn(OLGA.email, OLGA.password, PEER)).ok).toBe(true)
  })

  test('an invite creates one account within 7 days, but not for an address that has one', async () => {
    const { accounts, clock, olga } = await withOlga()
    const invited = await accounts.invites.give(olga.id)
    const invite = invited.ok ? invited.value : ''
    const tom = { email: 'tom@example.org', password: 'another good password', invite }
    const taken = { ...tom, email: OLGA.email }
    expect(await accounts.signUp(taken, PEER)).toEqual({ ok: false, error: { kind: 'email_taken' } })
    expect(await accounts.isInvited(invite)).toBe(true)
    expect((await accounts.signUp(tom, PEER)).ok).toBe(true)
    expect(await accounts.signUp({ ...tom, email: 'tim@example.org' }, PEER)).toEqual({
      ok: false,
      error: { kind: 'no_invite' },
    })
    const late = await accounts.invites.give(olga.id)
    clock.advance(TABLES.invites)
    expect(await accounts.isInvited(late.ok ? late.value : '')).toBe(false)
  })

  test.each([
    ['no address', { ...OLGA, email: 'olga' }],
    ['an address that is markup', { ...OLGA, email: '<b>@example.org' }],
    ['a short password', { ...OLGA, password: 'short' }],
    ['a password of one letter', { ...OLGA, password: 'aaaaaaaaaaaa' }],
    ['the address as password', { email: 'olga@example.org', password: 'olga@example.org' }],
    ['a password without end', { ...OLGA, password: 'ab cd'.repeat(100) }],
  ])('%s makes no account', async (_name, form) => {
    const { accounts } = world('open')
    const made = await accounts.signUp({ ...form, invite: '' }, PEER)
    expect(made.ok ? null : made.error.kind).toBe('invalid')
  })

  test('with open sign-up, one address creates five in an hour', async () => {
    const { accounts } = world('open')
    const results = []
    for (let index = 0; index < 6; index += 1) {
      const made = await accounts.signUp({ email: `a${index}@example.org`, password: OLGA.password, invite: '' }, PEER)
      results.push(made.ok)
    }
    expect(results).toEqual([true, true, true, true, true, false])
  })

  proves('relay.invited-get-in', 'rejected forms from an address do not keep invited people out', async () => {
    const { accounts } = await withOlga()
    const invites = await Promise.all(Array.from({ length: 4 }, () => accounts.invites.ofOperator()))
    const rejected = [
      { email: 'mallory@example.org', password: OLGA.password, invite: 'none' },
      { email: 'no address', password: OLGA.password, invite: invites[0]! },
      { email: 'mallory@example.org', password: 'short', invite: invites[0]! },
    ]
    for (let index = 0; index < 12; index += 1)
      for (const form of rejected) expect((await accounts.signUp(form, PEER)).ok).toBe(false)
    expect(await accounts.signUp(rejected[0]!, PEER)).toMatchObject({ error: { kind: 'limited' } })
    for (const [index, invite] of invites.entries()) {
      const made = await accounts.signUp({ ...OLGA, email: `invited${index}@example.org`, invite }, PEER)
      expect(made).toMatchObject({ ok: true })
    }
  })

  test('a new password ends every other session', async () => {
    const { accounts, olga, session } = await withOlga()
    const next = 'a new good password'
    const check = accounts.checkPassword.bind(accounts)
    const withPassword = (password: string) => () => check(olga, password, PEER)
    expect(
      await accounts.changePassword(olga, { reauthenticate: withPassword('wrong horse battery'), next }, PEER),
    ).toEqual({
      ok: false,
      error: { kind: 'wrong' },
    })
    const changed = await accounts.changePassword(olga, { reauthenticate: withPassword(OLGA.password), next }, PEER)
    expect(await accounts.sessions.account(session)).toBeNull()
    expect((await accounts.sessions.account(changed.ok ? changed.value.session : ''))?.email).toBe('olga@example.org')
    expect((await accounts.signIn(OLGA.email, OLGA.password, PEER)).ok).toBe(false)
    expect((await accounts.signIn(OLGA.email, next, PEER)).ok).toBe(true)
  })

  test('a repeated form creates one account and signs in again', async () => {
    for (const signUp of ['invite', 'open'] as const) {
      const { accounts } = world(signUp)
      const form = { ...OLGA, invite: (await accounts.invites.first())! }
      const made = await Promise.all([accounts.signUp(form, PEER), accounts.signUp(form, PEER)])
      made.push(await accounts.signUp(form, PEER))
      expect(made.map(({ ok }) => ok)).toEqual([true, true, true])
      const sessions = made.map((result) => (result.ok ? result.value.session : ''))
      expect(new Set(sessions).size).toBe(3)
      for (const session of sessions) expect((await accounts.sessions.account(session))?.email).toBe('olga@example.org')
      const wrong = await accounts.signUp({ ...form, password: 'wrong horse battery' }, PEER)
      expect(wrong.ok ? null : wrong.error.kind).toBe(signUp === 'open' ? 'email_taken' : 'no_invite')
    }
  })

  test('a used invite does not reveal which address has an account', async () => {
    const { accounts } = await withOlga()
    const of = async (email: string) => accounts.signUp({ email, password: 'another good password', invite: 'x' }, PEER)
    expect(await of(OLGA.email)).toEqual(await of('nobody@example.org'))
  })

  test('a link of the operator resets a password once, within an hour, and not after another change', async () => {
    const { accounts, clock, olga, session } = await withOlga()
    expect(await accounts.reset('nobody@example.org')).toBeNull()
    const [first, second] = [(await accounts.reset(OLGA.email))!, (await accounts.reset(OLGA.email))!]
    const next = 'a new good password'
    expect(await accounts.setPassword(first, 'short', PEER)).toMatchObject({ error: { kind: 'invalid' } })
    const set = await accounts.setPassword(first, next, PEER)
    expect((await accounts.sessions.account(set.ok ? set.value.session : ''))?.id).toBe(olga.id)
    expect(await accounts.sessions.account(session)).toBeNull()
    expect((await accounts.signIn(OLGA.email, next, PEER)).ok).toBe(true)
    for (const link of [first, second, 'none'])
      expect(await accounts.setPassword(link, next, PEER)).toEqual({ ok: false, error: { kind: 'changed' } })
    const late = (await accounts.reset(OLGA.email))!
    clock.advance(TABLES.resets)
    expect(await accounts.resettable(late)).toBeNull()
  })

  test('sessions of a deleted account have ended, even if its address has a new account', async () => {
    const { accounts, olga, session } = await withOlga()
    const invite = await accounts.invites.ofOperator()
    await accounts.take(olga.id)
    expect(await accounts.sessions.account(session)).toBeNull()
    const again = await accounts.signUp({ ...OLGA, invite }, PEER)
    expect([again.ok, await accounts.sessions.account(session)]).toEqual([true, null])
  })

  test('signing out ends the session', async () => {
    const { accounts, session } = await withOlga()
    await accounts.sessions.end(session)
    expect(await accounts.sessions.account(session)).toBeNull()
  })

  test('neither password nor cookie nor invite is in the store', async () => {
    const { accounts, store, olga, session } = await withOlga()
    const invite = await accounts.invites.give(olga.id)
    const text = JSON.stringify(store.everything())
    expect(text).toContain('olga@example.org')
    for (const secret of [OLGA.password, session, invite.ok ? invite.value : '']) expect(text).not.toContain(secret)
  })
})

describe('passwords', () => {
  test('a hash matches only its password, and a missing hash none', async () => {
    const passwords = new Passwords(systemRandom, CHEAP)
    const hash = await passwords.hash('correct horse battery')
    const text = hash.ok ? hash.value : ''
    expect(text).toMatch(/^scrypt\$4\$[\w-]{22}\$[\w-]{43}$/)
    expect(await passwords.matches('correct horse battery', text)).toEqual({ ok: true, value: true })
    expect(await passwords.matches('correct horse batterz', text)).toEqual({ ok: true, value: false })
    expect(await passwords.matches('', null)).toEqual({ ok: true, value: false })
    expect(await passwords.matches('', 'scrypt$4$$')).toEqual({ ok: true, value: false })
  })

  test('the cost is 2^16 by default', { tags: ['long'] }, async () => {
    const hash = await new Passwords(systemRandom).hash('correct horse battery')
    expect(hash.ok ? hash.value : '').toMatch(/^scrypt\$16\$/)
  })

  proves('relay.known-device', 'hashes of known people are computed before those of strangers', async () => {
    const passwords = new Passwords(systemRandom, CHEAP)
    const order: string[] = []
    const places = HASHES_AT_ONCE_MAX + HASHES_WAITING_MAX
    const strangers = Array.from({ length: places + 1 }, async () => {
      const { ok } = await passwords.matches('x', null)
      order.push(ok ? 'stranger' : 'refused')
    })
    const known = passwords.matches('x', null, 'first').then(({ ok }) => order.push(ok ? 'known' : 'refused'))
    await Promise.all([...strangers, known])
    expect(order[0]).toBe('refused')
    // Concurrent hashes end in any order. Without its own queue this one would be the last.
    expect(order.indexOf('known')).toBeLessThan(3 * HASHES_AT_ONCE_MAX)
    expect(places).toBeGreaterThan(6 * HASHES_AT_ONCE_MAX)
  })

  test('two are computed at the same time, a limited number waits, and further ones are refused', async () => {
    const passwords = new Passwords(systemRandom, CHEAP)
    const places = HASHES_AT_ONCE_MAX + HASHES_WAITING_MAX
    const hashes = Array.from({ length: places + 3 }, () => passwords.hash('correct horse battery'))
    const results = await Promise.all(hashes)
    expect(results.map(({ ok }) => ok)).toEqual([...Array<boolean>(places).fill(true), false, false, false])
    expect((await passwords.hash('correct horse battery')).ok).toBe(true)
  })

  proves('relay.fair-places', 'the address with the most waiting hashes loses one to another address', async () => {
    const passwords = new Passwords(systemRandom, CHEAP)
    const hash = (peer: string) => passwords.hash('correct horse battery', 'usual', peer)
    const hashes = Array.from({ length: HASHES_AT_ONCE_MAX + HASHES_WAITING_MAX }, () => hash(PEER.peer))
    const results = await Promise.all([...hashes, hash('203.0.113.1')])
    expect(results.flatMap(({ ok }, index) => (ok ? [] : [index]))).toEqual([HASHES_AT_ONCE_MAX])
  })
})
