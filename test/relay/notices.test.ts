import { describe, expect } from 'vitest'
import { NOTICE_RATE } from '../../src/tunnel/account-notices.ts'
import { proves } from '#support/gateway/verifies.ts'
import { type RelayedHome, relayedHome } from '#support/relay/relayed-home.ts'

const OLGA = { email: 'olga@example.org', password: 'correct horse battery' }
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const NOTICE = 'The relay account olga@example.org signed in on a new device'

interface Entry {
  readonly what: string
  readonly kind: string
  readonly cause: object
}

/** Sign-ins in the home's activity, once all notices are delivered. */
async function recorded({ relay, home }: RelayedHome): Promise<readonly Entry[]> {
  await relay.relay.tunnels.settled()
  const { entries } = await home.running.admin.call<{ entries: readonly Entry[] }>('GET', '/activity?limit=100')
  return entries.filter(({ what }) => what.includes('new device'))
}

describe('a sign-in to a linked account on a new device', () => {
  proves(
    'relay.notices',
    'is in the activity of the home, with its account as the cause',
    { tags: ['long'] },
    async () => {
      const home = await relayedHome()
      const { accounts } = home.relay.relay
      const signedIn = await accounts.signIn(OLGA.email, OLGA.password, { peer: '203.0.113.7', agent: FIREFOX })
      const expected = {
        kind: 'access',
        what: `${NOTICE} (Firefox on Linux, 203.0.113.*)`,
        cause: { source: 'platform', name: 'Relay account olga@example.org' },
      }
      expect(await recorded(home)).toMatchObject([expected])
      const device = signedIn.ok ? signedIn.value.device : ''
      await accounts.signIn(OLGA.email, OLGA.password, { peer: '203.0.113.8', agent: FIREFOX, device })
      await accounts.signIn(OLGA.email, 'wrong horse battery', { peer: '203.0.113.9', agent: FIREFOX })
      expect(await recorded(home)).toHaveLength(1)
    },
  )

  proves('relay.notices', 'is delivered when an offline gateway connects', async () => {
    const home = await relayedHome()
    const { accounts } = home.relay.relay
    await home.home.running.admin.call('DELETE', '/relay')
    await accounts.signIn(OLGA.email, OLGA.password, { peer: '203.0.113.7', agent: FIREFOX })
    expect(await recorded(home)).toEqual([])
    await home.relay.connect(home.home.running)
    expect((await recorded(home)).map(({ what }) => what)).toEqual([`${NOTICE} (Firefox on Linux, 203.0.113.*)`])
    await home.home.running.admin.call('DELETE', '/relay')
    await home.relay.connect(home.home.running)
    expect(await recorded(home)).toHaveLength(1)
  })

  proves('relay.notices', 'does not flood the activity when repeated', { tags: ['long'] }, async () => {
    const home = await relayedHome()
    const { accounts } = home.relay.relay
    for (let index = 0; index < 40; index += 1) {
      await accounts.signIn(OLGA.email, OLGA.password, { peer: `203.0.${index}.7`, agent: FIREFOX })
      await home.relay.relay.tunnels.settled()
    }
    const entries = await recorded(home)
    const notices = entries.filter(({ what }) => what.startsWith(NOTICE))
    expect([notices.length, entries.length]).toEqual([NOTICE_RATE.burst, NOTICE_RATE.burst + 1])
  })
})
