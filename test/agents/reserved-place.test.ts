import { afterAll, beforeAll, expect, test } from 'vitest'
import { hm } from '#support/gateway/cli.ts'
import { TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { accessRequest } from '#support/homes/hosted-agents.ts'
import { proves } from '#support/gateway/verifies.ts'
import { startPairing, postPairing, deny, allowAgents, withPassingClock } from './device-flow.ts'

const MINUTE = 60_000
const FROM_STRANGER = { name: 'Spam', platform: '', record: null, hosted: null, suggested: null, via: 'home' } as const
const verifies = verifiesAlone(withPassingClock)

/** Exhausts the hourly limit of the home. */
function exhaustLimit(home: AccessHome): void {
  for (let minute = 0; minute < 6; minute++) {
    for (let count = 0; count < 5; count++) home.pairing.startDeviceFlow({ ...FROM_STRANGER, peer: `10.0.0.${minute}` })
    home.clock.advance(MINUTE)
  }
}

proves(
  'agents.kept-place',
  'a reserved place admits one request beyond an exhausted limit, with a notification',
  () => {
    using home = new AccessHome()
    home.integrate()
    exhaustLimit(home)
    const mine = { ...FROM_STRANGER, name: 'Robot', peer: '192.168.1.20' }
    expect(home.pairing.startDeviceFlow(mine)).toMatchObject({ ok: false, error: { kind: 'rate_limited' } })
    const until = home.clock.now() + 10 * MINUTE
    expect(home.pairing.reserve('home', '192.168.1.20', ANNA)).toEqual({
      source: 'home 192.168.1.20',
      until,
    })
    expect(home.pairing.startDeviceFlow({ ...mine, peer: '192.168.1.21' }).ok).toBe(false)
    expect(home.pairing.startDeviceFlow({ ...mine, via: 'cloud' }).ok).toBe(false)
    expect(home.pairing.startDeviceFlow(mine).ok).toBe(true)
    expect(
      home.pairing
        .pending()
        .filter(({ notice }) => notice)
        .map(({ name }) => name),
    ).toContain('Robot')
    expect(home.events.at(-1)).toMatchObject({ kind: 'agent_request', notice: true })
    expect(home.pairing.startDeviceFlow(mine).ok).toBe(false)
    expect(home.pairing.senders().reserved).toBeNull()
  },
)

proves(
  'agents.kept-place',
  'a reservation survives a restart, and its request still notifies administrators after another',
  () => {
    using home = new AccessHome()
    home.integrate()
    exhaustLimit(home)
    const mine = { ...FROM_STRANGER, name: 'Robot', peer: '192.168.1.20' }
    const restart = (): void => {
      home.crash()
      home.start()
    }
    home.pairing.reserve('home', '192.168.1.20', ANNA)
    restart()
    expect(home.pairing.senders().reserved).toMatchObject({ source: 'home 192.168.1.20' })
    expect(home.pairing.startDeviceFlow(mine).ok).toBe(true)
    restart()
    const notified = home.pairing.pending().filter(({ notice }) => notice)
    expect(notified.map(({ name }) => name)).toContain('Robot')
    expect([home.pairing.senders().reserved, home.pairing.startDeviceFlow(mine).ok]).toEqual([null, false])
  },
)

proves('agents.kept-place', 'a reservation lasts ten minutes and is for the last named address', () => {
  using home = new AccessHome()
  home.integrate()
  exhaustLimit(home)
  home.pairing.reserve('home', '192.168.1.20', ANNA)
  home.pairing.reserve('home', '192.168.1.30', ANNA)
  expect(home.pairing.startDeviceFlow({ ...FROM_STRANGER, peer: '192.168.1.20' }).ok).toBe(false)
  home.clock.advance(10 * MINUTE)
  expect(home.pairing.startDeviceFlow({ ...FROM_STRANGER, peer: '192.168.1.30' }).ok).toBe(false)
})

verifies(
  'agents.blocks',
  'requests of a blocked address are accepted again after an administrator unblocks it',
  async (home) => {
    await allowAgents(home)
    const { userCode } = await startPairing(home)
    await deny(home, userCode, { block: true })
    expect((await postPairing(home)).status).toBe(429)
    const { blocked } = await home.running.admin.call<{ blocked: object[] }>('GET', '/agents/senders')
    expect(blocked).toMatchObject([{ address: '127.0.0.1', via: home.isRelayed ? 'cloud' : 'home' }])
    await home.running.admin.call('DELETE', '/agents/senders/127.0.0.1')
    expect((await postPairing(home)).status).toBe(200)
    await expect(home.running.admin.call('DELETE', '/agents/senders/127.0.0.1')).rejects.toThrow(
      '127.0.0.1 is not blocked; `bin/hm agent blocks` lists blocked senders.',
    )
  },
)

let home: TestHome
beforeAll(async () => {
  home = await TestHome.open('http', withPassingClock())
})
afterAll(() => home[Symbol.asyncDispose]())

// Addresses are reserved only for the home network, so this test needs no relay.
test('bin/hm agent blocks, unblock and reserve print their effect', async () => {
  await allowAgents(home)
  const printed = async (...words: readonly string[]): Promise<string> => {
    const { out, err } = await hm(home.running.dataDir, 'agent', ...words)
    return out + err
  }
  expect(await printed('blocks')).toMatch(/^No sender is blocked\.\n/)
  await deny(home, (await startPairing(home)).userCode, { block: true })
  expect(await printed('blocks')).toMatch(/^ADDRESS +VIA +UNTIL\n127\.0\.0\.1 +home +\d{4}-/)
  expect(await printed('reserve', '127.0.0.1')).toMatch(
    /^A place for one request from 127\.0\.0\.1 is reserved until \d{4}-.+: let the agent ask now\.\n/,
  )
  expect(await printed('blocks')).toContain('A place for one request from 127.0.0.1 is reserved until')
  expect((await postPairing(home)).status).toBe(200)
  expect((await postPairing(home)).status).toBe(429)
  expect(await printed('unblock', '127.0.0.1')).toBe('Requests from 127.0.0.1 are accepted again.\n')
  expect((await postPairing(home)).status).toBe(200)
  expect(await printed('reserve', 'robot')).toBe('"robot" is not an IPv4 or IPv6 address.')
  expect(await printed('reserve', '--account', 'Anna@example.org')).toContain(
    'A place for one request from anna@example.org is reserved',
  )
  expect(await printed('blocks')).toContain('A place for one request from anna@example.org is reserved until')
  expect(await printed('reserve', '--account', 'anna')).toBe('"anna" is not an e-mail address of an account.')
  expect(await printed('reserve')).toBe('Name either an address at home or an account at the relay.')
})

proves('agents.kept-place', 'an account at the relay may have a reservation too', () => {
  using home = new AccessHome()
  home.integrate()
  exhaustLimit(home)
  const mine = accessRequest({ account: 'Anna@example.org' })
  expect(home.hosted.ask(mine).ok).toBe(false)
  home.pairing.reserve('cloud', 'anna@example.org', ANNA)
  expect(home.hosted.ask(accessRequest({ account: 'ben@example.org' })).ok).toBe(false)
  expect(home.hosted.ask(mine).ok).toBe(true)
})

proves(
  'agents.hosted-places',
  'an account at the relay may use the whole hourly limit, an address a third of it',
  () => {
    using home = new AccessHome()
    home.integrate()
    const taken = (ask: () => { readonly ok: boolean }): number => {
      let count = 0
      for (let minute = 0; minute < 12; minute += 1) {
        for (let time = 0; time < 5; time += 1) count += ask().ok ? 1 : 0
        home.clock.advance(MINUTE)
      }
      home.clock.advance(60 * MINUTE)
      return count
    }
    expect(taken(() => home.hosted.ask(accessRequest()))).toBe(30)
    expect(taken(() => home.pairing.startDeviceFlow({ ...FROM_STRANGER, peer: '192.168.1.20' }))).toBe(10)
  },
)
