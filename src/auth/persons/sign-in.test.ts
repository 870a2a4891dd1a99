import { expect, onTestFinished, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { FRESH_MS, IDLE_MS, IDLE_OWN_DEVICE_MS, LIFE_MS, LINK_MS } from './console-session.ts'
import { SETUP_CODE_ID } from './person.ts'
import { SIGN_IN_CODE_MS } from './sign-in-codes.ts'

const PASSWORD = 'correct horse battery'
const FROM = { ownDevice: false, browser: 'Test/1.0', peer: '192.0.2.7' }

function opened(setupCode: string | null = null): AccessHome {
  const home = new AccessHome()
  onTestFinished(() => home[Symbol.dispose]())
  home.setupCode = setupCode
  home.start()
  return home
}

async function withAnna(home: AccessHome, password: string | null = PASSWORD) {
  const made = await home.people.persons.create({ name: 'Anna', password }, ANNA, null)
  if (!made.ok) throw new Error(made.error)
  return made.value
}

/** A session from a link, with its secrets. */
function entered(home: AccessHome, person: string | null = null, from = FROM) {
  const signed = home.people.signIn.byLink(home.people.links.make(person), from)
  if (!signed.ok) throw new Error('The link did not open.')
  return signed.value
}

const isIn = ({ people }: AccessHome, { cookie, half }: { cookie: string; half: string }): boolean =>
  people.sessions.of(cookie, half) !== null

proves('console.links', 'a link works once, within ten minutes', () => {
  const home = opened()
  const [code, late] = [home.people.links.make(null), home.people.links.make(null)]
  expect(home.people.signIn.byLink(code, FROM).ok).toBe(true)
  for (const again of [code, 'invented', ''])
    expect(home.people.signIn.byLink(again, FROM)).toEqual({ ok: false, error: 'link_unknown' })
  home.clock.advance(LINK_MS)
  expect(home.people.signIn.byLink(late, FROM).ok).toBe(false)
})

test('a link of a removed person does not work', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const code = home.people.links.make(anna.id)
  home.people.persons.revocation(anna, ANNA).store()
  expect(home.people.signIn.byLink(code, FROM).ok).toBe(false)
})

proves('console.links', 'a session from a link belongs to the person who is created in it', async () => {
  const home = opened()
  const { session } = entered(home)
  expect(home.people.sessions.state(session)).toMatchObject({ person: null })
  await home.people.persons.create({ name: 'Anna', password: null }, ANNA, session)
  expect(home.people.sessions.state(session)?.person?.name).toBe('Anna')
  await home.people.persons.create({ name: 'Ben', password: null }, ANNA, session)
  expect(home.people.sessions.state(session)?.person?.name).toBe('Anna')
  expect(await home.people.persons.create({ name: 'aNNa', password: null }, ANNA, null)).toMatchObject({ ok: false })
})

proves('console.passwords', 'only the right password signs in, and only its hash is stored', async () => {
  const home = opened()
  const { id, password } = await withAnna(home)
  expect(password).toMatch(/^\$argon2id\$/)
  const { signIn } = home.people
  const signed = await signIn.byPassword('anna', PASSWORD, FROM)
  expect(signed.ok && home.people.sessions.state(signed.value.session)?.person?.id).toBe(id)
  for (const [name, tried] of [
    ['Anna', `${PASSWORD} `],
    ['Anna', ''],
    ['Nobody', PASSWORD],
  ] as const)
    expect(await signIn.byPassword(name, tried, { ...FROM, peer: '192.0.2.8' })).toEqual({ ok: false, error: 'wrong' })
})

proves('console.two-factors', 'a password then needs a code of a signed-in browser, once', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const { signIn, codes, persons } = home.people
  const enter = (code?: string) => signIn.byPassword('Anna', PASSWORD, FROM, code)
  expect((await enter()).ok).toBe(true)
  persons.setTwoFactors(anna, true, ANNA)
  expect(await enter()).toEqual({ ok: false, error: 'code_needed' })
  expect(await enter('123456')).toEqual({ ok: false, error: 'code_wrong' })
  const code = codes.make(anna.id)
  expect(code).toMatch(/^\d{6}$/)
  const wrong = { ok: false, error: 'wrong' }
  expect(await signIn.byPassword('Anna', 'wrong wrong', FROM, code)).toEqual(wrong)
  home.clock.advance(60_000)
  expect((await enter(` ${code.slice(0, 3)} ${code.slice(3)}`)).ok).toBe(true)
  expect(await enter(code)).toEqual({ ok: false, error: 'code_wrong' })
  expect(signIn.byLink(home.people.links.make(anna.id), FROM).ok).toBe(true)
  persons.setTwoFactors(anna, false, ANNA)
  home.clock.advance(60_000)
  expect((await enter()).ok).toBe(true)
})

proves('console.two-factors', 'a code ends after five minutes, five wrong tries or a newer one', () => {
  const home = opened()
  const { codes } = home.people
  const late = codes.make('anna')
  home.clock.advance(SIGN_IN_CODE_MS)
  expect(codes.take('anna', late)).toBe(false)
  const guessed = codes.make('anna')
  const other = guessed === '000000' ? '111111' : '000000'
  for (let tries = 0; tries < 5; tries += 1) expect(codes.take('anna', other)).toBe(false)
  expect(codes.take('anna', guessed)).toBe(false)
  const [older, newer] = [codes.make('anna'), codes.make('anna')]
  expect(codes.take('ben', newer)).toBe(false)
  expect(older === newer || !codes.take('anna', older)).toBe(true)
  expect(codes.take('anna', newer)).toBe(true)
})

proves('console.passwords', 'a person without a password cannot sign in by name', async () => {
  const home = opened()
  await withAnna(home, null)
  expect((await home.people.signIn.byPassword('Anna', '', FROM)).ok).toBe(false)
})

proves('console.guessing', 'the sixth password in a minute is refused unchecked, and a link still works', async () => {
  const home = opened()
  await withAnna(home)
  const { signIn } = home.people
  for (let tries = 0; tries < 5; tries += 1)
    expect(await signIn.byPassword('Anna', 'wrong wrong', FROM)).toEqual({ ok: false, error: 'wrong' })
  const sixth = await signIn.byPassword('Anna', PASSWORD, FROM)
  expect(sixth.ok ? null : sixth.error).toEqual({ retryAfter: 12 })
  entered(home)
  expect((await signIn.byPassword('Anna', PASSWORD, { ...FROM, peer: '192.0.2.9' })).ok).toBe(true)
  home.clock.advance(12_000)
  expect((await signIn.byPassword('Anna', PASSWORD, FROM)).ok).toBe(true)
})

proves('console.guessing', 'tries of strangers limit neither known addresses nor step-ups', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const { session } = entered(home, anna.id)
  const { signIn } = home.people
  for (let stranger = 0; stranger < 30; stranger += 1)
    await signIn.byPassword('Anna', 'wrong wrong', { ...FROM, peer: `198.51.100.${stranger}` })
  const next = await signIn.byPassword('Anna', PASSWORD, { ...FROM, peer: '203.0.113.1' })
  expect(next.ok ? null : next.error).toEqual({ retryAfter: 120 })
  expect((await signIn.byPassword('Anna', PASSWORD, FROM)).ok).toBe(true)
  for (let tries = 0; tries < 5; tries += 1) expect((await signIn.prove(session, PASSWORD)).ok).toBe(true)
  expect(await signIn.prove(session, PASSWORD)).toEqual({ ok: false, error: { retryAfter: 12 } })
})

proves('console.guessing', 'tries of a guest in the same IPv6 network do not limit a known address', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const [hers, guest] = [
    { ...FROM, peer: '2001:db8:0:7::a' },
    { ...FROM, peer: '2001:db8:0:7::bad' },
  ]
  entered(home, anna.id, hers)
  const { signIn } = home.people
  for (let tries = 0; tries < 5; tries += 1) await signIn.byPassword('Anna', 'wrong wrong', guest)
  const sixth = await signIn.byPassword('Anna', PASSWORD, { ...FROM, peer: '2001:db8:0:7::bad2' })
  expect(sixth.ok ? null : sixth.error).toEqual({ retryAfter: 12 })
  for (let tries = 0; tries < 5; tries += 1) expect((await signIn.byPassword('Anna', PASSWORD, hers)).ok).toBe(true)
})

proves(
  'console.setup-code',
  'the setup code of the label works until there is an administrator, with five tries an hour',
  async () => {
    const home = opened('KITCHEN-4711')
    const { signIn } = home.people
    for (let tries = 0; tries < 4; tries += 1)
      expect(signIn.bySetupCode('KITCHEN-4712', FROM)).toEqual({ ok: false, error: 'link_unknown' })
    expect(signIn.bySetupCode('KITCHEN-4711', FROM).ok).toBe(true)
    expect(signIn.bySetupCode('KITCHEN-4711', FROM)).toEqual({ ok: false, error: { retryAfter: 720 } })
    home.clock.advance(3_600_000)
    await withAnna(home)
    expect(signIn.bySetupCode('KITCHEN-4711', FROM)).toEqual({ ok: false, error: 'link_unknown' })
    expect(opened().people.signIn.bySetupCode('', FROM).ok).toBe(false)
  },
)

proves(
  'console.setup-code',
  'tries of a stranger do not block the setup code, and the refusals never change',
  async () => {
    const home = opened('KITCHEN-4711')
    const { signIn } = home.people
    const stranger = { ...FROM, peer: '198.51.100.1' }
    const tries = () => Array.from({ length: 6 }, () => signIn.bySetupCode('KITCHEN-4712', stranger))
    const before = tries()
    expect(before.at(-1)).toEqual({ ok: false, error: { retryAfter: 720 } })
    expect(signIn.bySetupCode('KITCHEN-4711', FROM).ok).toBe(true)
    await withAnna(home)
    home.clock.advance(3_600_000)
    expect(tries()).toEqual(before)
  },
)

proves(
  'console.setup-code',
  'the first administrator ends the setup code for good, even if the database is emptied',
  async () => {
    const home = opened('KITCHEN-4711')
    const { signIn, persons } = home.people
    const [own, other] = [signIn.bySetupCode('KITCHEN-4711', FROM), signIn.bySetupCode('KITCHEN-4711', FROM)]
    if (!own.ok || !other.ok) throw new Error('The code of the label did not open.')
    await persons.create({ name: 'Anna', password: null }, ANNA, own.value.session)
    expect([isIn(home, own.value), isIn(home, other.value)]).toEqual([true, false])
    home.core.change(() => home.core.db.exec('DELETE FROM console_sessions; DELETE FROM persons'))
    expect(persons.list()).toEqual([])
    expect(signIn.bySetupCode('KITCHEN-4711', FROM)).toEqual({ ok: false, error: 'link_unknown' })
  },
)

proves('console.thrown-out', 'a session that ends while a password is hashed changes nothing', async () => {
  const home = opened()
  const { sessions, persons, signIn } = home.people
  const anna = await withAnna(home)
  const thief = entered(home, anna.id).session
  const made = persons.create({ name: 'Thief', password: PASSWORD }, ANNA, thief)
  const set = persons.setPassword(anna, 'another long one', ANNA, thief)
  const proved = signIn.prove(thief, PASSWORD)
  sessions.revocation(thief.id, ANNA)?.store()
  expect([await made, await set, await proved].map(({ ok }) => ok)).toEqual([false, false, false])
  expect(persons.list()).toEqual([anna])
})

test('a person who is removed while a password is hashed does not get it', async () => {
  const home = opened()
  const { persons } = home.people
  const anna = await withAnna(home)
  const set = persons.setPassword(anna, 'another long one', ANNA, null)
  persons.revocation(anna, ANNA).store()
  expect(await set).toEqual({ ok: false, error: 'This person was removed.' })
})

test('failed tries are reported with their address', async () => {
  const home = opened('KITCHEN-4711')
  const anna = await withAnna(home)
  const { session } = entered(home, anna.id, { ...FROM, peer: '192.0.2.4' })
  const { signIn } = home.people
  await signIn.byPassword('Anna', 'wrong wrong', { ...FROM, peer: '192.0.2.1' })
  signIn.bySetupCode('KITCHEN-4712', { ...FROM, peer: '192.0.2.2' })
  signIn.byLink('invented', { ...FROM, peer: '192.0.2.3' })
  await signIn.prove(session, 'wrong wrong')
  await signIn.byPassword('Anna', PASSWORD, { ...FROM, peer: '192.0.2.5' })
  expect(home.failed).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'])
})

proves('console.halves', 'a session needs both of its halves, and only their hashes are stored', () => {
  const home = opened()
  const [one, other] = [entered(home), entered(home)]
  expect([isIn(home, one), isIn(home, other)]).toEqual([true, true])
  for (const [cookie, half] of [
    [one.cookie, other.half],
    [one.half, one.cookie],
    [one.cookie, ''],
    ['', one.half],
  ] as const)
    expect(home.people.sessions.of(cookie, half)).toBeNull()
  const stored = JSON.stringify(
    home.core.db.prepare('SELECT hex(cookie_sha256), hex(half_sha256) FROM console_sessions').all(),
  )
  for (const secret of [one.cookie, one.half])
    expect(stored).not.toContain(Buffer.from(secret).toString('hex').toUpperCase())
})

proves('console.halves', 'a session authenticates only at home, and never as text', async () => {
  const home = opened()
  await withAnna(home)
  const { session, cookie } = entered(home, home.people.persons.byName('Anna')?.id ?? '')
  const { authenticator } = home
  expect(authenticator.authenticate(session, 'home')).toMatchObject({
    ok: true,
    value: { person: { source: 'person', name: 'Anna' }, credential: { link: session.id } },
  })
  expect(authenticator.check(session, 'cloud').ok).toBe(false)
  expect(authenticator.check(session, 'home', 'mcp').ok).toBe(false)
  for (const text of [session.id, cookie, JSON.stringify(session)])
    expect(authenticator.check(text, 'home').ok).toBe(false)
})

proves(
  'console.sessions',
  'a session ends after idle time, sooner on a shared device, and by age',
  { tags: ['long'] },
  async () => {
    const home = opened()
    const anna = await withAnna(home)
    const nameless = entered(home, null, { ...FROM, ownDevice: true })
    const own = entered(home, anna.id, { ...FROM, ownDevice: true })
    const shared = entered(home, anna.id)
    home.clock.advance(IDLE_MS - 1)
    expect([nameless, own, shared].map((entry) => isIn(home, entry))).toEqual([true, true, true])
    home.clock.advance(IDLE_MS - 1)
    // A nameless session never lasts longer.
    expect([nameless, own, shared].map((entry) => isIn(home, entry))).toEqual([false, true, true])
    home.clock.advance(IDLE_MS)
    expect([isIn(home, own), isIn(home, shared)]).toEqual([true, false])
    for (let used = 0; used < LIFE_MS; used += IDLE_OWN_DEVICE_MS - 1) {
      expect(isIn(home, own)).toBe(used + 3 * IDLE_MS < LIFE_MS)
      home.clock.advance(IDLE_OWN_DEVICE_MS - 1)
    }
    expect(isIn(home, own)).toBe(false)
  },
)

proves('console.sessions', 'a session survives a restart, and ends with its person or by itself', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const [first, second] = [entered(home, anna.id), entered(home, anna.id)]
  home.stop()
  home.start()
  expect([isIn(home, first), isIn(home, second)]).toEqual([true, true])
  home.people.sessions.revocation(first.session.id, ANNA)?.store()
  expect([isIn(home, first), isIn(home, second)]).toEqual([false, true])
  home.people.persons.revocation(anna, ANNA).store()
  expect(isIn(home, second)).toBe(false)
  expect(home.ended).toEqual([SETUP_CODE_ID, first.session.id, anna.id, second.session.id])
})

proves('console.sessions', 'a new password ends every other session of its person', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const [here, there, nameless] = [entered(home, anna.id), entered(home, anna.id), entered(home)]
  await home.people.persons.setPassword(anna, 'another long one', ANNA, here.session)
  expect([here, there, nameless].map((entry) => isIn(home, entry))).toEqual([true, false, true])
  expect((await home.people.signIn.byPassword('Anna', PASSWORD, FROM)).ok).toBe(false)
  expect((await home.people.signIn.byPassword('Anna', 'another long one', FROM)).ok).toBe(true)
})

proves('console.step-up', 'a session is fresh for five minutes, and again after its password is typed', async () => {
  const home = opened()
  const anna = await withAnna(home)
  const { session } = entered(home, anna.id)
  const { sessions, signIn } = home.people
  expect(sessions.isFresh(session)).toBe(true)
  home.clock.advance(FRESH_MS)
  expect(sessions.isFresh(session)).toBe(false)
  expect((await signIn.prove(session, 'wrong wrong')).ok).toBe(false)
  expect(sessions.isFresh(session)).toBe(false)
  expect((await signIn.prove(session, PASSWORD)).ok).toBe(true)
  expect(sessions.isFresh(session)).toBe(true)
})

test(
  'the number of sessions is limited: ended ones are removed first, then the longest unused of whoever has the most',
  { tags: ['long'] },
  async () => {
    const home = opened()
    const first = entered(home)
    home.clock.advance(1_000)
    const used = entered(home)
    for (let more = 0; more < 198; more += 1) entered(home)
    expect(isIn(home, used)).toBe(true)
    home.clock.advance(1_000)
    entered(home)
    expect([isIn(home, first), isIn(home, used)]).toEqual([false, true])
    expect(home.people.sessions.list()).toHaveLength(200)
    // Many sessions of some end no session of others.
    const anna = await withAnna(home)
    const annas = entered(home, anna.id)
    for (let more = 0; more < 300; more += 1) entered(home)
    expect([isIn(home, annas), home.people.sessions.list().length]).toEqual([true, 200])
  },
)
