import { describe, expect, test } from 'vitest'
import { ARRIVED_AFTER_MS } from '../../src/auth/agents/token-handout.ts'
import { AccessHome } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, ask, emitted, countKinds, MINUTE, tokenOf } from './pairing-steps.ts'

describe('a token', () => {
  proves('agents.once', 'is the answer to exactly one of 200 simultaneous polls', async () => {
    using home = new AccessHome()
    home.integrate()
    const request = ask(home)
    expect(accept(home, request).ok).toBe(true)
    const polled = await Promise.all(
      Array.from({ length: 200 }, async () => {
        await Promise.resolve()
        return home.pairing.poll(request.code)
      }),
    )
    expect(countKinds(polled)).toEqual({ token: 1, expired: 199 })
    expect(home.credentials.list()).toHaveLength(1)
  })

  proves('agents.once', 'that was not collected before a crash is collected once after it', () => {
    using home = new AccessHome()
    home.integrate()
    const request = ask(home)
    accept(home, request, { kind: 'session' })
    home.crash()
    home.start()
    const polled = [home.pairing.poll(request.code), home.pairing.poll(request.code)]
    expect(countKinds(polled)).toEqual({ token: 1, expired: 1 })
    expect(polled[0]).toMatchObject({ credentialKind: 'session' })
    expect(home.authenticator.authenticate(tokenOf(polled[0]!), 'home').ok).toBe(true)
  })

  proves('agents.once', 'that was collected some seconds before a crash is not handed out again', () => {
    using home = new AccessHome()
    home.integrate()
    const request = ask(home)
    accept(home, request)
    const token = tokenOf(home.pairing.poll(request.code))
    home.clock.advance(ARRIVED_AFTER_MS)
    home.crash()
    home.start()
    expect(home.pairing.poll(request.code)).toEqual({ kind: 'expired' })
    expect(home.authenticator.authenticate(token, 'home').ok).toBe(true)
    expect(home.credentials.list()).toHaveLength(1)
  })

  proves('agents.once', 'is not handed out if it cannot be stored, and can be collected later', () => {
    using home = new AccessHome()
    home.integrate()
    const request = ask(home)
    accept(home, request)
    home.core.db.exec("CREATE TRIGGER full BEFORE INSERT ON credentials BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    expect(() => home.pairing.poll(request.code)).toThrow('disk full')
    home.core.db.exec('DROP TRIGGER full')
    expect(home.credentials.list()).toEqual([])
    expect(countKinds([home.pairing.poll(request.code), home.pairing.poll(request.code)])).toEqual({
      token: 1,
      expired: 1,
    })
  })

  test('waits while agent_access is off or the integration disabled, and ends with the integration', () => {
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
