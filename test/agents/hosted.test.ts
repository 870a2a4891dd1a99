import { describe, expect, test } from 'vitest'
import { STATUS_WAIT_MS, STATUS_WAITS_MAX } from '../../src/auth/hosted/hosted-agents.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { proves } from '#support/gateway/verifies.ts'
import {
  acceptedRequest,
  requestAccess,
  connectedAgent,
  errorOf,
  linkOf,
  pkce,
  valueOf,
  accessRequest,
} from '#support/homes/hosted-agents.ts'
import { HOUR, MINUTE, ROBOT } from './pairing-steps.ts'

const NEVER = new AbortController().signal
const INVALID = { kind: 'invalid_grant' }

describe('a request of a hosted agent', () => {
  proves('agents.hosted-asks', 'reaches administrators with name, account and destination', () => {
    using home = new AccessHome()
    home.integrate()
    const { request, code, expiresAt } = requestAccess(home)
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(expiresAt).toBe(home.clock.now() + 10 * MINUTE)
    expect(home.events).toMatchObject([
      {
        kind: 'agent_request',
        notice: true,
        request: {
          request,
          userCode: code.replace('-', ''),
          name: 'Claude',
          platform: 'claude.example',
          via: 'cloud',
          hosted: { client: 'https://claude.example/client.json', audience: 'mcp', account: 'anna@example.org' },
        },
      },
    ])
  })

  proves(
    'agents.hosted-asks',
    'needs agent_access and cloud_access, of the integration in its address if there is one',
    () => {
      using home = new AccessHome()
      const off = home.integrate({})
      expect(errorOf(home.hosted.ask(accessRequest()))).toEqual({ kind: 'agent_access_disabled' })
      const local = home.integrate({ agent_access: 'on', cloud_access: 'off' })
      expect(errorOf(home.hosted.ask(accessRequest()))).toEqual({ kind: 'cloud_access_disabled' })
      const bound = (id: string) => accessRequest({ record: id, door: `mcp/r/${id}` })
      expect(errorOf(home.hosted.ask(bound(off.id)))).toEqual({ kind: 'agent_access_disabled' })
      expect(errorOf(home.hosted.ask(bound(local.id)))).toEqual({ kind: 'cloud_access_disabled' })
      expect(errorOf(home.hosted.ask(bound('0a0a0a0a-0000-4000-8000-000000000000')))).toEqual({ kind: 'not_found' })
      home.change(local.id, { knobs: { cloud_access: 'on' } })
      home.change(local.id, { enabled: false })
      expect(errorOf(home.hosted.ask(bound(local.id)))).toEqual({ kind: 'agent_access_disabled' })
      expect(home.requests.list()).toEqual([])
    },
  )

  proves('agents.hosted-asks', 'counts for its account, which may use the whole hourly limit, five a minute', () => {
    using home = new AccessHome()
    home.integrate()
    const tries = (account: string, peer: string): unknown => errorOf(home.hosted.ask(accessRequest({ account, peer })))
    for (let count = 0; count < 5; count++) expect(tries('anna@example.org', `203.0.113.${count}`)).toBeNull()
    expect(tries('ben@example.org', '203.0.113.99')).toEqual({ kind: 'rate_limited', retryAfter: 60 })
    for (let minute = 1; minute < 6; minute++) {
      home.clock.advance(MINUTE)
      for (let count = 0; count < 5; count++) expect(tries('anna@example.org', `203.0.113.${count}`)).toBeNull()
    }
    home.clock.advance(MINUTE)
    expect(tries('anna@example.org', '203.0.113.50')).toMatchObject({ kind: 'rate_limited' })
  })

  proves('agents.hosted-asks', 'is refused for a day after its account was blocked, or until it is unblocked', () => {
    using home = new AccessHome()
    home.integrate()
    const account = 'Anna%de@example.org'
    home.pairing.deny(requestAccess(home, { account }).code, { block: true }, ANNA)
    const again = (): unknown => errorOf(home.hosted.ask(accessRequest({ account, peer: '203.0.113.10' })))
    expect(again()).toMatchObject({ kind: 'rate_limited' })
    for (const other of ['anna', 'anna%com@example.org'])
      expect(errorOf(home.hosted.ask(accessRequest({ account: other })))).toBeNull()
    expect(home.pairing.senders().blocked.map(({ source }) => source)).toEqual(['cloud anna%de@example.org'])
    expect(home.pairing.unblock(account, ANNA)).toBe(true)
    expect(again()).toBeNull()
  })

  proves('agents.hosted-asks', 'is refused if malformed, and loses invisible characters in its names', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    for (const fields of [
      { door: 'api' },
      { door: 'mcp/r/' },
      { door: '' },
      { door: `mcp/r/${id}` },
      { record: id },
      { account: '' },
      { account: 'anna example' },
      { account: 'anna\u202e@example.org' },
      { account: 'a'.repeat(255) },
      { client: '' },
      { client: `https://x/${'x'.repeat(2_048)}` },
      { redirectHost: 'claude.example claude.ai' },
      { redirectHost: '' },
      { peer: '' },
      { peer: '203.0.113.9 (home)' },
      { challenge: '' },
      { challenge: 'plain-challenge' },
      { challenge: `${pkce().challenge}=` },
    ])
      expect(errorOf(home.hosted.ask(accessRequest(fields))), JSON.stringify(fields)).toMatchObject({
        kind: 'validation',
      })
    requestAccess(home, { name: ' Cla\u200bude\n\u202eevil ', platform: '\u2800' })
    requestAccess(home, { name: 'x'.repeat(500) })
    expect(home.requests.list().map(({ name, platform }) => [name, platform])).toEqual([
      ['Cla ude evil', 'claude.example'],
      ['x'.repeat(64), 'claude.example'],
    ])
  })
})

describe('the status page of a request', () => {
  const settled = async (answer: Promise<string>): Promise<string> => Promise.race([answer, Promise.resolve('waits')])

  proves('agents.hosted-status', 'waits until an administrator has decided', async () => {
    using home = new AccessHome()
    home.integrate()
    const [one, other] = [requestAccess(home), requestAccess(home)]
    const [first, second] = [home.hosted.status(one.request, NEVER), home.hosted.status(other.request, NEVER)]
    expect(await settled(first)).toBe('waits')
    home.pairing.accept(one.code, { kind: 'agent' }, ANNA)
    expect(await first).toBe('accepted')
    expect(await settled(second)).toBe('waits')
    home.pairing.deny(other.code, { block: false }, ANNA)
    expect(await second).toBe('denied')
    expect(await home.hosted.status(one.request, NEVER)).toBe('accepted')
  })

  proves(
    'agents.hosted-status',
    'answers after 25 s, at the end of the request, or when the browser leaves',
    async () => {
      using home = new AccessHome()
      home.integrate()
      const { request } = requestAccess(home)
      const long = home.hosted.status(request, NEVER)
      home.clock.advance(STATUS_WAIT_MS - 1)
      expect(await settled(long)).toBe('waits')
      home.clock.advance(1)
      expect(await long).toBe('pending')
      const controller = new AbortController()
      const leaving = home.hosted.status(request, controller.signal)
      controller.abort()
      expect(await leaving).toBe('pending')
      home.clock.advance(10 * MINUTE - STATUS_WAIT_MS - 1)
      const last = home.hosted.status(request, NEVER)
      home.clock.advance(1)
      expect(await last).toBe('expired')
      const stopped = home.hosted.status(requestAccess(home).request, NEVER)
      home.stop()
      expect(await stopped).toBe('pending')
    },
  )

  proves(
    'agents.hosted-status',
    'does not know requests of the device flow, and answers at once beyond its limit of waits',
    async () => {
      using home = new AccessHome()
      home.integrate()
      home.pairing.startDeviceFlow(ROBOT)
      expect(await home.hosted.status(home.requests.list()[0]!.request, NEVER)).toBe('expired')
      expect(await home.hosted.status('nothing', NEVER)).toBe('expired')
      const { request } = requestAccess(home)
      const waiting = Array.from({ length: STATUS_WAITS_MAX }, () => home.hosted.status(request, NEVER))
      expect(await settled(waiting[0]!)).toBe('waits')
      expect(await home.hosted.status(request, NEVER)).toBe('pending')
      home.hosted.stop()
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['pending']))
    },
  )
})

describe('the first tokens', () => {
  proves('agents.hosted-once', 'are one pair for 100 simultaneous redemptions', async () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home)
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        await Promise.resolve()
        return home.hosted.redeem(redemption)
      }),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(home.credentials.list()).toHaveLength(1)
    expect(home.credentials.list()[0]).toMatchObject({ kind: 'agent', name: 'Claude', secretSha256: null })
  })

  proves(
    'agents.hosted-once',
    'are for the client whose verifier fits the challenge, after an administrator accepted',
    () => {
      using home = new AccessHome()
      home.integrate()
      const { verifier, challenge } = pkce()
      const { request, code } = requestAccess(home, { challenge })
      const redemption = { request, verifier, client: 'https://claude.example/client.json' }
      expect(errorOf(home.hosted.redeem(redemption))).toEqual(INVALID)
      home.pairing.accept(code, { kind: 'agent' }, ANNA)
      for (const wrong of [
        { verifier: pkce().verifier },
        { verifier: challenge },
        { verifier: '' },
        { verifier: `${verifier}x` },
        { client: 'https://other.example/client.json' },
        { request: 'nothing' },
      ])
        expect(errorOf(home.hosted.redeem({ ...redemption, ...wrong })), JSON.stringify(wrong)).toEqual(INVALID)
      // The device flow does not hand out these tokens.
      expect(home.pairing.poll(verifier)).toEqual({ kind: 'expired' })
      expect(home.pairing.poll(request)).toEqual({ kind: 'expired' })
      expect(home.hosted.redeem(redemption).ok).toBe(true)
      expect(home.events.map(({ kind, ...more }) => ('how' in more ? more.how : kind))).toEqual([
        'agent_request',
        'accepted',
        'collected',
      ])
    },
  )

  proves('agents.hosted-once', 'are not handed out if they cannot be stored, and leave nothing behind', () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home)
    home.core.db.exec("CREATE TRIGGER full BEFORE INSERT ON hosted_tokens BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    expect(() => home.hosted.redeem(redemption)).toThrow('disk full')
    expect(home.credentials.list()).toEqual([])
    home.core.db.exec('DROP TRIGGER full')
    expect(home.hosted.redeem(redemption).ok).toBe(true)
  })

  proves('agents.hosted-once', 'can be redeemed again after a crash lost the answer, which ends the lost pair', () => {
    using home = new AccessHome()
    home.integrate()
    const redemption = acceptedRequest(home)
    const lost = valueOf(home.hosted.redeem(redemption))
    home.crash()
    home.start()
    const pair = valueOf(home.hosted.redeem(redemption))
    const works = (token: string): boolean => home.authenticator.check(token, 'cloud', 'mcp').ok
    expect([works(lost.access), works(pair.access)]).toEqual([false, true])
    expect(errorOf(home.hosted.refresh({ refresh: lost.refresh, client: redemption.client }))).toEqual(INVALID)
    expect(errorOf(home.hosted.redeem(redemption))).toEqual(INVALID)
  })

  test('end the credential that they replace at once, but not one that they are added to', () => {
    using home = new AccessHome()
    home.integrate()
    const old = connectedAgent(home)
    const works = (token: string): boolean => home.authenticator.check(token, 'cloud', 'mcp').ok
    const replacing = acceptedRequest(home, {}, { replaces: linkOf(old.access) })
    expect(works(old.access)).toBe(true)
    const next = valueOf(home.hosted.redeem(replacing))
    expect([works(old.access), works(next.access)]).toEqual([false, true])
    expect(errorOf(home.hosted.refresh({ refresh: old.refresh, client: replacing.client }))).toEqual(INVALID)
    const added = valueOf(home.hosted.redeem(acceptedRequest(home, {}, { add: true })))
    expect([works(next.access), works(added.access)]).toEqual([true, true])
  })

  test('are refused for a request that has expired or whose integration was deleted', () => {
    using home = new AccessHome()
    const { id } = home.integrate()
    const deleted = acceptedRequest(home)
    home.remove(id)
    expect(errorOf(home.hosted.redeem(deleted))).toEqual(INVALID)
    home.integrate()
    const late = acceptedRequest(home)
    home.clock.advance(HOUR)
    expect(errorOf(home.hosted.redeem(late))).toEqual(INVALID)
    expect(home.credentials.list()).toEqual([])
  })
})
