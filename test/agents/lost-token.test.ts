import { expect } from 'vitest'
import { ARRIVED_AFTER_MS, LOST_AFTER_MS } from '../../src/auth/agents/token-handout.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'

/** A home whose agent has just collected its token. */
function collectedToken() {
  const home = new AccessHome()
  const { id } = home.integrate()
  const from = { hosted: null, suggested: null, via: 'home', peer: '192.168.1.20' } as const
  const result = home.pairing.startDeviceFlow({ name: 'Robot', platform: 'lab', record: null, ...from })
  if (!result.ok) throw new Error(result.error.kind)
  const { code, userCode } = result.value
  home.pairing.accept(userCode, { kind: 'agent' }, ANNA)
  const poll = (): string | null => {
    const polled = home.pairing.poll(code)
    return polled.kind === 'token' ? polled.token : null
  }
  const works = (token: string | null): boolean => home.authenticator.check(token, 'home').ok
  const crash = (ms = 0): void => {
    home.crash()
    home.clock.advance(ms)
    home.start()
  }
  return { home, id, poll, works, crash, token: poll(), [Symbol.dispose]: () => home[Symbol.dispose]() }
}

proves(
  'agents.lost-token',
  'after a crash that may have lost the answer, the agent collects a new token in place of the old one',
  () => {
    using scene = collectedToken()
    scene.crash()
    const second = scene.poll()
    expect([second !== null, scene.works(second), scene.works(scene.token)]).toEqual([true, true, false])
    expect(scene.poll()).toBe(null)
    scene.home.clock.advance(ARRIVED_AFTER_MS)
    scene.crash()
    expect([scene.poll(), scene.works(second)]).toEqual([null, true])
  },
)

proves('agents.lost-token', 'a used token is not handed out again, and stays valid', () => {
  using scene = collectedToken()
  scene.home.authenticator.authenticate(scene.token, 'home')
  scene.home.lastUsed.write()
  scene.crash()
  expect(scene.poll()).toBe(null)
  scene.home.clock.advance(2 * LOST_AFTER_MS)
  expect(scene.works(scene.token)).toBe(true)
})

proves('agents.lost-token', 'an unused token that is not collected again ends an hour after its creation', () => {
  for (const away of [0, LOST_AFTER_MS]) {
    using scene = collectedToken()
    scene.crash(away)
    if (away === 0) {
      scene.home.clock.advance(LOST_AFTER_MS - 1)
      expect(scene.works(scene.token)).toBe(true)
      scene.home.clock.advance(1)
    }
    expect([scene.works(scene.token), scene.poll()]).toEqual([false, null])
  }
})

proves('agents.lost-token', 'a clean stop loses no answer', () => {
  using scene = collectedToken()
  scene.home.stop()
  scene.home.start()
  expect(scene.poll()).toBe(null)
  scene.home.clock.advance(2 * LOST_AFTER_MS)
  expect(scene.works(scene.token)).toBe(true)
})

proves('agents.lost-token', 'deleting the integration of a lost token does not disturb the next start', () => {
  using scene = collectedToken()
  scene.home.remove(scene.id)
  scene.home.clock.advance(ARRIVED_AFTER_MS)
  scene.home.stop()
  scene.home.start()
  expect([scene.poll(), scene.works(scene.token)]).toEqual([null, false])
})
