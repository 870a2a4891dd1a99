// @module-tag long
import { expect, onTestFinished } from 'vitest'
import {
  REQUESTS_OF_ADDRESS,
  REQUESTS_OF_HOME,
  STRANGERS_OF_HOME,
  STRANGERS_OF_HOME_ALL,
} from '../../relay/edge/limits.ts'
import { CONNECTIONS_OF_ADDRESS_MAX } from '../../relay/edge/server.ts'
import { HANDSHAKES_OF_ADDRESS } from '../../relay/tunnels/handshake-limit.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { HttpCaller } from '#support/gateway/callers.ts'
import { proves } from '#support/gateway/verifies.ts'
import { Attack } from '#support/relay/attack.ts'
import { Browser } from '#support/relay/browser.ts'
import { endToEnd } from '#support/relay/end-to-end.ts'
import { ipv6Peers } from '#support/relay/peers-of-ipv6.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { trustingFetch } from '#support/relay/trusting-fetch.ts'
import { UnlinkedGateway } from '#support/relay/unlinked-gateway.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }
const HOUR_S = 3_600
/** Shorter than a tunnel's timeout of a ping. */
const STEP_S = 8
const VISIT_EACH_S = 1_200
const PASSWORD = 'correct horse battery'

/** The relay's own limits; attackers take this many places of unlinked gateways within a minute. */
const LIMITS = {
  ofAddress: REQUESTS_OF_ADDRESS,
  ofHome: REQUESTS_OF_HOME,
  ofStrangers: { ...STRANGERS_OF_HOME, all: STRANGERS_OF_HOME_ALL },
  handshakesOfAddress: HANDSHAKES_OF_ADDRESS,
  connectionsOfAddress: CONNECTIONS_OF_ADDRESS_MAX,
  unlinkedMax: 60,
}

async function attacked() {
  ipv6Peers()
  const clock = new ManualClock(Date.now())
  const gateway = { clock, relayClock: clock, settled: false }
  const home = await endToEnd('on', () => relayedHome({ clock, limits: LIMITS, gateway }))
  let visits = 0
  const emailOf = (visit: number): string => `person${visit}@example.org`
  const attack = new Attack({ ...home, victim: () => emailOf(visits) })
  onTestFinished(() => attack.end())
  /** A new person from an unused address. */
  const visit = async (from: string): Promise<void> => {
    visits += 1
    const { relay, access } = home
    const { fetch, agent } = trustingFetch(relay.ca, { localAddress: from })
    const browser = new Browser(relay.relay.url, fetch)
    const person = { email: emailOf(visits), password: PASSWORD }
    const homes = await browser.submit(await browser.open('/signup'), 'Create account', person)
    expect([homes.status, homes.title], `${from} signs up`).toEqual([200, 'Your homes'])
    const own = new UnlinkedGateway({ number: visits, port: relay.relay.port, ca: relay.ca, from })
    const code = await own.code
    expect(code, `${from} connects a gateway`).not.toBeNull()
    const compare = await browser.submit(await browser.open('/link'), 'Continue', { code: code ?? '' })
    const linked = await browser.submit(compare, 'Link this gateway')
    expect(linked.text, `${from} links it`).toContain('is linked to your account')
    await browser.submit(linked, 'Sign out')
    await attack.burst()
    const back = await browser.submit(await browser.open('/signin'), 'Sign in', person)
    expect([back.status, back.title], `${from} signs in again`).toEqual([200, 'Your homes'])
    for (const way of [access, relay.access(access.token)]) {
      const caller = new HttpCaller({ ...way, from })
      expect((await caller.call(HOUSE)).status, `a key is served from ${from}`).toBe(200)
      await caller[Symbol.asyncDispose]()
    }
    own.end()
    agent.destroy()
  }
  return { ...home, clock, attack, visit }
}

proves(
  ['relay.fair-places', 'relay.address-limits', 'relay.owners-share'],
  'a /48 and twenty addresses attack for an hour: new people register, link and sign in, and keys are served',
  async () => {
    const { clock, attack, visit, inside, through } = await attacked()
    const refused: number[] = []
    for (let second = 0; second <= HOUR_S; second += STEP_S) {
      await attack.step()
      for (const owner of [inside, through]) {
        const { status } = await owner.call(HOUSE)
        if (status !== 200) refused.push(status)
      }
      if (second % VISIT_EACH_S === 0) {
        await attack.burst()
        await visit(`127.${second % (2 * VISIT_EACH_S) === 0 ? 88 : 67}.0.${1 + second / VISIT_EACH_S}`)
      }
      await clock.advanceAsync(1_000 * STEP_S)
    }
    console.log(attack.outcomes)
    expect(refused).toEqual([])
  },
)
