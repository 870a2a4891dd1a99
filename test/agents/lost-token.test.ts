import { expect } from 'vitest'
import { ARRIVED_AFTER_MS, LOST_AFTER_MS } from '../../src/auth/agents/token-handout.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'

/** A home at which an agent collected its token a moment ago. */
function collected() {
  const home = new AccessHome()
  const { id } = home.integrate()
  const from = { hosted: null, suggested: null, via: 'home', peer: '192.168.1.20' } as const
  const asked = home.pairing.ask({ name: 'Robot', platform: 'lab', record: null, ...from })
  if (!asked.ok) throw new Error(asked.error.kind)
  const { code, userCode } = asked.value
  home.pairing.accept(userCode, { kind: 'agent' }, ANNA)
  const poll = (): string | null => {
    const polled = home.pairing.poll(code)
    return polled.kind === 'token' ? polled.token : null
  }
  const works = (token: string | null): boolean => home.authenticator.check(token, 'home').ok
  const again = (ms = 0): void => {
    home.crash()
    home.clock.advance(ms)
    home.start()
  }
  return { home, id, poll, works, again, token: poll(), [Symbol.dispose]: () => home[Symbol.dispose]() }
}

proves(
  'agents.lost-token',
  'a token whose answer a crash may have lost is collected again, and is the only one',
  () => {
    using made = collected()
    made.again()
    const second = made.poll()
    expect([second !== null, made.works(second), made.works(made.token)]).toEqual([true, true, false])
    expect(made.poll()).toBe(null)
    made.home.clock.advance(ARRIVED_AFTER_MS)
    made.again()
    expect([made.poll(), made.works(second)]).toEqual([null, true])
  },
)

proves('agents.lost-token', 'one that was used is not collected again, and does not end', () => {
  using made = collected()
  made.home.authenticator.authenticate(made.token, 'home')
  made.home.lastUsed.write()
  made.again()
  expect(made.poll()).toBe(null)
  made.home.clock.advance(2 * LOST_AFTER_MS)
  expect(made.works(made.token)).toBe(true)
})

proves('agents.lost-token', 'one that nobody collects again nor uses ends an hour after it was made', () => {
  for (const away of [0, LOST_AFTER_MS]) {
    using made = collected()
    made.again(away)
    if (away === 0) {
      made.home.clock.advance(LOST_AFTER_MS - 1)
      expect(made.works(made.token)).toBe(true)
      made.home.clock.advance(1)
    }
    expect([made.works(made.token), made.poll()]).toEqual([false, null])
  }
})

proves('agents.lost-token', 'a stop in order loses no answer', () => {
  using made = collected()
  made.home.stop()
  made.home.start()
  expect(made.poll()).toBe(null)
  made.home.clock.advance(2 * LOST_AFTER_MS)
  expect(made.works(made.token)).toBe(true)
})

proves('agents.lost-token', 'an integration that is deleted meanwhile is in nobody’s way', () => {
  using made = collected()
  made.home.remove(made.id)
  made.home.clock.advance(ARRIVED_AFTER_MS)
  made.home.stop()
  made.home.start()
  expect([made.poll(), made.works(made.token)]).toEqual([null, false])
})
