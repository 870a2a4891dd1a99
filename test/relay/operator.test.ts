import { describe, expect, onTestFinished } from 'vitest'
import { operate } from '../../relay/operator-commands.ts'
import { readSettings, SettingsError } from '../../relay/model/relay-settings.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { systemRandom } from '../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { proves } from '#support/gateway/verifies.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'
import { type RelayAnswer, TestRelay } from '#support/relay/test-relay.ts'

/** Runs a command of the relay's operator while the relay runs. */
function desk(dataDir: string, url = 'https://localhost') {
  const settings = readSettings({ HM_RELAY_DATA_DIR: dataDir, HM_RELAY_URL: url })
  return (...args: string[]): Promise<string> => operate(args, { settings, clock: systemClock, random: systemRandom })
}

describe('the operator of a relay', () => {
  proves('relay.reset', 'prints a link for resetting a password, and one for creating an account', async () => {
    const relay = await TestRelay.open()
    onTestFinished(() => relay[Symbol.asyncDispose]())
    const { accounts, url } = relay.relay
    const type = desk(relay.dataDir, url)
    const person = { email: 'anna@example.org', password: 'correct horse battery' }
    const invite = /invite=(\S+)$/.exec(await type('invite'))?.[1] ?? ''
    expect(await accounts.isInvited(invite)).toBe(true)
    expect((await accounts.signUp({ ...person, invite }, { peer: '10.7.7.7' })).ok).toBe(true)
    const link = new RegExp(`^${url}/reset\\?link=(\\S+)$`, 'm').exec(await type('reset-password', person.email))?.[1]
    expect((await accounts.resettable(link ?? ''))?.email).toBe(person.email)
    await expect(type('reset-password', 'nobody@example.org')).rejects.toThrow('There is no account for')
  })

  proves('relay.events', 'reads the events of accounts, without a secret, until the account is deleted', async () => {
    const { relay, home } = await relayedHome()
    const { accounts, enrolment } = relay.relay
    const type = desk(relay.dataDir)
    const read = async (...email: string[]) => {
      const lines = (await type('events', ...email)).split('\n').filter((line) => line !== '')
      return lines.map(
        (line) => JSON.parse(line) as { event: string; account: string | null; count: number; about: string },
      )
    }
    const [email, password] = ['olga@example.org', 'correct horse battery']
    const visitor = { peer: '203.0.113.7', agent: 'Firefox/140.0 (X11; Linux)' }
    const signedIn = await accounts.signIn(email, password, visitor)
    for (let index = 0; index < 7; index += 1)
      await accounts.signIn(email, 'wrong horse battery', { peer: '198.51.100.1' })
    await accounts.signIn('nobody@example.org', 'wrong horse battery', { peer: '198.51.100.2' })
    await accounts.events.flush()
    const link = /link=(\S+)$/.exec(await type('reset-password', email))?.[1] ?? ''
    await accounts.setPassword(link, 'a new good password', visitor)
    const { serial } = home.running.gateway
    expect((await read(email)).map(({ event, count, about }) => [event, count, about])).toEqual([
      ['signed_up', 1, expect.stringContaining('Unknown browser')],
      ['home_linked', 1, serial],
      ['signed_in', 1, 'Firefox on Linux, 203.0.113.*'],
      ['sign_in_failed', 5, '198.51.100.*'],
      ['limit_reached', 2, '198.51.100.*'],
      ['reset_link_made', 1, ''],
      ['password_reset', 1, 'Firefox on Linux, 203.0.113.*'],
    ])
    const all = await read()
    expect(all).toContainEqual(expect.objectContaining({ event: 'sign_in_failed', account: null, count: 1 }))
    const text = JSON.stringify(all)
    const session = signedIn.ok ? signedIn.value.session : ''
    for (const secret of [password, 'a new good password', link, session, '203.0.113.7', 'Sonnenwinkel'])
      expect(text).not.toContain(secret)
    await expect(type('events', 'nobody@example.org')).rejects.toThrow('There is no account for')
    await enrolment.deleteAccount((await accounts.byEmail(email))!)
    const left = await read()
    expect(left.map(({ event, account }) => [event, account])).toEqual([
      ['sign_in_failed', null],
      ['account_deleted', null],
    ])
    await expect(type('events', email)).rejects.toThrow('There is no account for')
  })

  proves('relay.replace-key', 'lets a gateway that lost its key return with its serial', async () => {
    const { relay, home } = await relayedHome()
    const { serial } = home.running.gateway
    // A restore on new hardware gives the home a new key.
    const { enrolment } = relay.relay
    const { code } = await enrolment.begin(serial, 'another key')
    expect(await enrolment.standing(serial, 'another key')).toBe('other_key')
    expect(await desk(relay.dataDir)('replace-key', code)).toContain(`Gateway ${serial} may connect with its new key`)
    expect(await enrolment.standing(serial, 'another key')).toBe('linked')
    expect(await relay.connect(home.running)).toMatchObject({ state: 'unlinked' } satisfies Partial<RelayAnswer>)
    await expect(desk(relay.dataDir)('replace-key', 'AAAA-AAAA')).rejects.toThrow('no gateway with a new key')
  })

  proves(
    'relay.replace-key',
    'disconnects the gateway with the old key, even without a new connection',
    { tags: ['long'] },
    async () => {
      const clock = new ManualClock(Date.now())
      const { relay, home, through } = await relayedHome({ clock })
      const { code } = await relay.relay.enrolment.begin(home.running.gateway.serial, 'another key')
      const ask = async () => (await through.call({ method: 'GET', path: '/v1/house' })).status
      expect(await ask()).toBe(200)
      await desk(relay.dataDir)('replace-key', code)
      clock.advance(1_000)
      while ((await ask()) !== 503);
      expect(relay.relay.tunnels.counts()).toMatchObject({ linked: 0, unlinked: 1 })
    },
  )

  proves(
    'relay.replace-key',
    'is valid even if a gateway with another key has a higher epoch',
    { tags: ['long'] },
    async () => {
      const { relay, home, through } = await relayedHome({ clock: new ManualClock(Date.now()) })
      const { serial } = home.running.gateway
      const { enrolment, tunnels } = relay.relay
      const other = { slot: 0, epoch: Number.MAX_SAFE_INTEGER, publicKey: 'another key' }
      const { code } = await enrolment.begin(serial, other.publicKey)
      const status = async () => {
        expect(tunnels.resolveConflict(serial, other)).toBeNull()
        await tunnels.settled()
        return (await through.call({ method: 'GET', path: '/v1/house' })).status
      }
      expect(await status()).toBe(200)
      await desk(relay.dataDir)('replace-key', code)
      expect(await status()).toBe(503)
    },
  )

  proves('relay.reset', 'learns the usage, and that a folder has no relay', async () => {
    const type = desk(tempFolder())
    for (const args of [['nothing'], ['invite', 'x'], ['reset-password'], ['constructor']])
      await expect(type(...args)).rejects.toThrow('Usage: npm run relay -- COMMAND')
    await expect(type('invite')).rejects.toThrow(SettingsError)
    await expect(type('invite')).rejects.toThrow('No relay has used')
  })
})
