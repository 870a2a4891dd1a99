import { describe, expect } from 'vitest'
import type { DeviceAuthorization } from '../../src/auth/agents/agent-request.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, ask, emitted, HOUR, MINUTE, refused, ROBOT } from './pairing-steps.ts'

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
      const spam: DeviceAuthorization[] = []
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

  proves('agents.strangers', 'take a /48 of IPv6 for one source, and no stranger for all the notices', () => {
    using home = new AccessHome()
    home.integrate()
    for (const peer of ['2::1', '2::2', '2:aaaa:bbbb:cccc:dddd', '3::3', 'ffff::4'])
      ask(home, { peer: `2001:db8:1:${peer}` })
    expect(refused(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 60 })
    home.clock.advance(MINUTE)
    // The requests of the previous minute are still pending.
    for (const peer of [':5', ':6', ':7', ':8', ':9']) ask(home, { peer: `2001:db8:1:2:${peer}` })
    home.clock.advance(MINUTE)
    expect(refused(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 3_480 })
    ask(home, { peer: '2001:db8:2:3::1' })
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
    // Requests that no longer count are deleted.
    home.clock.advance(24 * HOUR)
    ask(home)
    expect(home.requests.list()).toHaveLength(1)
  })
})
