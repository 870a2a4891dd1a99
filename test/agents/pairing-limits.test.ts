import { describe, expect } from 'vitest'
import type { DeviceAuthorization } from '../../src/auth/agents/agent-request.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import { accept, ask, emitted, HOUR, MINUTE, refusalOf, ROBOT } from './pairing-steps.ts'

describe('the limits of requests', () => {
  proves(
    ['agents.strangers', 'agents.source-minute'],
    'let one source use two minutes of the home, and then make it wait an hour, even over a restart',
    () => {
      using home = new AccessHome()
      home.integrate()
      for (let count = 0; count < 5; count++) ask(home)
      expect(refusalOf(home)).toEqual({ kind: 'rate_limited', retryAfter: 60 })
      home.clock.advance(MINUTE)
      for (let count = 0; count < 5; count++) ask(home)
      expect(refusalOf(home)).toEqual({ kind: 'rate_limited', retryAfter: 3_540 })
      home.crash()
      home.start()
      expect(refusalOf(home)).toEqual({ kind: 'rate_limited', retryAfter: 3_540 })
      expect(refusalOf(home, { peer: '192.168.1.30' })).toEqual({ kind: 'rate_limited', retryAfter: 60 })
      home.clock.advance(MINUTE - 1)
      expect(refusalOf(home, { peer: '192.168.1.30' })).toEqual({ kind: 'rate_limited', retryAfter: 1 })
      home.clock.advance(1)
      ask(home, { peer: '192.168.1.30' })
    },
  )

  proves('agents.strangers', 'leave room for other sources when one source never stops', () => {
    using home = new AccessHome()
    home.integrate()
    const refusedMinutes: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      // The administrator denies each request of the stranger at once.
      for (let result = home.pairing.startDeviceFlow({ ...ROBOT, peer: '10.0.0.1' }); result.ok;) {
        home.pairing.deny(result.value.userCode, { block: false }, ANNA)
        result = home.pairing.startDeviceFlow({ ...ROBOT, peer: '10.0.0.1' })
      }
      // Another source asks in two of every ten minutes.
      if (minute % 10 < 2) {
        const mine = home.pairing.startDeviceFlow({ ...ROBOT, peer: '192.168.1.30' })
        if (!mine.ok) refusedMinutes.push(minute)
      }
      home.clock.advance(MINUTE)
    }
    // The stranger's hourly limit lasts for two minutes.
    expect(refusedMinutes).toEqual([0, 1])
  })

  proves('agents.strangers', 'do not stop an administrator from connecting an agent, by code or directly', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const spam: DeviceAuthorization[] = []
    for (let count = 0; count < 6; count++) {
      const result = home.pairing.startDeviceFlow({ ...ROBOT, name: 'Spam', peer: '10.0.0.1' })
      if (result.ok) spam.push(result.value)
    }
    expect(spam).toHaveLength(5)
    expect(refusalOf(home)).toEqual({ kind: 'rate_limited', retryAfter: 60 })
    // An administrator may create a credential without a request.
    const { token } = home.credentials.create({ integration: id, kind: 'agent', name: 'Robot', platform: 'lab' }, ANNA)
    expect(home.authenticator.authenticate(token, 'home').ok).toBe(true)
    // Blocking the stranger denies its pending requests, which then no longer count.
    home.pairing.deny(spam[0]!.userCode, { block: true }, ANNA)
    expect(spam.map(({ code }) => home.pairing.poll(code).kind)).toEqual(spam.map(() => 'denied'))
    const mine = ask(home)
    expect(accept(home, mine, { add: true }).ok).toBe(true)
    expect(home.pairing.poll(mine.code).kind).toBe('token')
    expect(refusalOf(home, { peer: '10.0.0.1' })).toEqual({ kind: 'rate_limited', retryAfter: 24 * 3_600 })
    home.crash()
    home.start()
    expect(refusalOf(home, { peer: '10.0.0.1' })).toMatchObject({ kind: 'rate_limited' })
    home.stop()
    home.clock.advance(24 * HOUR)
    home.start()
    ask(home, { peer: '10.0.0.1' })
  })

  proves('agents.strangers', 'count a /48 of IPv6 as one source, which cannot use up all notifications', () => {
    using home = new AccessHome()
    home.integrate()
    for (const peer of ['2::1', '2::2', '2:aaaa:bbbb:cccc:dddd', '3::3', 'ffff::4'])
      ask(home, { peer: `2001:db8:1:${peer}` })
    expect(refusalOf(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 60 })
    home.clock.advance(MINUTE)
    // The requests of the previous minute are still pending.
    for (const peer of [':5', ':6', ':7', ':8', ':9']) ask(home, { peer: `2001:db8:1:2:${peer}` })
    home.clock.advance(MINUTE)
    expect(refusalOf(home, { peer: '2001:DB8:1:2::77' })).toEqual({ kind: 'rate_limited', retryAfter: 3_480 })
    ask(home, { peer: '2001:db8:2:3::1' })
    ask(home, { peer: '::ffff:192.168.1.20' })
    const silentRequests = Array.from({ length: 8 }, () => 'asks')
    expect(emitted(home)).toEqual(['asks!', 'asks!', ...silentRequests, 'asks!', 'asks'])
    expect(home.pairing.pending().flatMap(({ notice }, index) => (notice ? [index] : []))).toEqual([0, 1, 10])
  })

  proves('agents.strangers', 'are 30 requests an hour for the home and 10 for one source', () => {
    using home = new AccessHome()
    home.integrate()
    let taken = 0
    const perPeer = new Map<string, number>()
    for (let minute = 0; minute < 59; minute++) {
      for (const peer of ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']) {
        const result = home.pairing.startDeviceFlow({ ...ROBOT, peer })
        if (!result.ok) continue
        taken += 1
        perPeer.set(peer, (perPeer.get(peer) ?? 0) + 1)
        home.pairing.deny(result.value.userCode, { block: false }, ANNA)
      }
      home.clock.advance(MINUTE)
    }
    expect(taken).toBe(30)
    expect(Math.max(...perPeer.values())).toBeLessThanOrEqual(10)
    expect(refusalOf(home, { peer: '10.0.0.9' })).toMatchObject({ kind: 'rate_limited', retryAfter: 60 })
    // Requests that no longer count are deleted.
    home.clock.advance(24 * HOUR)
    ask(home)
    expect(home.requests.list()).toHaveLength(1)
  })
})
