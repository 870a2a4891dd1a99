import { expect, onTestFinished, test } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import type { PersonSession } from './console-sessions.ts'
import { SETUP_CODE_ID } from './person.ts'

const FROM = { ownDevice: false, browser: 'Test/1.0', peer: '192.0.2.7' }

/** A home with Anna. `open` returns the session of a code, or null. */
async function annasHome() {
  const home = new AccessHome()
  onTestFinished(() => home[Symbol.dispose]())
  home.start()
  const { people } = home
  const made = await people.persons.create({ name: 'Anna', password: null }, ANNA, null)
  if (!made.ok) throw new Error(made.error)
  const anna = made.value
  const open = (code: string) => {
    const entered = people.signIn.byLink(code, FROM)
    return entered.ok ? entered.value.session : null
  }
  const opened = (code: string): PersonSession => {
    const session = open(code)
    if (session === null) throw new Error('The link did not open.')
    return session
  }
  const linkOf = (session: PersonSession | null, person: typeof anna | null = null): string =>
    people.sessions.makeLink(person, ANNA, session)
  const holds = (session: PersonSession): boolean => people.sessions.state(session) !== null
  return { home, ...people, anna, open, opened, linkOf, holds }
}

proves('console.thrown-out', 'sessions opened by links of a session end with it, however long the chain', async () => {
  const { sessions, opened, open, linkOf, holds, anna } = await annasHome()
  const thief = opened(linkOf(null, anna))
  const second = opened(linkOf(thief))
  const third = opened(linkOf(second))
  const [waiting, fromSocket] = [linkOf(third), linkOf(null)]
  const other = opened(linkOf(null, anna))
  sessions.revocation(thief.id, ANNA)?.store()
  expect([thief, second, third, other].map(holds)).toEqual([false, false, false, true])
  expect(open(waiting)).toBeNull()
  expect(open(fromSocket)).not.toBeNull()
})

proves('console.thrown-out', 'a removed person keeps neither nameless sessions nor links', async () => {
  const { home, persons, sessions, opened, open, linkOf, holds, anna } = await annasHome()
  const own = opened(linkOf(null, anna))
  const nameless = opened(linkOf(own))
  // The session stays Anna's although the session that made its link has ended.
  home.core.change(() => home.core.db.prepare('DELETE FROM console_sessions WHERE id = ?').run(own.id))
  const links = [linkOf(nameless), linkOf(null, anna)]
  persons.revocation(anna, ANNA).store()
  expect(holds(nameless)).toBe(false)
  expect(links.map(open)).toEqual([null, null])
  expect(home.ended).toEqual([SETUP_CODE_ID, anna.id, nameless.id])
  expect(sessions.list()).toEqual([])
})

proves(
  'console.thrown-out',
  'a new password ends all sessions from links of the person, except the one that set it',
  async () => {
    const { persons, opened, open, linkOf, holds, anna } = await annasHome()
    const stolen = opened(linkOf(null, anna))
    const nameless = opened(linkOf(stolen))
    const own = opened(linkOf(stolen, anna))
    const links = [linkOf(nameless), linkOf(own), linkOf(null, anna)]
    await persons.setPassword(anna, 'another long one', ANNA, own)
    expect([stolen, nameless, own].map(holds)).toEqual([false, false, true])
    expect(links.map(open)).toEqual([null, null, null])
  },
)

test('the activity’s names for nameless administrators are refused', async () => {
  const { persons } = await annasHome()
  for (const name of ['administrator (command line)', 'Administrator (one-time link)'])
    expect(await persons.create({ name, password: null }, ANNA, null)).toMatchObject({ ok: false })
  expect(persons.list()).toHaveLength(1)
})

test('every link is in the activity with its maker', async () => {
  const { home, linkOf, anna } = await annasHome()
  const recorded = () =>
    home.core.db
      .prepare<[], { draft: string }>('SELECT draft FROM activity_outbox')
      .all()
      .map(({ draft }) => draft)
  linkOf(null, anna)
  linkOf(null)
  expect(recorded().filter((entry) => entry.includes('one-time console link created for Anna'))).toHaveLength(1)
  expect(recorded().filter((entry) => entry.includes('one-time console link created"'))).toHaveLength(1)
})

test('a link still works after its session could not be stored', async () => {
  const { home, signIn, open, linkOf } = await annasHome()
  const code = linkOf(null)
  home.core.db.exec(`CREATE TRIGGER full BEFORE INSERT ON console_sessions BEGIN SELECT RAISE(ABORT, 'full'); END`)
  expect(() => signIn.byLink(code, FROM)).toThrow('full')
  home.core.db.exec('DROP TRIGGER full')
  expect(open(code)).not.toBeNull()
  expect(open(code)).toBeNull()
})
